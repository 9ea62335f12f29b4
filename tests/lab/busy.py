"""A database that is really used: OSDB's IR by our own users, as in a sweep, without one."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import facts_of, spec_of
from tests.one_load import OneLoad, open_pool

KIND = "osdb-ir"
TUPLES = 2_000
_LISTENS_S = 0.5


@contextlib.contextmanager
def ready(
    url: str, password: str = "", users: int = 5, cpus: Sequence[int] = (), kind: str = KIND, tuples: int = TUPLES
) -> Iterator[Callable[[], None]]:
    """Fill a database's tables and connect the users; yield what lets them work.

    At the end operations were done, and no user has died.
    """
    load = LoadSpec(kind, users=users, tuples=tuples, database=url)
    pool = open_pool(spec_of(load), facts_of(cpus), url, {url: password} if password else {})
    ended = threading.Event()
    with contextlib.closing(pool), ThreadPoolExecutor(1) as listening:
        done: list[Future[int]] = []

        def start() -> None:
            pool.unpark()
            done.append(listening.submit(_count, pool, ended))

        pool.preflight()
        pool.prepare(kind)
        pool.start(kind)
        pool.park()
        try:
            yield start
        finally:
            ended.set()
        assert sum(each.result(60) for each in done) > 0, "nobody did anything"


@contextlib.contextmanager
def busy(url: str, password: str = "", users: int = 5, cpus: Sequence[int] = ()) -> Iterator[None]:
    """The same, started at once."""
    with ready(url, password, users, cpus) as start:
        start()
        yield


def _count(pool: OneLoad, ended: threading.Event) -> int:
    """Take what the users say: one whose words nobody takes waits. Return how many operations they did."""
    count = 0
    while not ended.wait(_LISTENS_S):
        count += sum(second.count for second in pool.poll())
    return count
