"""How many statements a user's own MariaDB or MySQL has answered: one look at a counter, and nothing else.

`Questions` and not `Com_commit`: statements that commit by themselves are not counted there (MariaDB's manual, Server
Status Variables). It counts all databases of the server.
"""

from scheduler.databases.abortable import COUNTED_S, Patience
from scheduler.databases.mariadb.client import connect, parameters, place, translated
from scheduler.databases.mariadb.option_file import own_password
from scheduler.errors import LoadError
from scheduler.model.counted import Count
from scheduler.model.numbers import whole

_COUNTER = "SHOW GLOBAL STATUS LIKE 'Questions'"


class Statements:
    """One connection to the server that is counted.

    Args:
        url: A `mariadb://` or `mysql://` URL that the person has named, without a password: that is looked for in
            MYSQL_PWD or ~/.my.cnf.

    Raises:
        SpecError: It is no such URL, or holds a password.
        DatabaseUnreachable: No connection.
    """

    def __init__(self, url: str) -> None:
        params = parameters(url, own_password())
        self._where = place(params)
        self._patience = Patience(params["port"])
        self._connection = self._patience.call(lambda: connect(params))
        self._ours = 0

    def look(self) -> Count:
        """Return the statements of others since the server's start; raises LoadError."""
        doing = f"counting the statements of {self._where}"
        with translated(doing):
            count = self._patience.call(self._ask, COUNTED_S)
        if count is None:
            raise LoadError(f"{doing}: the server told of no such counter")
        self._ours += 1  # it counts itself already
        return Count(count - self._ours)

    def close(self) -> None:
        """Let go; never raises."""
        self._patience.close(self._connection.close)

    def _ask(self) -> int | None:
        with self._connection.cursor() as cursor:
            cursor.execute(_COUNTER)
            row = cursor.fetchone()
        return whole(str(row[1])) if row is not None and len(row) > 1 else None
