"""How many transactions a user's own PostgreSQL has committed: one read-only statement per look, and nothing else.

PostgreSQL's manual, The Cumulative Statistics System: sessions report their counters up to a second late (up to ten
from version 15 on while they are busy), long transactions at their end. Minutes are a measurement, seconds are none.
"""

from scheduler.databases.abortable import COUNTED_S, Patience
from scheduler.databases.postgresql import pg
from scheduler.databases.postgresql.passfile import own_password
from scheduler.errors import DatabaseUnsuitable
from scheduler.model.counted import Count

_STATEMENT_MS = 2_000
_APPLICATION = "domtune watch"
_OPTIONS = f"-c statement_timeout={_STATEMENT_MS} -c default_transaction_read_only=on"
_COUNTER = "SELECT xact_commit, {active} FROM pg_stat_database WHERE datname = current_database()"
_TOLD_SINCE = 140_000  # server_version_num; earlier ones do not count the time in statements


class Commits:
    """One connection to the database that is counted.

    Args:
        url: A `postgresql://` URL that the person has named, without a password: that is looked for in PGPASSWORD or
            ~/.pgpass.

    Raises:
        SpecError: It is no such URL, or holds a password.
        DatabaseUnreachable: No connection.
        DatabaseUnsuitable: It counts nothing (`track_counts` is off).
    """

    def __init__(self, url: str) -> None:
        params = pg.parameters(url, own_password(url))
        self._where = pg.place(params)
        self._doing = f"counting the transactions of {self._where}"
        self._patience = Patience(params.get("port", "5432"))
        self._connection = self._patience.call(lambda: pg.connect({**params, "options": _OPTIONS}, _APPLICATION))
        self._connection.autocommit = True
        self._ours = 0
        tells = self._connection.server_version >= _TOLD_SINCE
        self._counter = _COUNTER.format(active="active_time" if tells else "NULL")
        try:
            self._refuse_uncounted()
        except BaseException:
            self.close()
            raise

    def look(self) -> Count:
        """Return the transactions committed by others since the statistics began; raises LoadError.

        The time in statements holds that of our own, under a millisecond in ten seconds.
        """
        with pg.translated(self._doing):
            commits, active_ms = self._ask(self._counter)
            found = int(str(commits)), None if active_ms is None else float(str(active_ms)) / 1e3
        before, self._ours = self._ours, self._ours + 1
        return Count(found[0] - before, found[1])

    def close(self) -> None:
        """Let go; never raises."""
        self._patience.close(self._connection.close)

    def _refuse_uncounted(self) -> None:
        with pg.translated(self._doing):
            (counts,) = self._ask("SELECT current_setting('track_counts')")
        self._ours += 1
        if counts != "on":
            raise DatabaseUnsuitable(
                f"{self._where} counts nothing: track_counts is {counts}",
                hint="Turn it on, or leave --database out: the split is named without it.",
            )

    def _ask(self, statement: str) -> tuple[object, ...]:
        return self._patience.call(lambda: pg.one(self._connection, statement), COUNTED_S)
