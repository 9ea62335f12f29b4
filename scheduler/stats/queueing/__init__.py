"""Queueing model of a sweep: a closed network, its fit, and its discrepancies."""
