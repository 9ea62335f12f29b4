"""The users of the load `tpcb`: one pgbench."""

from collections.abc import Mapping

from scheduler.loads.engines.engine import Engine
from scheduler.loads.orders import Begin
from scheduler.loads.tpcb import program
from scheduler.model.load import LoadSpec


def open_engine(begin: Begin, users: int) -> Engine:
    """Return the users of one load, nothing started yet."""
    return Engine(program.PgbenchScript(begin, users))


def versions(load: LoadSpec) -> Mapping[str, str]:
    """Return the version of pgbench; raises LoadError."""
    del load
    return program.versions()


def sentences(load: LoadSpec) -> tuple[str, ...]:
    """Return nothing: its tables' side says it all."""
    del load
    return ()
