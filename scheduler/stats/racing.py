"""How a race of splits stands: who may still be the best, and whether that is decided.

Rules and constants after shared simulations of such sweeps, repeated by `make bench-decide`: a stop at a doubt of
0.005 keeps 95 % also where the gap is just above the zone, since the leader is chosen for being ahead; `quick` stops at
0.02, which keeps it on average only. `strict` stops when every other split is certified not to be better.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.setting import label_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.stats.between import Prospect, prospect
from scheduler.stats.compare import Cells
from scheduler.stats.contest import Contest, contest, judged
from scheduler.stats.variates import steadied_cells

STOP_DOUBT = {"adaptive": 0.005, "quick": 0.02}
"""It is decided when the chances of all others of being better by more than the zone sum up to no more."""

NOISY_SD = 0.12
"""Deviation of a visit above which only half that doubt is allowed: what is estimated then are the tails."""

ADJUSTED_FRAC = 0.4
"""Part of that doubt that is allowed where visits were adjusted for CPU time that others took: what the monitor says of
it may be a little off at some splits, which no number of visits shows. Calibrated by `make bench-variates`."""

_DROP_FRAC = 0.25  # a split goes on while its chance is above this part of the doubt, shared by all others
_LEAST_PAIRS = 5  # with the leader, before a split with a chance that is not negligible may be left behind
_NEGLIGIBLE = 0.1
_MOST_FAILURES = 2  # visits that all failed: such a split is not measured again


class Race(msgspec.Struct, frozen=True):
    """The race after a block.

    Attributes:
        leader: Label of the best so far; empty when no split can be compared.
        active: Labels to go on with, the leader among them.
        decided: True when nothing more needs to be measured.
        doubt: Sum of the others' chances, 0..1.
    """

    leader: str
    active: tuple[str, ...]
    decided: bool
    doubt: float


def standing_of(visits: Sequence[VisitDone], spec: RunSpec) -> Race:
    """Return how the race stands after these visits.

    Loads without weight do not decide, but are measured along.
    """
    planned = [setting.label for setting in spec.settings]
    labels = list(dict.fromkeys([*planned, *(label_of(visit.setting) for visit in visits if visit.setting)]))
    cells, weights = _judged(visits, spec)
    if not cells.labels:
        return Race("", tuple(labels), decided=False, doubt=1.0)
    found = contest(cells, weights, objective=spec.objective)
    open_labels = [label for label in labels if label not in cells.labels and _may_work(label, visits)]
    if spec.certifies:
        return _certifying(found, labels, open_labels)
    return _standing(found, labels, open_labels, STOP_DOUBT[spec.protocol.name])


def further_splits(visits: Sequence[VisitDone], spec: RunSpec, settable: Settable) -> Prospect:
    """Return what these visits, at least one of which can be used, promise beside the measured splits."""
    cells, weights = _judged(visits, spec)
    return prospect(cells, contest(cells, weights, objective=spec.objective), settable)


def _judged(visits: Sequence[VisitDone], spec: RunSpec) -> tuple[Cells, dict[str, float]]:
    weights = {load.name: spec.weight_of(load.name) for load in spec.loads}
    return judged(steadied_cells(visits, spec), weights), weights


def _certifying(found: Contest, labels: Sequence[str], unmeasured: Sequence[str]) -> Race:
    left = {*found.uncertified, *unmeasured}
    active = tuple(label for label in labels if label == found.leader or label in left)
    return Race(found.leader, active, decided=not left, doubt=found.doubt)


def _standing(found: Contest, labels: Sequence[str], unmeasured: Sequence[str], allowed: float) -> Race:
    stop = (allowed / 2 if found.sd > NOISY_SD else allowed) * (ADJUSTED_FRAC if found.adjusted else 1)
    stop = min(stop, found.allowed_doubt)  # or it would end with nothing to claim
    threshold = _DROP_FRAC * allowed / max(1, len(labels) - 1)
    thin = {
        label
        for label, rival in found.rivals.items()
        if rival.pairs < _LEAST_PAIRS and rival.p_better > threshold * _NEGLIGIBLE
    }
    active = {found.leader, *thin, *unmeasured}
    active |= {label for label, rival in found.rivals.items() if rival.p_better > threshold}
    active |= {*found.yardsticks}  # the contenders are compared with them: their errors are everybody's
    if len(active) == 1 and found.rivals:
        active.add(max(found.rivals, key=lambda label: found.rivals[label].p_better))
    decided = found.doubt <= stop and not thin and not unmeasured
    return Race(found.leader, tuple(label for label in labels if label in active), decided, found.doubt)


def _may_work(label: str, visits: Sequence[VisitDone]) -> bool:
    """Return False for a split that could not be held, or whose every visit failed, under some load, often enough."""
    if any(visit.setting is not None and visit.setting.label == label and not visit.held for visit in visits):
        return False
    mine = [visit for visit in visits if visit.setting is not None and visit.setting.label == label]
    failed = Counter(visit.load for visit in mine if not visit.valid)
    worked = {visit.load for visit in mine if visit.valid}
    return not any(count >= _MOST_FAILURES and load not in worked for load, count in failed.items())
