"""The tables of order entry on MariaDB and MySQL: InnoDB, which has the transactions that it needs."""

from scheduler.loads.order_entry.order_entry_schema import OrderEntryDialect
from scheduler.loads.ownership_marker import CREATE_MARKED_SCHEMA

_TEXT = "CHARACTER SET latin1 COLLATE latin1_bin"  # texts compare by their bytes, as on PostgreSQL

MARIADB = OrderEntryDialect(
    begin=CREATE_MARKED_SCHEMA["mariadb"],
    moment="datetime",
    options=f"{_TEXT} ENGINE=InnoDB",
    keys_first=True,
    # Servers can refuse tables without a key: innodb_force_primary_key, sql_require_primary_key, group replication.
    history_key="h_id bigint AUTO_INCREMENT PRIMARY KEY",
    settings=(
        "innodb_flush_log_at_trx_commit",
        "innodb_doublewrite",
        "log_bin",
        "innodb_flush_method",
        "innodb_buffer_pool_size",
    ),
)
