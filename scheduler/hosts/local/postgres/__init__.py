"""The embedded PostgreSQL server: found, set up, started, stopped."""
