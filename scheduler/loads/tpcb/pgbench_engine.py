"""The users of the load `tpcb`: one pgbench."""

from collections.abc import Mapping

from scheduler.loads.engines.program_engine import ProgramEngine
from scheduler.loads.tpcb import pgbench_program
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec


def open_engine(begin: BeginOrder, users: int) -> ProgramEngine:
    """Return the users of one load, nothing started yet."""
    return ProgramEngine(pgbench_program.PgbenchScript(begin, users))


def versions(load: LoadSpec) -> Mapping[str, str]:
    """Return the version of pgbench; raises LoadError."""
    del load
    return pgbench_program.pgbench_versions()


def sentences(load: LoadSpec) -> tuple[str, ...]:
    """Return nothing: its tables' side says it all."""
    del load
    return ()
