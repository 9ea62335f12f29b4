"""Load generators in processes of their own, and what they drive."""
