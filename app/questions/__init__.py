"""Questions that the wizard does not ask: in one dialog."""
