"""Two synthetic loads with opposite costs: one moves many rows, one computes sums.

They are for hosts with a changing load. The best split moves from one side to the other between these loads.
"""
