"""The wizard, page by page."""
