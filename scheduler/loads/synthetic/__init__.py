"""Two loads that cost the domains as differently as loads can: one moves many rows, one adds up what it generates.

They are for hosts whose load changes: between such two the best split goes from one side to the other.
"""
