"""Loads that are programs of their own: start, output, end."""
