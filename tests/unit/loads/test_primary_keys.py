"""Servers that insist on a primary key in each table (sql_require_primary_key, innodb_force_primary_key) get it."""

import pytest

from scheduler.loads.brokerage import brokerage_schema as brokerage
from scheduler.loads.brokerage.on_mariadb import MARIADB as BROKERAGE
from scheduler.loads.order_entry import order_entry_schema as order_entry
from scheduler.loads.order_entry.on_mariadb import MARIADB as ORDER_ENTRY
from scheduler.loads.osdb.on_mariadb import mariadb_dialect
from scheduler.loads.osdb.osdb_schema import OsdbDialect
from scheduler.loads.ownership_marker import CREATE_MARKED_SCHEMA
from scheduler.loads.synthetic import synthetic_dialects as opposites
from scheduler.loads.synthetic.numbered_table import NumberedTable
from scheduler.loads.tpch import tpch_dialects as tpch
from scheduler.loads.tpch import tpch_schema


def of_osdb(dialect: OsdbDialect) -> list[str]:
    return [dialect.tiny, dialect.table, *dialect.finish]


@pytest.mark.parametrize(
    "statements",
    [
        CREATE_MARKED_SCHEMA["mariadb"],
        *(of_osdb(mariadb_dialect(engine)) for engine in ("innodb", "myisam", "aria")),
        order_entry.create_statements(ORDER_ENTRY),
        brokerage.create_statements(BROKERAGE),
        [opposites.synthetic_dialect("mariadb").create(NumberedTable("bulk", 10, texts)) for texts in (False, True)],
        [tpch.tpch_dialect("mariadb").create(table) for table in tpch_schema.TABLES],
    ],
    ids=["marker", "innodb", "myisam", "aria", "order-entry", "brokerage", "opposites", "tpch"],
)
def test_every_table_on_mysql_has_primary_key(statements):
    made = [statement for statement in statements if "CREATE TABLE" in statement]
    assert made
    assert [statement for statement in made if "PRIMARY KEY" not in statement] == []


def test_history_is_numbered_on_mysql_only():
    history = [table for table in order_entry.create_statements(ORDER_ENTRY) if "history" in table]
    assert len(history) == 2  # and its copy
    assert all("h_id bigint AUTO_INCREMENT PRIMARY KEY" in table for table in history)
    assert "h_id" not in order_entry.column_names("history")
