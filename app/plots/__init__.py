"""Live view of a run: documents become arrays, arrays become plots."""
