"""Wizard texts of isolation studies: the interference between two guests."""
