"""The osdb loads' side of the database: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping

from scheduler.databases.postgresql import pg
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.orders import Totals
from scheduler.loads.osdb import checks, deviations, loading
from scheduler.model.facts import HostFacts
from scheduler.model.spec import LoadSpec, RunSpec


class OsdbWorkload:
    """One of the two osdb loads on one database.

    Attributes:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self.load = load
        self._before: checks.State | None = None

    def preflight(self, connection: pg.Connection) -> None:
        loading.refuse_foreign(connection, self.load.tuples)

    def prepare(self, connection: pg.Connection) -> None:
        tuples = self.load.tuples
        if not self._usable(connection):
            from importlib.metadata import version  # not for each user's process: it starts in a hurry

            loading.load(connection, tuples, version("domtune"))
            flaws = checks.after_load(connection, tuples)
            if flaws:
                raise LoadError(f"the data just loaded are not right: {'; '.join(flaws[:3])}")
            loading.mark_complete(connection, tuples)
        loading.restore(connection, tuples)
        self._before = checks.state(connection, tuples)
        if self._before != checks.loaded_state(tuples):
            raise LoadError(f"updates was restored, but holds {self._before}", hint="Does another program write to it?")

    def check(self, connection: pg.Connection, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self.load.kind} was checked before it was prepared")
        after = checks.state(connection, self.load.tuples)
        return checks.after_users(self.load.kind, self._before, after, totals)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.common(self.load, spec, facts, versions)

    def _usable(self, connection: pg.Connection) -> bool:
        """Return True when earlier data may be used again: complete, ours, and their copy unharmed."""
        tuples = self.load.tuples
        if not loading.is_loaded(connection, tuples):
            return False
        return checks.state(connection, tuples, "updates_backup") == checks.loaded_state(tuples)


def open_workload(load: LoadSpec) -> OsdbWorkload:
    """Return the database side of one load."""
    return OsdbWorkload(load)
