"""Do two guests disturb each other? The window's part: what the wizard says and asks."""
