"""Tables of loads as data, and the workload that loads, marks, restores and checks them."""
