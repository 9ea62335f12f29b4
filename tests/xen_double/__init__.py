"""The toolstack's programs, doubled: what they print is a real Xen's; they keep their state in a file."""
