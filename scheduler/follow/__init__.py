"""From the CPU time that both domains received to the split that suits this load. Pure functions, no I/O."""
