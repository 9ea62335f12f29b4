"""Lessons in the window: list, text, prediction and check."""
