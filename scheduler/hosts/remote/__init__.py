"""Having commands carried out on a host, with a guard that puts the host back when we vanish."""
