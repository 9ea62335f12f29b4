"""Isolation study: loss of a guest while a second guest is loaded."""
