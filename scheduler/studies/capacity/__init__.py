"""Capacity study: throughput over users, and the number of users at saturation."""
