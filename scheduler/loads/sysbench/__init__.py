"""sysbench load: sysbench's OLTP scripts on MariaDB, run by sysbench itself."""
