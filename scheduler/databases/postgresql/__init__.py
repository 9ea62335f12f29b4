"""PostgreSQL: built-in and external servers, connections, errors, tables."""
