"""PostgreSQL: the embedded server, one that is adopted, connections, errors, bulk loading."""
