"""A program that makes tables: waited for as long as it takes, while the database lives and nobody aborts."""

import time
from collections.abc import Callable

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.engines.program import ProgramLine, SupervisedProgram
from scheduler.waiting import check_abort

_NAP_S = 0.2
_LOOK_S = 20.0
_ALIVE = "SELECT 1"


def wait_for_tables(
    making: SupervisedProgram, session: WorkloadSession, hear: Callable[[ProgramLine], None] = lambda _: None
) -> None:
    """Wait for the program's end, whatever its status.

    Args:
        making: The program.
        session: On the same database. It is asked every 20 s, since the program itself may wait for a dead server.
        hear: Called with each line that it prints.

    Raises:
        DatabaseUnreachable: The database does not answer any more.
    """
    asked_s = time.monotonic()
    ended = False
    while not ended:
        check_abort()
        ended = making.wait(_NAP_S) is not None
        for line in making.lines():
            hear(line)
        if time.monotonic() - asked_s > _LOOK_S:
            session.rows(_ALIVE)
            asked_s = time.monotonic()
