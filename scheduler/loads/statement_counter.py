"""How many statements a user's own MariaDB or MySQL has answered: one look at a counter, and nothing else.

`Questions` and not `Com_commit`: statements that commit by themselves are not counted there (MariaDB's manual, Server
Status Variables). It counts all databases of the server.
"""

from scheduler.databases.abortable import BRIEF_S, COUNTED_S, DriverCalls
from scheduler.databases.mariadb.client import Client, connect, describe_place, parse_parameters, translate_errors
from scheduler.databases.mariadb.database import find_pooler
from scheduler.databases.mariadb.option_file import own_password
from scheduler.errors import LoadError
from scheduler.model.commit_counter import CommitCount
from scheduler.model.number_parsing import parse_whole_number

_COUNTER = "SHOW GLOBAL STATUS LIKE 'Questions'"


class StatementCounter:
    """One connection to the server that is counted; when it breaks, the next look connects again.

    Args:
        url: A `mariadb://` or `mysql://` URL that the person has named, without a password: that is looked for in
            MYSQL_PWD or ~/.my.cnf.

    Raises:
        SpecError: It is no such URL, or holds a password.
        DatabaseUnreachable: No connection.
        DatabaseUnsuitable: A pooler without sessions is there.
    """

    def __init__(self, url: str) -> None:
        self._params = parse_parameters(url, own_password())
        self._where = describe_place(self._params)
        self._patience: DriverCalls | None = None
        self._connection: Client | None = None
        self._ours = 0
        self._connect_within(BRIEF_S)

    def look(self) -> CommitCount:
        """Return the statements of others since the server's start.

        Raises:
            LoadError: The count is not known now. The connection is closed; the next look makes another one.
        """
        if self._connection is None:
            self._connect_within(COUNTED_S)
        doing = f"counting the statements of {self._where}"
        try:
            with translate_errors(doing):
                count = self._ask_count()
        except BaseException:
            self.close()
            raise
        if count is None:
            raise LoadError(f"{doing}: the server told of no such counter")
        self._ours += 1  # it counts itself already
        return CommitCount(count - self._ours)

    def close(self) -> None:
        """Let go; never raises, may be called twice."""
        patience, connection = self._patience, self._connection
        self._patience = self._connection = None
        if patience is not None and connection is not None:
            patience.close(connection.close)

    def _connect_within(self, limit_s: float) -> None:
        """Connect within a time limit, and refuse a pooler without sessions; nothing is set in the session."""
        patience = self._patience = DriverCalls(self._params)
        connection = self._connection = patience.call(lambda: connect(self._params, setup=()), limit_s)
        try:
            patience.call(lambda: find_pooler(connection, self._params), COUNTED_S)
        except BaseException:
            self.close()
            raise

    def _ask_count(self) -> int | None:
        patience, connection = self._patience, self._connection
        if patience is None or connection is None:
            return None

        def ask() -> int | None:
            with connection.cursor() as cursor:
                cursor.execute(_COUNTER)
                row = cursor.fetchone()
            return parse_whole_number(str(row[1])) if row is not None and len(row) > 1 else None

        return patience.call(ask, COUNTED_S)
