"""The users of the load `tpcb`: one pgbench."""

from collections.abc import Mapping

from scheduler.loads.engines.engine import Engine
from scheduler.loads.orders import Begin
from scheduler.loads.tpcb import program


def open_engine(begin: Begin, users: int) -> Engine:
    """Return the users of one load, nothing started yet."""
    return Engine(program.PgbenchScript(begin, users))


def versions() -> Mapping[str, str]:
    """Return the version of pgbench; raises LoadError."""
    return program.versions()
