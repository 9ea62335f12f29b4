"""Appearance of the window: colours, fonts, spacing and icons, in light and dark."""
