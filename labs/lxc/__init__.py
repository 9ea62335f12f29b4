"""The LXC lab: PostgreSQL and a relay as containers under a libvirtd of its own."""
