"""The LXC lab: PostgreSQL and a relay as two containers under a libvirtd of the lab's own."""
