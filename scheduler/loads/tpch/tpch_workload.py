"""The tables' side of tpch: loaded once; afterwards every answer must be the one that there was then."""

from collections.abc import Mapping

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tpch import tpch_checks, tpch_data, tpch_differences, tpch_loading
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec


class TpchWorkload:
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self._load = load
        self._scale = float(load.values["scale"])
        self._before: dict[str, str] = {}
        self._answers: dict[str, str] = {}

    def preflight(self, session: WorkloadSession) -> None:
        tpch_data.find_generator()
        tpch_loading.refuse_foreign_tables(session, self._scale)

    def prepare(self, session: WorkloadSession) -> None:
        if not tpch_loading.is_loaded(session, self._scale):
            tpch_loading.load_tables(session, self._scale)
        self._before = tpch_loading.read_table_sums(
            session, self._scale
        )  # it reads every row: the tables are in memory, if they fit
        self._answers = tpch_loading.stored_answers(session, self._scale)

    def fingerprint(self, session: WorkloadSession) -> Mapping[str, str]:
        return {**self._before, **self._answers}

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        if not self._answers:
            raise LoadError("tpch was checked before it was prepared")
        found = tpch_checks.check_answers(
            self._answers, self._before, tpch_loading.read_table_sums(session, self._scale), totals
        )
        if not found.passed:  # what harmed the tables may stand where sums do not tell it: the next sweep loads anew
            tpch_loading.set_marker_state(session, self._scale, tpch_loading.BEGUN)
        return found

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return tpch_differences.difference_sentences(self._load, spec, facts, versions)


def open_workload(load: LoadSpec) -> TpchWorkload:
    """Return the tables' side of one load."""
    return TpchWorkload(load)
