"""Published papers as data, and their comparison with a run.

A comparison is by ranks and by shares of the best, never by absolute values.
"""
