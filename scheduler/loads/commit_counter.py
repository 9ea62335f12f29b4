"""Counter of the transactions of the user's PostgreSQL, by one statement.

Sessions report their counters up to a second late, busy sessions from version 15 on up to ten. Long transactions report
at their end (PostgreSQL's manual, The Cumulative Statistics System). So use differences over minutes, not seconds.
"""

import contextlib
from collections.abc import Generator

from scheduler.databases.abortable import BRIEF_S, COUNTED_S, DriverCalls
from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.database import find_pooler
from scheduler.databases.postgresql.passfile import own_password
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable
from scheduler.model.commit_counter import CommitCount
from scheduler.translation import _

_STATEMENT_MS = 2_000
_APPLICATION = "domtune watch"
_OPTIONS = f"-c statement_timeout={_STATEMENT_MS} -c default_transaction_read_only=on"
_COUNTER = "SELECT xact_commit, {active} FROM pg_stat_database WHERE datname = current_database()"
_TOLD_SINCE = 140_000  # server_version_num; older servers do not count the time in statements


class CommitCounter:
    """Connection to the counted database, which is opened again after an error.

    Args:
        url: A `postgresql://` URL from the user, without a password; the password is read from PGPASSWORD or ~/.pgpass.

    Raises:
        SpecError: The URL is invalid or has a password.
        DatabaseUnreachable: The database cannot be connected.
        DatabaseUnsuitable: The database does not count (`track_counts` is off), or a pooler without sessions is used.
    """

    def __init__(self, url: str) -> None:
        self._params = {**pg_client.parse_parameters(url, own_password(url)), "options": _OPTIONS}
        self._where = pg_client.describe_place(self._params)
        self._doing = _("counting the transactions of {where}").format(where=self._where)
        self._ours = 0
        self._patience: DriverCalls | None = None
        self._connection: pg_client.Connection | None = None
        self._counter = ""
        self._connect_within(BRIEF_S)

    def look(self) -> CommitCount:
        """Return the transactions that others committed since the statistics began.

        The time in statements includes our own statement, less than a millisecond in ten seconds.

        Raises:
            LoadError: The count is not known now. The connection is closed; the next call connects again.
        """
        if self._connection is None:
            self._connect_within(COUNTED_S)
        with self._closed_on_error(), pg_client.translate_errors(self._doing):
            commits, active_ms = self._ask_row(self._counter)
            found = int(str(commits)), None if active_ms is None else float(str(active_ms)) / 1e3
        before, self._ours = self._ours, self._ours + 1
        return CommitCount(found[0] - before, found[1])

    def close(self) -> None:
        """Close the connection; never raise. A second call does nothing."""
        patience, connection = self._patience, self._connection
        self._patience = self._connection = None
        if patience is not None and connection is not None:
            patience.close(connection.close)

    def _connect_within(self, limit_s: float) -> None:
        """Connect within a time limit, and refuse a database that cannot be counted."""
        self._patience = DriverCalls(self._params)
        self._connection = self._patience.call(lambda: pg_client.connect(self._params, _APPLICATION), limit_s)
        self._connection.autocommit = True
        tells = self._connection.server_version >= _TOLD_SINCE
        self._counter = _COUNTER.format(active="active_time" if tells else "NULL")
        with self._closed_on_error():
            self._refuse_pooler(self._patience, self._connection)
            self._refuse_uncounted()

    @contextlib.contextmanager
    def _closed_on_error(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _refuse_pooler(self, patience: DriverCalls, connection: pg_client.Connection) -> None:
        """Refuse a pooler without sessions; a pooler with sessions does not matter here."""
        patience.call(lambda: find_pooler(connection, self._params), COUNTED_S)
        self._ours += 1

    def _refuse_uncounted(self) -> None:
        with pg_client.translate_errors(self._doing):
            (counts,) = self._ask_row("SELECT current_setting('track_counts')")
        self._ours += 1
        if counts != "on":
            raise DatabaseUnsuitable(
                _("{where} does not count commits: track_counts is {counts}").format(where=self._where, counts=counts),
                hint=_("Turn track_counts on, or omit --database: DomTune recommends a split without it, too."),
            )

    def _ask_row(self, statement: str) -> tuple[object, ...]:
        patience, connection = self._patience, self._connection
        if patience is None or connection is None:
            raise DatabaseUnreachable(_("{doing}: the connection broke").format(doing=self._doing))
        return patience.call(lambda: pg_client.fetch_one(connection, statement), COUNTED_S)
