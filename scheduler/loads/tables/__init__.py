"""Tables of loads as data, and the workload that loads, restores and checks them."""
