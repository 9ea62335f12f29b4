"""A simulated Xen machine: event simulation of one shared CPU, noise, machine files."""
