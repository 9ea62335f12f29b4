"""The tables of the brokerage on MariaDB and MySQL: InnoDB, which has the transactions that it needs."""

from scheduler.loads.brokerage.brokerage_schema import BrokerageDialect
from scheduler.loads.ownership_marker import CREATE_MARKED_SCHEMA

_TEXT = "CHARACTER SET latin1 COLLATE latin1_bin"  # texts compare by their bytes, as on PostgreSQL

MARIADB = BrokerageDialect(
    begin=CREATE_MARKED_SCHEMA["mariadb"],
    moment="datetime",
    numbered="bigint AUTO_INCREMENT",
    options=f"{_TEXT} ENGINE=InnoDB",
    keys_first=True,
    waiting="CREATE INDEX trade_waiting ON @.trade (t_status, t_s_id)",  # it has no index of some rows only
    settings=(
        "innodb_flush_log_at_trx_commit",
        "innodb_doublewrite",
        "log_bin",
        "innodb_flush_method",
        "innodb_buffer_pool_size",
    ),
)
