"""MariaDB: the embedded server, one that is adopted (MySQL, too), connections, errors, bulk loading."""
