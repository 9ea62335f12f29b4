"""Pages, cards, bars and dialogs of the main window."""
