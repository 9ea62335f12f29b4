"""Protocols of a database's folder: servers, access of the user pool, users.

`database_registry` finds the implementation for a kind of database.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from scheduler.errors import LoadError

Row = Sequence[Any]
"""One row, with its columns in the order of the query.

The driver decides the type of numbers.
"""


class DatabaseServer(Protocol):
    """A built-in or external database server on this computer."""

    @property
    def ours(self) -> bool:
        """True for a built-in server, which DomTune starts and stops.

        An external server is never started or stopped.
        """
        ...

    @property
    def notices(self) -> Sequence[str]:
        """Actions of `start` that users should know, one sentence each."""
        ...

    @property
    def title(self) -> str:
        """Name of the server for people: product and version, or address."""
        ...

    @property
    def address(self) -> tuple[str, int]:
        """Address for the relay: host and port, or the path of the socket and 0."""
        ...

    @property
    def pid(self) -> int:
        """Process id of the parent of the server's processes; 0 when not running."""
        ...

    @property
    def password(self) -> str:
        """Password of the user in `url`; empty for an external server."""
        ...

    def start(self) -> None:
        """Start or find the server; raise HostBusy, HostNotUsable, SpecError."""
        ...

    def stop(self) -> None:
        """Stop a built-in server in bounded time; never raise, may be called twice."""
        ...

    def restart_cold(self) -> int:
        """Restart a built-in server with none of its files in the page cache.

        Returns:
            Bytes of files that stayed in the page cache, without the pages that the start reads again.

        Raises:
            HostBusy, HostNotUsable: The server does not start, or its files cannot be read.
        """
        ...

    def failure_details(self) -> str:
        """Return the end of a built-in server's log after an unexpected end; else empty."""
        ...

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL, without a password, for an address of the relay."""
        ...


class WorkloadSession(Protocol):
    """A connection on which a workload prepares and checks its tables.

    Each statement runs by itself or in a transaction. Names of tables are `SCHEMA.TABLE`; a schema of PostgreSQL
    corresponds to a database of MariaDB. Placeholders for values are `%s`.
    """

    @property
    def database(self) -> str:
        """Name of the kind of database, which decides the dialect.

        `scheduler/model/databases.py` declares the names.
        """
        ...

    @property
    def params(self) -> Mapping[str, str]:
        """Parameters of the connection, including the password.

        A program that creates the tables itself needs them.
        """
        ...

    def execute(self, statement: str, *values: object) -> int:
        """Run a statement; return the number of rows affected."""
        ...

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        ...

    def seen(self, query: str) -> list[Row] | None:
        """Return the rows of a query; None without the table, a column or the right."""
        ...

    def load(self, table: str, columns: Sequence[str], chunks: Iterable[bytes], delimiter: str = ",") -> None:
        """Fill a table from CSV without quotes in one transaction.

        Args:
            table: Name of the table.
            columns: Names of the columns in the CSV.
            chunks: Pieces of some thousand whole rows, each row with a line feed at its end.
            delimiter: Delimiter of the CSV.
        """
        ...

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Run a `with` block as one transaction.

        MariaDB commits implicitly when a table's structure changes.
        """
        ...

    def tables(self, schema: str) -> set[str]:
        """Return the names of all tables and views in a schema; none without the schema."""
        ...

    def may_create(self, schema: str) -> bool:
        """Return True when this user may create the schema, or tables in it."""
        ...

    def settle(self, tables: Sequence[str]) -> None:
        """Complete all deferred work on the tables.

        The work consists of statistics and, where allowed, of writing all pages to disk.
        """
        ...


class UserSession(Protocol):
    """One user's connection, whose calls are single transactions at READ COMMITTED.

    Each transaction takes three round trips.
    """

    @property
    def errors(self) -> type[Exception]:
        """Class of the errors of `rows` and `change`."""
        ...

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query; return its rows."""
        ...

    def change(self, statement: bytes) -> int:
        """Run one statement; return the number of rows changed, after the commit."""
        ...

    def read_keys_only(self) -> None:
        """Skip the conversion of all values but whole numbers: loads do not read them."""
        ...

    def limit(self, limit_s: float) -> None:
        """Make the server end each statement of this user after a time limit, seconds."""
        ...

    def is_overrun(self, error: Exception) -> bool:
        """Return True when the server ended a statement at the limit; roll back."""
        ...

    def repeats(self, error: Exception) -> bool:
        """Return True when the server asks to repeat the transaction; roll back."""
        ...

    def told(self, doing: str, error: Exception) -> LoadError:
        """Return DomTune's error for an error of the driver.

        Args:
            doing: The activity, for the message.
            error: Error of the driver.
        """
        ...

    def close(self) -> None:
        """Disconnect; never raise."""
        ...


class TransactionSession(Protocol):
    """One user's connection for transactions of several statements.

    The isolation level was set on connecting. The first statement begins a transaction in a round trip of its own.
    """

    @property
    def errors(self) -> type[Exception]:
        """Class of the errors of all other methods."""
        ...

    def call(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a whole transaction; return its rows after the commit."""
        ...

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query of a transaction; return its rows."""
        ...

    def change(self, statement: bytes) -> int:
        """Run one statement of a transaction; return the number of rows changed."""
        ...

    def commit(self) -> None:
        """Commit the transaction."""
        ...

    def undo(self) -> None:
        """Roll the transaction back."""
        ...

    def repeats(self, error: Exception) -> bool:
        """Return True when the server asks to repeat the transaction; roll back."""
        ...

    def told(self, doing: str, error: Exception) -> LoadError:
        """Return DomTune's error for an error of the driver.

        Args:
            doing: The activity, for the message.
            error: Error of the driver.
        """
        ...

    def close(self) -> None:
        """Disconnect; never raise."""
        ...


class DatabaseAccess(Protocol):
    """Access of the user pool to one database, with the lock on DomTune's tables.

    Connects on first use.
    """

    @property
    def params(self) -> Mapping[str, str]:
        """Parameters of a user's connection, including the password."""
        ...

    @property
    def name(self) -> str:
        """Name of the kind of database (`scheduler/model/databases.py`)."""
        ...

    def session(self) -> WorkloadSession:
        """Return a live session; raise DatabaseUnreachable."""
        ...

    def lock(self, number: int) -> None:
        """Lock DomTune's tables of a size against other sweeps; raise DatabaseUnsuitable."""
        ...

    def versions(self) -> dict[str, str]:
        """Return relevant versions and settings; raise DatabaseUnsuitable.

        The error names an unusable version or setting.
        """
        ...

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Translate the driver's errors in a `with` block; `doing` appears in the message."""
        ...

    def close(self) -> None:
        """Disconnect; never raise."""
        ...
