"""The databases that loads run on: one folder each, and what their servers have in common."""
