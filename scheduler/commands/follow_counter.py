"""What counts the transactions of a database that is named to `domtune follow`."""

from collections.abc import Generator
from contextlib import closing, contextmanager

from scheduler.commands.simulation import simulated_counter
from scheduler.errors import LoadError
from scheduler.hosts.protocols import Host
from scheduler.loads.commit_counter import CommitCounter
from scheduler.loads.statement_counter import StatementCounter
from scheduler.model.databases import DATABASES
from scheduler.run.bounded_counter import BoundedCounter
from scheduler.run.commit_counter import CountsCommits


@contextmanager
def open_counter(database: str, host: Host, account_pct: int) -> Generator[tuple[CountsCommits | None, str]]:
    """Yield what counts, and why nothing does where a database that was named cannot be counted.

    Raises:
        LoadError: It cannot, and turns are to be compared by it.
        SpecError: Its URL cannot be read.
    """
    if not database:
        yield simulated_counter(host), ""
        return
    counter = StatementCounter if database.partition("://")[0] in DATABASES["mariadb"].schemes else CommitCounter
    try:
        opened = counter(database)
    except LoadError as error:
        if account_pct:
            raise
        yield None, f"Nothing is counted: {error}."
        return
    with closing(opened) as counted, closing(BoundedCounter(counted)) as bounded:
        yield bounded, ""
