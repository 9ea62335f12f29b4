"""Other questions than which split, in one dialog; the wizard asks them step by step."""
