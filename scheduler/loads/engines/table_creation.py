"""Waiting for a program that creates tables, with checks of database and abort."""

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
    """Wait for the end of a program that creates tables, with any exit status.

    Args:
        making: The program.
        session: Session on the same database. It is queried every 20 s, because the program may wait for a dead
            server.
        hear: Called with each line of output.

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
