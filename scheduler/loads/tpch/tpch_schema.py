"""Names, columns and keys of the eight tables; everything lies in a schema of its own, one per scale.

`@.` stands for that schema in every statement.
"""

from scheduler.loads.tables.table_set import DatabaseTable

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""


class TpchTable(DatabaseTable, frozen=True, kw_only=True):
    """One table.

    Attributes:
        indexes: Columns of its other indexes, `l_partkey, l_suppkey` for one of two columns.
        total: Column that is added up to tell whether the table is as it was loaded.
    """

    indexes: tuple[str, ...] = ()
    total: str

    @property
    def index_statements(self) -> tuple[str, ...]:
        """Statements that make the indexes."""
        named = {columns: f"{self.name}_{columns.replace(', ', '_')}" for columns in self.indexes}
        return tuple(f"CREATE INDEX {name} ON @.{self.name} ({columns})" for columns, name in named.items())


TABLES = (
    TpchTable(
        "region",
        "r_regionkey integer, r_name char(25), r_comment varchar(152)",
        "r_regionkey",
        total="r_regionkey",
    ),
    TpchTable(
        "nation",
        "n_nationkey integer, n_name char(25), n_regionkey integer, n_comment varchar(152)",
        "n_nationkey",
        indexes=("n_regionkey",),
        total="n_regionkey",
    ),
    TpchTable(
        "supplier",
        "s_suppkey integer, s_name char(25), s_address varchar(40), s_nationkey integer, s_phone char(15), "
        "s_acctbal decimal(15, 2), s_comment varchar(101)",
        "s_suppkey",
        indexes=("s_nationkey",),
        total="s_acctbal",
    ),
    TpchTable(
        "customer",
        "c_custkey integer, c_name varchar(25), c_address varchar(40), c_nationkey integer, "
        "c_phone char(15), c_acctbal decimal(15, 2), c_mktsegment char(10), c_comment varchar(117)",
        "c_custkey",
        indexes=("c_nationkey",),
        total="c_acctbal",
    ),
    TpchTable(
        "part",
        "p_partkey integer, p_name varchar(55), p_mfgr char(25), p_brand char(10), p_type varchar(25), "
        "p_size integer, p_container char(10), p_retailprice decimal(15, 2), p_comment varchar(23)",
        "p_partkey",
        total="p_retailprice",
    ),
    TpchTable(
        "partsupp",
        "ps_partkey integer, ps_suppkey integer, ps_availqty integer, ps_supplycost decimal(15, 2), "
        "ps_comment varchar(199)",
        "ps_partkey, ps_suppkey",
        indexes=("ps_suppkey",),
        total="ps_supplycost",
    ),
    TpchTable(
        "orders",
        # o_orderkey is sparse: six times as far as there are orders, beyond an integer at scale 358.
        "o_orderkey bigint, o_custkey integer, o_orderstatus char(1), o_totalprice decimal(15, 2), "
        "o_orderdate date, o_orderpriority char(15), o_clerk char(15), o_shippriority integer, "
        "o_comment varchar(79)",
        "o_orderkey",
        indexes=("o_custkey", "o_orderdate"),
        total="o_totalprice",
    ),
    TpchTable(
        "lineitem",
        "l_orderkey bigint, l_partkey integer, l_suppkey integer, l_linenumber integer, "
        "l_quantity decimal(15, 2), l_extendedprice decimal(15, 2), l_discount decimal(15, 2), "
        "l_tax decimal(15, 2), l_returnflag char(1), l_linestatus char(1), l_shipdate date, "
        "l_commitdate date, l_receiptdate date, l_shipinstruct char(25), l_shipmode char(10), "
        "l_comment varchar(44)",
        "l_orderkey, l_linenumber",
        indexes=("l_partkey, l_suppkey", "l_suppkey", "l_shipdate"),
        total="l_extendedprice",
    ),
)
NAMES = tuple(table.name for table in TABLES)

USER_STATEMENTS = {"postgresql": ("SET work_mem = '64MB'",), "mariadb": ()}
"""Database to the first statements of a user's connection."""

SETTINGS = {"postgresql": ("shared_buffers", "jit"), "mariadb": ("innodb_buffer_pool_size", "innodb_flush_method")}
"""Database to the server settings that decide how fast a query is."""


def scale_text(scale: float) -> str:
    """Return a scale as people write it: `0.1`, `10`."""
    return f"{scale:.10g}"


def tpch_schema_name(scale: float) -> str:
    """Return the schema's name for a scale: `domtune_tpch_0_1`."""
    return f"domtune_tpch_{scale_text(scale).replace('.', '_')}"


def qualify_statement(statement: str, scale: float) -> str:
    """Return a statement with its `@` replaced by the schema of that scale."""
    return statement.replace("@.", tpch_schema_name(scale) + ".")
