"""Model: frozen values that the other packages exchange."""
