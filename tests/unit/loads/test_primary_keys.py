"""Servers that insist on a primary key in each table (sql_require_primary_key, innodb_force_primary_key) get it."""

import pytest

from scheduler.loads.brokerage import schema as brokerage
from scheduler.loads.brokerage.on_mariadb import MARIADB as BROKERAGE
from scheduler.loads.marking import BEGINNING
from scheduler.loads.opposites import dialects as opposites
from scheduler.loads.opposites.tables import Table
from scheduler.loads.order_entry import schema as order_entry
from scheduler.loads.order_entry.on_mariadb import MARIADB as ORDER_ENTRY
from scheduler.loads.osdb.on_mariadb import mariadb
from scheduler.loads.osdb.schema import Dialect
from scheduler.loads.tpch import dialects as tpch
from scheduler.loads.tpch import schema as tpch_schema


def of_osdb(dialect: Dialect) -> list[str]:
    return [dialect.tiny, dialect.table, *dialect.finish]


@pytest.mark.parametrize(
    "statements",
    [
        BEGINNING["mariadb"],
        *(of_osdb(mariadb(engine)) for engine in ("innodb", "myisam", "aria")),
        order_entry.tables_of(ORDER_ENTRY),
        brokerage.tables_of(BROKERAGE),
        [opposites.dialect_of("mariadb").create(Table("bulk", 10, texts)) for texts in (False, True)],
        [tpch.dialect_of("mariadb").create(table) for table in tpch_schema.TABLES],
    ],
    ids=["marker", "innodb", "myisam", "aria", "order-entry", "brokerage", "opposites", "tpch"],
)
def test_every_table_on_mysql_has_primary_key(statements):
    made = [statement for statement in statements if "CREATE TABLE" in statement]
    assert made
    assert [statement for statement in made if "PRIMARY KEY" not in statement] == []


def test_history_is_numbered_on_mysql_only():
    history = [table for table in order_entry.tables_of(ORDER_ENTRY) if "history" in table]
    assert len(history) == 2  # and its copy
    assert all("h_id bigint AUTO_INCREMENT PRIMARY KEY" in table for table in history)
    assert "h_id" not in order_entry.columns_of("history")
