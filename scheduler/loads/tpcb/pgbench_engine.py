"""Engine of the load tpcb: one pgbench process for all users."""

from collections.abc import Mapping

from scheduler.loads.engines.program_engine import ProgramEngine
from scheduler.loads.tpcb import pgbench_program
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec


def open_engine(begin: BeginOrder, users: int) -> ProgramEngine:
    """Return the engine for the users of one load, not started yet.

    Args:
        begin: Parameters of the load and its connection.
        users: Number of users, >= 1.
    """
    return ProgramEngine(pgbench_program.PgbenchScript(begin, users))


def versions(load: LoadSpec) -> Mapping[str, str]:
    """Return the version of pgbench.

    Raises:
        LoadError: pgbench is missing or too old.
    """
    del load
    return pgbench_program.pgbench_versions()


def sentences(load: LoadSpec) -> tuple[str, ...]:
    """Return nothing, because the database side has all sentences."""
    del load
    return ()
