"""The pages of the window, and what lies over them."""
