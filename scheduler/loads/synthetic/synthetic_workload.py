"""The table's side of both loads: loaded once; afterwards it must hold what it held, and all answers must be right."""

from collections.abc import Mapping

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.synthetic import synthetic_differences, synthetic_loading
from scheduler.loads.synthetic.numbered_table import TABLE_NAME, TableContents, table_for_load
from scheduler.loads.synthetic.synthetic_dialects import synthetic_dialect
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec


class SyntheticWorkload:
    """The table of one load.

    Args:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self._load = load
        self._table = table_for_load(load.kind, load.values)
        self._before: TableContents | None = None

    def preflight(self, session: WorkloadSession) -> None:
        synthetic_dialect(session.database)
        synthetic_loading.refuse_foreign_table(session, self._table)

    def prepare(self, session: WorkloadSession) -> None:
        if not synthetic_loading.is_loaded(session, self._table):
            synthetic_loading.load_table(session, self._table)
        self._before = self._table.held()

    def fingerprint(self, session: WorkloadSession) -> Mapping[str, str]:
        return {TABLE_NAME: str(synthetic_loading.read_contents(session, self._table))}

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self._load.kind} was checked before it was prepared")
        return check_contents(self._before, synthetic_loading.read_contents(session, self._table), totals)

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return synthetic_differences.difference_sentences(self._load, self._table, facts, versions)


def check_contents(before: TableContents, after: TableContents, totals: UserTotals) -> LoadCheck:
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


def open_workload(load: LoadSpec) -> SyntheticWorkload:
    """Return the table's side of one load."""
    return SyntheticWorkload(load)
