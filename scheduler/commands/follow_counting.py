"""What counts the transactions of a database that is named to `domtune follow`."""

from collections.abc import Generator
from contextlib import closing, contextmanager

from scheduler.commands.simulation import counted_by
from scheduler.errors import LoadError
from scheduler.hosts.base import Host
from scheduler.loads.commits import Commits
from scheduler.loads.statements import Statements
from scheduler.model.databases import DATABASES
from scheduler.run.committed import Committed
from scheduler.run.counting import BoundedCount


@contextmanager
def counting(database: str, host: Host, account_pct: int) -> Generator[tuple[Committed | None, str]]:
    """Yield what counts, and why nothing does where a database that was named cannot be counted.

    Raises:
        LoadError: It cannot, and turns are to be compared by it.
        SpecError: Its URL cannot be read.
    """
    if not database:
        yield counted_by(host), ""
        return
    counter = Statements if database.partition("://")[0] in DATABASES["mariadb"].schemes else Commits
    try:
        opened = counter(database)
    except LoadError as error:
        if account_pct:
            raise
        yield None, f"Nothing is counted: {error}."
        return
    with closing(opened) as counted, closing(BoundedCount(counted)) as bounded:
        yield bounded, ""
