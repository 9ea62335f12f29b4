"""What studies beside the split study have of their own in the window, a folder each."""
