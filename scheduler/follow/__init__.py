"""Split recommendation from the CPU time of both domains, without I/O."""
