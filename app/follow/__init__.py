"""Following a host's own load: asked for, agreed to, drawn while it goes on, and how the host was given back."""
