"""What does virtualisation cost? The window's part: what the wizard says and asks."""
