"""Engine of the load sysbench: one sysbench process for all users."""

from collections.abc import Mapping

from scheduler.loads.engines.program_engine import ProgramEngine
from scheduler.loads.sysbench import sysbench_program
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec


def open_engine(begin: BeginOrder, users: int) -> ProgramEngine:
    """Return the engine for the users of one load, not started yet.

    Args:
        begin: Parameters of the load and its connection.
        users: Number of users, >= 1.
    """
    return ProgramEngine(sysbench_program.SysbenchScript(begin, users))


def versions(load: LoadSpec) -> Mapping[str, str]:
    """Return the version of sysbench.

    Raises:
        LoadError: sysbench is missing or too old.
    """
    del load
    return sysbench_program.sysbench_versions()


def sentences(load: LoadSpec) -> tuple[str, ...]:
    """Return nothing, because the database side has all sentences."""
    del load
    return ()
