"""Do more CPUs help? The window's part: what the wizard says and asks."""
