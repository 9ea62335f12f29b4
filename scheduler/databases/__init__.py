"""Databases of the loads: one folder for each kind, and their common parts."""
