"""Session of a workload on PostgreSQL."""

import contextlib
import io
import logging
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import psycopg2

from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.copy_stream import copy_in
from scheduler.databases.protocols import Row

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

log = logging.getLogger(__name__)

_NOT_SEEN = (psycopg2.errors.UndefinedColumn, psycopg2.errors.UndefinedTable, psycopg2.errors.InsufficientPrivilege)


class PostgresqlSession:
    """Session of a workload on one PostgreSQL connection.

    Args:
        connection: Connection in autocommit.
        params: Parameters of the connection.
    """

    database = "postgresql"

    def __init__(self, connection: pg_client.Connection, params: Mapping[str, str]) -> None:
        self._connection = connection
        self.params = params

    def execute(self, statement: str, *values: object) -> int:
        """Run a statement; return the number of rows affected."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            return cursor.rowcount

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        with self._connection.cursor() as cursor:
            cursor.execute(query, values or None)
            return list(cursor.fetchall())

    def seen(self, query: str) -> list[Row] | None:
        """Return the rows of a query; None without the table, a column or the right."""
        try:
            return self.rows(query)
        except _NOT_SEEN:
            return None

    def load(self, table: str, columns: Sequence[str], chunks: Iterable[bytes], delimiter: str = ",") -> None:
        """Fill a table by COPY in one transaction."""
        command = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT csv, DELIMITER '{delimiter}')"
        with pg_client.run_transaction(self._connection) as cursor:
            copy_in(cursor, command, io.BufferedReader(ChunkReader(iter(chunks)), 1 << 18))

    @contextlib.contextmanager
    def transaction(self) -> Generator[None, None, None]:
        """Run a `with` block as one transaction, including changes of a table's structure."""
        with pg_client.run_transaction(self._connection):
            yield

    def tables(self, schema: str) -> set[str]:
        """Return the names of all tables and views in a schema."""
        # pg_class instead of information_schema, which hides tables without rights.
        query = (
            "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE nspname = %s AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')"
        )
        return {str(row[0]) for row in self.rows(query, schema)}

    def may_create(self, schema: str) -> bool:
        """Return True when this user may create the schema, or tables in it."""
        query = (
            "SELECT CASE WHEN to_regnamespace(%s) IS NULL THEN has_database_privilege(current_database(), 'CREATE')"
            " ELSE has_schema_privilege(%s, 'CREATE') END"
        )
        return bool(self.rows(query, schema, schema)[0][0])

    def settle(self, tables: Sequence[str]) -> None:
        """Run VACUUM ANALYZE, and a checkpoint where allowed."""
        self.execute(f"VACUUM (ANALYZE, FREEZE) {', '.join(tables)}")
        try:
            self.execute("CHECKPOINT")
        except psycopg2.errors.InsufficientPrivilege:
            log.info("no right to CHECKPOINT here; the server will make one when it likes")


class ChunkReader(io.RawIOBase):
    """A file that reads from an iterator of bytes, without a large buffer."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "Buffer", /) -> int:
        """Fill `buffer` from the current chunk; 0 at the end."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        with memoryview(buffer) as target:
            size = min(len(target), len(self._rest))
            target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
