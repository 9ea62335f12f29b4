"""Whether and when throughput is steady: within a trial, and after each kind of change."""
