"""Whether and when throughput is steady: within a visit, and after each kind of change."""
