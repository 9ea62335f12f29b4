"""Other questions than which split: asked for in one dialog."""
