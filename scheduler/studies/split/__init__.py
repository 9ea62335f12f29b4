"""Split study: the best split of the CPU between I/O domain and guest."""
