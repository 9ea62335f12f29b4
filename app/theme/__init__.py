"""How the window looks: colours, fonts, spacing, icons, in light and dark."""
