"""Golden files: all that users get of a sweep, a watched and a followed host, and a bundle."""
