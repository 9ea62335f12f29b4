"""MariaDB and MySQL: built-in and external servers, connections, errors, tables."""
