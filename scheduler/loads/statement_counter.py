"""Counter of the statements of the user's MariaDB or MySQL.

The counter is `Questions`, because `Com_commit` excludes statements that commit by themselves (MariaDB's manual, Server
Status Variables). `Questions` covers all databases of the server.
"""

from scheduler.databases.abortable import BRIEF_S, COUNTED_S, DriverCalls
from scheduler.databases.mariadb.client import Client, connect, describe_place, parse_parameters, translate_errors
from scheduler.databases.mariadb.database import find_pooler
from scheduler.databases.mariadb.option_file import own_password
from scheduler.errors import LoadError
from scheduler.model.commit_counter import CommitCount
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _

_COUNTER = "SHOW GLOBAL STATUS LIKE 'Questions'"


class StatementCounter:
    """Connection to the counted server, which is opened again after an error.

    Args:
        url: A `mariadb://` or `mysql://` URL from the user, without a password; the password is read from MYSQL_PWD or
            ~/.my.cnf.

    Raises:
        SpecError: The URL is invalid or has a password.
        DatabaseUnreachable: The server cannot be connected.
        DatabaseUnsuitable: A pooler without sessions is used.
    """

    def __init__(self, url: str) -> None:
        self._params = parse_parameters(url, own_password())
        self._where = describe_place(self._params)
        self._patience: DriverCalls | None = None
        self._connection: Client | None = None
        self._ours = 0
        self._connect_within(BRIEF_S)

    def look(self) -> CommitCount:
        """Return the statements of others since the server started.

        Raises:
            LoadError: The count is not known now. The connection is closed; the next call connects again.
        """
        if self._connection is None:
            self._connect_within(COUNTED_S)
        doing = _("counting the statements of {where}").format(where=self._where)
        try:
            with translate_errors(doing):
                count = self._ask_count()
        except BaseException:
            self.close()
            raise
        if count is None:
            raise LoadError(_("{doing}: the server has no such counter").format(doing=doing))
        self._ours += 1  # the counter includes this statement already
        return CommitCount(count - self._ours)

    def close(self) -> None:
        """Close the connection; never raise. A second call does nothing."""
        patience, connection = self._patience, self._connection
        self._patience = self._connection = None
        if patience is not None and connection is not None:
            patience.close(connection.close)

    def _connect_within(self, limit_s: float) -> None:
        """Connect within a time limit, and refuse a pooler without sessions.

        The session keeps the server's settings.
        """
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
