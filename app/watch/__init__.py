"""Watch a host's own load: request, live plots and result."""
