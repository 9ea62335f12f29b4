"""sysbench's OLTP scripts as a load, on MariaDB: run by sysbench itself."""
