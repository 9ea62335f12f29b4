"""How many users does it carry? The window's part: words, throughput against users, the result page."""
