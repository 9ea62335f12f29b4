"""What a database's folder provides: servers, the pool's own way into one, users; found by `registry`."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from scheduler.errors import LoadError

Row = Sequence[Any]
"""One row, its columns in the order of the query; what a number comes as is the driver's."""


class DatabaseServer(Protocol):
    """A database server on this computer: one that we bring, or one that somebody else runs."""

    @property
    def ours(self) -> bool:
        """True for one that we bring: started, restarted and stopped by us; somebody else's is left alone."""
        ...

    @property
    def notices(self) -> Sequence[str]:
        """What `start` had to do that a person should know, one sentence each."""
        ...

    @property
    def title(self) -> str:
        """What people call it: product and version, or where it listens."""
        ...

    @property
    def address(self) -> tuple[str, int]:
        """Where the relay reaches it: address and port, or the path of its socket and 0."""
        ...

    @property
    def pid(self) -> int:
        """Process id of the process that starts the others; 0 when it does not run."""
        ...

    @property
    def password(self) -> str:
        """Of its user, for `url`; empty where it is the user's own affair."""
        ...

    def start(self) -> None:
        """Start it, or find it. Raises HostBusy, HostNotUsable, SpecError."""
        ...

    def stop(self) -> None:
        """Stop it where it is ours; bounded, never raises, may be called twice."""
        ...

    def restart_cold(self) -> int:
        """Start one that is ours anew with nothing of its files in memory; return the bytes of them that stayed.

        What its start reads again is not among them. Raises HostBusy, HostNotUsable.
        """
        ...

    def failure_details(self) -> str:
        """Return what its log says of an end that nobody asked for; empty where there was none, or it is not ours."""
        ...

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL, without its password, by which it is reached at an address of the relay's."""
        ...


class WorkloadSession(Protocol):
    """A connection on which a workload prepares and checks its tables; each statement by itself, or in a transaction.

    Names of tables are `SCHEMA.TABLE`; a schema of PostgreSQL's is a database of MariaDB's. Values stand as `%s`.
    """

    @property
    def database(self) -> str:
        """Name of the kind of database (`scheduler/model/databases.py`): which dialect it speaks."""
        ...

    @property
    def params(self) -> Mapping[str, str]:
        """What it was connected with, the password among it: for a program that makes the tables itself."""
        ...

    def execute(self, statement: str, *values: object) -> int:
        """Run a statement; return the rows that it touched."""
        ...

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        ...

    def seen(self, query: str) -> list[Row] | None:
        """Return the rows of a query; None where its table, a column, or the right to read it lacks."""
        ...

    def load(self, table: str, columns: Sequence[str], chunks: Iterable[bytes], delimiter: str = ",") -> None:
        """Fill a table from CSV without quotes, one transaction: some thousand whole rows a chunk, LF behind each."""
        ...

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Run a block as one transaction; MariaDB commits by itself what changes a table's form."""
        ...

    def tables(self, schema: str) -> set[str]:
        """Return the names of all tables, views and the like in a schema; none when it is not there."""
        ...

    def may_create(self, schema: str) -> bool:
        """Return whether our user may make that schema, or tables in it."""
        ...

    def settle(self, tables: Sequence[str]) -> None:
        """Leave nothing for later to do: statistics, and where we may, all pages on the disk."""
        ...


class UserSession(Protocol):
    """One user's connection: each call is one explicit transaction at READ COMMITTED, in three round trips."""

    @property
    def errors(self) -> type[Exception]:
        """What `rows` and `change` raise."""
        ...

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query; return its rows."""
        ...

    def change(self, statement: bytes) -> int:
        """Run one statement; return the rows that it changed, once they are committed."""
        ...

    def read_keys_only(self) -> None:
        """Leave values but whole numbers in whatever form is cheapest: nobody looks at them."""
        ...

    def limit(self, limit_s: float) -> None:
        """Have the server end each statement of this user that takes longer."""
        ...

    def is_overrun(self, error: Exception) -> bool:
        """Return whether the server ended a statement at that limit; its transaction is rolled back then."""
        ...

    def repeats(self, error: Exception) -> bool:
        """Return whether the server asks to repeat the transaction, which is rolled back then."""
        ...

    def told(self, doing: str, error: Exception) -> LoadError:
        """Return our error for one of these."""
        ...

    def close(self) -> None:
        """Disconnect; never raises."""
        ...


class TransactionSession(Protocol):
    """One user's connection for transactions of several statements, at the isolation that was asked for.

    The first statement begins one, in its own round trip.
    """

    @property
    def errors(self) -> type[Exception]:
        """What the others raise."""
        ...

    def call(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a whole transaction; return its rows, once it is committed."""
        ...

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query of a transaction; return its rows."""
        ...

    def change(self, statement: bytes) -> int:
        """Run one statement of a transaction; return the rows that it changed."""
        ...

    def commit(self) -> None:
        """Commit."""
        ...

    def undo(self) -> None:
        """Roll back."""
        ...

    def repeats(self, error: Exception) -> bool:
        """Return whether the server asks to repeat the transaction, which is rolled back then."""
        ...

    def told(self, doing: str, error: Exception) -> LoadError:
        """Return our error for one of these."""
        ...

    def close(self) -> None:
        """Disconnect; never raises."""
        ...


class DatabaseAccess(Protocol):
    """The pool's own way into one database: connected when first used, holding the right to use our tables there."""

    @property
    def params(self) -> Mapping[str, str]:
        """What a user's process connects with, the password among it."""
        ...

    @property
    def name(self) -> str:
        """Name of the kind of database (`scheduler/model/databases.py`)."""
        ...

    def session(self) -> WorkloadSession:
        """Return a live session; raises DatabaseUnreachable."""
        ...

    def lock(self, number: int) -> None:
        """Keep other sweeps away from our tables of that size; raises DatabaseUnsuitable."""
        ...

    def versions(self) -> dict[str, str]:
        """Return versions and settings that matter; refuses what cannot be used. Raises DatabaseUnsuitable."""
        ...

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Turn the driver's errors inside the block into ours, with what was being done for the message."""
        ...

    def close(self) -> None:
        """Disconnect; never raises."""
        ...
