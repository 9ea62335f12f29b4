"""Watching a host's own load: asked for, drawn window by window, and what came of it."""
