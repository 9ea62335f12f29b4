"""The table's side of both loads: loaded once; afterwards it must hold what it held, and all answers must be right."""

from collections.abc import Mapping

from scheduler.databases.base import Session
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.opposites import deviations, loading
from scheduler.loads.opposites.dialects import dialect_of
from scheduler.loads.opposites.tables import NAME, Held, table_of
from scheduler.loads.orders import Totals
from scheduler.model.facts import HostFacts
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec


class OppositesWorkload:
    """The table of one load.

    Args:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self._load = load
        self._table = table_of(load.kind, load.values)
        self._before: Held | None = None

    def preflight(self, session: Session) -> None:
        dialect_of(session.database)
        loading.refuse_foreign(session, self._table)

    def prepare(self, session: Session) -> None:
        if not loading.is_loaded(session, self._table):
            loading.load(session, self._table)
        self._before = self._table.held()

    def fingerprint(self, session: Session) -> Mapping[str, str]:
        return {NAME: str(loading.held(session, self._table))}

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self._load.kind} was checked before it was prepared")
        return after_users(self._before, loading.held(session, self._table), totals)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, self._table, facts, versions)


def after_users(before: Held, after: Held, totals: Totals) -> LoadCheck:
    """Compare what the users say with the answers that are known, and the table with what it held.

    Args:
        before: The table when they started.
        after: The table when they had stopped.
        totals: All users together, warm-up and tail included.
    """
    flaws = [
        f"{totals.misses} operations had another answer than the right one" if totals.misses else "",
        f"the table held {before}, now {after} (rows:numbers:digests)" if after != before else "",
    ]
    return LoadCheck(not any(flaws), "; ".join([f"{totals.tuples} right answers", *filter(None, flaws)]))


def open_workload(load: LoadSpec) -> OppositesWorkload:
    """Return the table's side of one load."""
    return OppositesWorkload(load)
