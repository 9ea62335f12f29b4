"""Names, columns and keys of the eight tables; everything lies in a schema of its own, one per scale.

`@.` stands for that schema in every statement.
"""

import msgspec

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""

MARKER = "domtune_marker"


class TpchTable(msgspec.Struct, frozen=True):
    """One table.

    Attributes:
        name: Its name, of its file of data, too.
        columns: Column to its type, in the order of its file.
        key: Its primary key.
        indexes: Columns of its other indexes, `l_partkey, l_suppkey` for one of two columns.
        total: Column that is added up to tell whether the table is as it was loaded.
    """

    name: str
    columns: dict[str, str]
    key: str
    indexes: tuple[str, ...]
    total: str


_MONEY = "decimal(15, 2)"

TABLES = (
    TpchTable(
        "region",
        {"r_regionkey": "integer", "r_name": "char(25)", "r_comment": "varchar(152)"},
        "r_regionkey",
        (),
        "r_regionkey",
    ),
    TpchTable(
        "nation",
        {"n_nationkey": "integer", "n_name": "char(25)", "n_regionkey": "integer", "n_comment": "varchar(152)"},
        "n_nationkey",
        ("n_regionkey",),
        "n_regionkey",
    ),
    TpchTable(
        "supplier",
        {
            "s_suppkey": "integer",
            "s_name": "char(25)",
            "s_address": "varchar(40)",
            "s_nationkey": "integer",
            "s_phone": "char(15)",
            "s_acctbal": _MONEY,
            "s_comment": "varchar(101)",
        },
        "s_suppkey",
        ("s_nationkey",),
        "s_acctbal",
    ),
    TpchTable(
        "customer",
        {
            "c_custkey": "integer",
            "c_name": "varchar(25)",
            "c_address": "varchar(40)",
            "c_nationkey": "integer",
            "c_phone": "char(15)",
            "c_acctbal": _MONEY,
            "c_mktsegment": "char(10)",
            "c_comment": "varchar(117)",
        },
        "c_custkey",
        ("c_nationkey",),
        "c_acctbal",
    ),
    TpchTable(
        "part",
        {
            "p_partkey": "integer",
            "p_name": "varchar(55)",
            "p_mfgr": "char(25)",
            "p_brand": "char(10)",
            "p_type": "varchar(25)",
            "p_size": "integer",
            "p_container": "char(10)",
            "p_retailprice": _MONEY,
            "p_comment": "varchar(23)",
        },
        "p_partkey",
        (),
        "p_retailprice",
    ),
    TpchTable(
        "partsupp",
        {
            "ps_partkey": "integer",
            "ps_suppkey": "integer",
            "ps_availqty": "integer",
            "ps_supplycost": _MONEY,
            "ps_comment": "varchar(199)",
        },
        "ps_partkey, ps_suppkey",
        ("ps_suppkey",),
        "ps_supplycost",
    ),
    TpchTable(
        "orders",
        {
            "o_orderkey": "bigint",  # sparse: six times as far as there are orders, beyond an integer at scale 358
            "o_custkey": "integer",
            "o_orderstatus": "char(1)",
            "o_totalprice": _MONEY,
            "o_orderdate": "date",
            "o_orderpriority": "char(15)",
            "o_clerk": "char(15)",
            "o_shippriority": "integer",
            "o_comment": "varchar(79)",
        },
        "o_orderkey",
        ("o_custkey", "o_orderdate"),
        "o_totalprice",
    ),
    TpchTable(
        "lineitem",
        {
            "l_orderkey": "bigint",
            "l_partkey": "integer",
            "l_suppkey": "integer",
            "l_linenumber": "integer",
            "l_quantity": _MONEY,
            "l_extendedprice": _MONEY,
            "l_discount": _MONEY,
            "l_tax": _MONEY,
            "l_returnflag": "char(1)",
            "l_linestatus": "char(1)",
            "l_shipdate": "date",
            "l_commitdate": "date",
            "l_receiptdate": "date",
            "l_shipinstruct": "char(25)",
            "l_shipmode": "char(10)",
            "l_comment": "varchar(44)",
        },
        "l_orderkey, l_linenumber",
        ("l_partkey, l_suppkey", "l_suppkey", "l_shipdate"),
        "l_extendedprice",
    ),
)
NAMES = tuple(table.name for table in TABLES)
OUR_TABLES = (*NAMES, MARKER)


def scale_text(scale: float) -> str:
    """Return a scale as people write it: `0.1`, `10`."""
    return f"{scale:.10g}"


def tpch_schema_name(scale: float) -> str:
    """Return the schema's name for a scale: `domtune_tpch_0_1`."""
    return f"domtune_tpch_{scale_text(scale).replace('.', '_')}"


def qualify_statement(statement: str, scale: float) -> str:
    """Return a statement with its `@` replaced by the schema of that scale."""
    return statement.replace("@.", tpch_schema_name(scale) + ".")
