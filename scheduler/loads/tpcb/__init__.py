"""TPC-B-like load: transactions on four tables, run by PostgreSQL's own pgbench."""
