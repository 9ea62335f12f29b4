"""Follow a host's own load: request, consent, live plots, and restore."""
