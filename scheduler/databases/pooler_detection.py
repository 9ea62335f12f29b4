"""Detection of a connection pooler between DomTune and the database server.

A login announces the number of a server process. A pooler announces a number of its own, and another process serves the
statements (PostgreSQL, "Message Formats", BackendKeyData; MariaDB, "Connection", connection id). If the pooler may
change the process with each transaction, then locks and settings of a session stay on connections of others. DomTune's
sessions would not work there.
"""

import contextlib
from collections.abc import Callable

from scheduler.errors import DatabaseUnsuitable
from scheduler.model.databases import POOLER_IN_SESSION_MODE
from scheduler.translation import _

ProcessIdReader = Callable[[], int | None]
"""Returns the process id that serves a connection now; None if unknown."""


def find_pooler(
    announced: int | None,
    first: int | None,
    serving: ProcessIdReader,
    open_other: Callable[[], contextlib.AbstractContextManager[ProcessIdReader]],
    where: str,
    server: str,
) -> str:
    """Return `POOLER_IN_SESSION_MODE` where a pooler is in between; empty for none.

    Nothing is left on the server: two connections query their process, one of them within a transaction.

    Args:
        announced: Number of the server process that the login announced; None if unknown.
        first: Number of the process that served the connection's first statement; None if unknown.
        serving: Queries the number again on that connection.
        open_other: Opens a second connection with a transaction.
        where: `user@host:port/name` of the URL.
        server: Address of the server, as reported by the server; empty if unknown.

    Raises:
        DatabaseUnsuitable: The pooler does not keep a session.
    """
    if first is None or first == announced:
        return ""
    with open_other() as other:
        # In session mode the first connection keeps its process, which the second one then never uses.
        kept = other() != first and serving() == first
    if kept and serving() == first:
        return POOLER_IN_SESSION_MODE
    itself = _(" It listens at {server}.").format(server=server) if server else ""
    raise DatabaseUnsuitable(
        _(
            "a connection pooler (pgbouncer, ProxySQL or the like) in transaction mode is at "
            "{where}: locks and settings of a sweep would stay on its server connections, and "
            "the pooler would be measured"
        ).format(where=where),
        hint=_(
            "Name the server itself in the URL.{itself} Or name a database of the pooler with pool_mode = session."
        ).format(itself=itself),
    )
