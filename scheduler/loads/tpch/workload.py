"""The tables' side of tpch: loaded once; afterwards every answer must be the one that there was then."""

from collections.abc import Mapping

from scheduler.databases.base import Session
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.orders import Totals
from scheduler.loads.tpch import checks, data, deviations, loading
from scheduler.model.facts import HostFacts
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

    def preflight(self, session: Session) -> None:
        data.find()
        loading.refuse_foreign(session, self._scale)

    def prepare(self, session: Session) -> None:
        if not loading.is_loaded(session, self._scale):
            loading.load(session, self._scale)
        self._before = loading.state(session, self._scale)  # it reads every row: the tables are in memory, if they fit
        self._answers = loading.answers_kept(session, self._scale)

    def fingerprint(self, session: Session) -> Mapping[str, str]:
        return {**self._before, **self._answers}

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if not self._answers:
            raise LoadError("tpch was checked before it was prepared")
        found = checks.after_users(self._answers, self._before, loading.state(session, self._scale), totals)
        if not found.passed:  # what harmed the tables may stand where sums do not tell it: the next sweep loads anew
            loading.mark(session, self._scale, loading.BEGUN)
        return found

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, spec, facts, versions)


def open_workload(load: LoadSpec) -> TpchWorkload:
    """Return the tables' side of one load."""
    return TpchWorkload(load)
