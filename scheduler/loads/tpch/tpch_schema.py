"""Names, columns and keys of the eight tables, in one schema per scale.

In every statement, `@.` means this schema.
"""

from scheduler.loads.tables.table_set import DatabaseTable

FORMAT = "1"
"""Format of the tables. Raise it when tables of an older version must not be used again."""


class TpchTable(DatabaseTable, frozen=True, kw_only=True):
    """One table with its secondary indexes.

    Attributes:
        indexes: Columns of each secondary index, for example `l_partkey, l_suppkey` for an index of two columns.
        total: Column whose sum shows changes of the loaded rows.
    """

    indexes: tuple[str, ...] = ()
    total: str

    @property
    def index_statements(self) -> tuple[str, ...]:
        """Statements that create the indexes."""
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
        # o_orderkey is sparse: the largest key is four times the number of orders. At scale 358 it exceeds an integer.
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
"""Kind of database to the first statements of each user's connection."""

SETTINGS = {"postgresql": ("shared_buffers", "jit"), "mariadb": ("innodb_buffer_pool_size", "innodb_flush_method")}
"""Kind of database to the server settings that determine the speed of queries."""


def scale_text(scale: float) -> str:
    """Return a scale as people write it: `0.1`, `10`."""
    return f"{scale:.10g}"


def tpch_schema_name(scale: float) -> str:
    """Return the name of the schema for a scale: `domtune_tpch_0_1`."""
    return f"domtune_tpch_{scale_text(scale).replace('.', '_')}"


def qualify_statement(statement: str, scale: float) -> str:
    """Return a statement with the schema of a scale in place of `@.`.

    Args:
        statement: SQL statement, with `@.` for the schema.
        scale: Scale of the tables.
    """
    return statement.replace("@.", tpch_schema_name(scale) + ".")
