"""This computer as a two-domain host: a relay and PostgreSQL in two control groups."""
