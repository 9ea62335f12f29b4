"""Session of a workload on MariaDB or MySQL."""

import contextlib
import logging
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

import pymysql

from scheduler.databases.mariadb.client import Client
from scheduler.databases.mariadb.mariadb_errors import NO_RIGHT, NOT_SEEN, number_and_text
from scheduler.databases.protocols import Row
from scheduler.translation import _

log = logging.getLogger(__name__)

_ROWS_PER_INSERT = 1000
_UNFIT = (b"'", b'"', b"\\")  # would end a text in a statement, or be doubled in CSV


class MariadbSession:
    """Session of a workload on one MariaDB or MySQL connection.

    Args:
        connection: Connection in autocommit, after the first statements.
        params: Parameters of the connection.
    """

    database = "mariadb"

    def __init__(self, connection: Client, params: Mapping[str, str]) -> None:
        self._connection = connection
        self.params = params

    def execute(self, statement: str, *values: object) -> int:
        """Run a statement; return the number of rows affected."""
        with self._connection.cursor() as cursor:
            return cursor.execute(statement, values or None)

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        with self._connection.cursor() as cursor:
            cursor.execute(query, values or None)
            return list(cursor.fetchall())

    def seen(self, query: str) -> list[Row] | None:
        """Return the rows of a query; None without the table, a column or the right."""
        try:
            return self.rows(query)
        except pymysql.MySQLError as error:
            if number_and_text(error)[0] not in NOT_SEEN:
                raise
            return None

    def load(self, table: str, columns: Sequence[str], chunks: Iterable[bytes], delimiter: str = ",") -> None:
        """Fill a table by long INSERTs in one transaction.

        LOAD DATA LOCAL is not used: a client that allows it sends any file that the server names, and bad rows are only
        warnings.
        """
        head = " ".join(("INSERT INTO", table, f"({', '.join(columns)})", "VALUES ")).encode("ascii")
        with self.transaction():
            for values in _format_values(chunks, delimiter.encode("ascii")):
                self._connection.query(head + values)  # type: ignore[arg-type] # bytes are sent unchanged

    @contextlib.contextmanager
    def transaction(self) -> Generator[None, None, None]:
        """Run a `with` block as one transaction.

        A change of a table's structure commits implicitly.
        """
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            with contextlib.suppress(pymysql.MySQLError):  # the connection may be gone
                self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def tables(self, schema: str) -> set[str]:
        """Return the names of all tables and views in a schema."""
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
        return {str(row[0]) for row in self.rows(query, schema)}

    def may_create(self, schema: str) -> bool:
        """Return True when this user may create the schema, also by a role.

        A user who sees other users' rights here has more than this right.
        """
        query = (
            "SELECT (SELECT count(*) FROM information_schema.user_privileges WHERE privilege_type = 'CREATE')"
            " + (SELECT count(*) FROM information_schema.schema_privileges"
            " WHERE privilege_type = 'CREATE' AND %s LIKE table_schema)"
        )
        return bool(self.rows(query, schema)[0][0])

    def settle(self, tables: Sequence[str]) -> None:
        """Run ANALYZE, and write all pages to disk where allowed."""
        names = ", ".join(tables)
        self.rows(f"ANALYZE TABLE {names}")
        try:
            self.execute(f"FLUSH TABLES {names} FOR EXPORT")
            self.execute("UNLOCK TABLES")
        except pymysql.MySQLError as error:
            if number_and_text(error)[0] not in {*NO_RIGHT, 1031}:  # 1031: another engine, without such pages
                raise
            log.info("the pages of %s cannot be written at once; the server will do so when it likes", names)


def _format_values(chunks: Iterable[bytes], delimiter: bytes) -> Iterator[bytes]:
    """Yield lists of values from rows of CSV; raise ValueError for quoted values."""
    for chunk in chunks:
        if any(sign in chunk for sign in _UNFIT):
            raise ValueError(_("the rows hold quotes or backslashes"))
        lines = chunk.splitlines()
        for start in range(0, len(lines), _ROWS_PER_INSERT):
            text = b"'),('".join(line.replace(delimiter, b"','") for line in lines[start : start + _ROWS_PER_INSERT])
            yield (b"('" + text + b"')").replace(b"''", b"NULL")  # as in CSV: nothing between commas
