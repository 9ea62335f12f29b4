"""TPC-B-like: transactions on four tables, by PostgreSQL's own pgbench."""
