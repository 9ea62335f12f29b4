"""Lessons: text, plan, prediction and check, and the answers of a class."""
