"""A database that is really used: OSDB's IR by our own users, as in a sweep, without one."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from scheduler.loads.pool import Pool, open_pool
from scheduler.model.spec import LoadSpec
from tests.contract.postgres_fixture import facts_of, spec_of

KIND = "osdb-ir"
TUPLES = 2_000
_LISTENS_S = 0.5


@contextlib.contextmanager
def busy(url: str, password: str = "", users: int = 5, cpus: Sequence[int] = ()) -> Iterator[None]:
    """Keep a database busy; at the end operations were done, and none of the users has died."""
    load = LoadSpec(KIND, users=users, tuples=TUPLES, database=url)
    pool = open_pool(spec_of(load), facts_of(cpus), url, {url: password} if password else {})
    ended = threading.Event()
    try:
        pool.preflight()
        pool.prepare(KIND)
        pool.start(KIND)
        with ThreadPoolExecutor(1) as listening:
            done = listening.submit(_count, pool, ended)
            try:
                yield
            finally:
                ended.set()
            assert done.result(60) > 0, "nobody did anything"
    finally:
        pool.close()


def _count(pool: Pool, ended: threading.Event) -> int:
    """Take what the users say: one whose words nobody takes waits. Return how many operations they did."""
    count = 0
    while not ended.wait(_LISTENS_S):
        count += sum(second.count for second in pool.poll())
    return count
