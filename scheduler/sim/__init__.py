"""A simulated Xen machine: event simulation of one contended CPU, noise, and the descriptions of machines. No I/O."""
