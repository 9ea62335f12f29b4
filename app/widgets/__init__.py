"""Small building blocks that every page uses."""
