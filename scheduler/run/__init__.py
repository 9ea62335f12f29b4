"""Runs of plans: the engine, the host lease, and the undo journal."""
