"""What differs from database to database: how the table is made, and how its texts are summed up."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.loads.ownership_marker import CREATE_MARKED_SCHEMA
from scheduler.loads.synthetic.numbered_table import TABLE_NAME, TEXT_BYTES, NumberedTable


class SyntheticDialect(msgspec.Struct, frozen=True, kw_only=True):
    """The words that differ; `@.` stands for the schema.

    Attributes:
        begin: Make the `{schema}` and the marker that says whose it is, where they are not there.
        form: What stands behind the columns of a table.
        digest: The first 32 bits of the SHA-256 of a text, as a number: MySQL 9 has no md5().
        settings: What of the server's settings decides whether the rows are in memory.
    """

    begin: tuple[str, ...]
    form: str = ""
    digest: str
    settings: tuple[str, ...]

    def create(self, table: NumberedTable) -> str:
        """Return the statement that makes the table, without its rows."""
        text = f", payload varchar({TEXT_BYTES}) NOT NULL" if table.texts else ""
        return f"CREATE TABLE @.{TABLE_NAME} (number integer PRIMARY KEY{text}){self.form}"

    def held(self, table: NumberedTable) -> str:
        """Return the query for what the table holds."""
        digests = f"coalesce(sum({self.digest}), 0)" if table.texts else "0"
        return f"SELECT count(*), coalesce(sum(number), 0), {digests} FROM @.{TABLE_NAME}"


_TEXT = "CHARACTER SET latin1 COLLATE latin1_bin"
_DIALECTS: Mapping[str, SyntheticDialect] = {
    "postgresql": SyntheticDialect(
        begin=CREATE_MARKED_SCHEMA["postgresql"],
        digest="('x' || substr(encode(sha256(payload::bytea), 'hex'), 1, 8))::bit(32)::bigint",
        settings=("shared_buffers",),
    ),
    "mariadb": SyntheticDialect(
        begin=CREATE_MARKED_SCHEMA["mariadb"],
        form=f" {_TEXT} ENGINE=InnoDB",
        digest="CAST(conv(substr(sha2(payload, 256), 1, 8), 16, 10) AS UNSIGNED)",
        settings=("innodb_buffer_pool_size",),
    ),
}


def synthetic_dialect(database: str) -> SyntheticDialect:
    """Return the dialect of a kind of database; raises SpecError where these loads do not run on it."""
    if database not in _DIALECTS:
        raise SpecError("load.database", f"bulk and compute do not run on {database}", hint="Take another database.")
    return _DIALECTS[database]
