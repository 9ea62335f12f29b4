"""What virtualisation costs: the same load on a base and through what stands between."""
