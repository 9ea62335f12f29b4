"""What the window has of each study beside the split study: its words in the wizard, its plots and its result."""
