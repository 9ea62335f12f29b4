"""Commands on a host, and the guard that restores a host without its client."""
