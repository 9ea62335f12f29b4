"""The tables of order entry on MariaDB and MySQL: InnoDB, which has the transactions that it needs."""

from scheduler.loads.marking import BEGINNING
from scheduler.loads.order_entry.schema import Dialect

_TEXT = "CHARACTER SET latin1 COLLATE latin1_bin"  # texts compare by their bytes, as on PostgreSQL

MARIADB = Dialect(
    begin=BEGINNING["mariadb"],
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
