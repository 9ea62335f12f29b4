"""Names and shapes of the tables; everything lies in a schema of its own, one per database size."""

SEED = 20020327
"""Seed of the data; users' keys follow the sweep's seed instead."""

FORMAT = "1"
"""Raised when data made by an older version must not be used again."""

RELATIONS = ("uniques", "hundred", "tenpct", "updates")
TINY, BACKUP, MARKER = "tiny", "updates_backup", "domtune_marker"
OUR_TABLES = (*RELATIONS, TINY, BACKUP, MARKER)

COLUMNS = ("key", "int", "signed", "float", "double", "decim", "date", "code", "name", "address")
"""Without their prefix `col_`: half of them are reserved words somewhere."""

TABLE = """
    CREATE TABLE @.{table} (
        col_key     integer          NOT NULL,
        col_int     integer          NOT NULL,
        col_signed  integer,
        col_float   real             NOT NULL,
        col_double  double precision NOT NULL,
        col_decim   numeric(18, 2)   NOT NULL,
        col_date    char(20)         NOT NULL,
        col_code    char(10)         NOT NULL,
        col_name    char(20)         NOT NULL,
        col_address varchar(80)      NOT NULL
    )"""

CREATE_TINY = "CREATE TABLE @.tiny (col_key integer NOT NULL)"
FILL_TINY = "INSERT INTO @.tiny VALUES (0)"
CREATE_MARKER = "CREATE TABLE @.domtune_marker (name text PRIMARY KEY, value text NOT NULL)"

# The set that OSDB's multi-user part finds after its single-user part (on PostgreSQL: key indexes clustered, codes
# hashed); hundred.signed stays without an index, as there.
INDEXES = (
    *(f"CREATE UNIQUE INDEX {relation}_key ON @.{relation} (col_key)" for relation in RELATIONS),
    "CREATE UNIQUE INDEX tenpct_key_code ON @.tenpct (col_key, col_code)",
    *(f"CREATE INDEX {relation}_code_h ON @.{relation} USING hash (col_code)" for relation in RELATIONS),
    "CREATE INDEX updates_int ON @.updates (col_int)",
)
CLUSTER = tuple(f"CLUSTER @.{relation} USING {relation}_key" for relation in RELATIONS)
MAKE_BACKUP = "CREATE TABLE @.updates_backup AS SELECT * FROM @.updates ORDER BY col_key"

ADD_FOREIGN_KEY = """
    ALTER TABLE @.hundred ADD CONSTRAINT hundred_signed_fk FOREIGN KEY (col_signed) REFERENCES @.updates (col_key)"""
DROP_FOREIGN_KEY = "ALTER TABLE @.hundred DROP CONSTRAINT IF EXISTS hundred_signed_fk"

# A referenced table cannot be truncated. CLUSTER, although the copy is in key order: the server extends a table by
# several pages at once and does not fill the last ones in order; and it builds compact indexes.
RESTORE = (
    DROP_FOREIGN_KEY,
    "TRUNCATE @.updates",
    "INSERT INTO @.updates SELECT * FROM @.updates_backup",
    "CLUSTER @.updates USING updates_key",
    ADD_FOREIGN_KEY,
)

SELECT_ONE = "SELECT col_key, col_code, col_date, col_signed, col_name FROM @.updates WHERE col_key = {key}"
UPDATE_ONE = "UPDATE @.updates SET col_signed = col_signed + 1 WHERE col_key = {key}"


def schema_of(tuples: int) -> str:
    """Return the schema's name for a database size."""
    return f"domtune_osdb_{tuples}"


def for_size(statement: str, tuples: int) -> str:
    """Return a statement with its `@` replaced by the schema of that size."""
    return statement.replace("@.", schema_of(tuples) + ".")


STATEMENTS = {"osdb-ir": SELECT_ONE, "osdb-oltp": UPDATE_ONE}


def statement_of(kind: str, tuples: int, key: str) -> str:
    """Return the one statement of an osdb load; `key` is what stands for the key (`%d`, `:key`)."""
    return for_size(STATEMENTS[kind].format(key=key), tuples)
