"""How many users does it carry? Throughput against users, and the number from which more of them bring no more."""
