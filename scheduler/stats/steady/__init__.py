"""Steady state of throughput: within a trial, and after each kind of change."""
