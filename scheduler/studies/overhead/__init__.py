"""Overhead study: slowdown of the same queries against a reference.

The study also shows the counters that correlate with the slowdown.
"""
