"""Wizard texts of capacity studies: the number of users that a host carries."""
