"""This computer as a host: a relay and a database server in two control groups."""
