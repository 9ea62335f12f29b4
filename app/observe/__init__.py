"""Pages that watch a host under its own load, and that follow the load."""
