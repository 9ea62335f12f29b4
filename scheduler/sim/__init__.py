"""A simulated Xen machine: events on one shared CPU, noise, machine files."""
