"""Races that know beforehand, from somebody, which splits lie far behind; and what they make of it.

None of them is the product's: they are here to be compared with it. A split is *far* when somebody says that it loses
more than `_FAR`, and what was measured so far does not contradict.
"""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from scheduler.model.setting import split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import any_split
from scheduler.plans.adaptive import _Race
from scheduler.plans.visits import Plan
from scheduler.stats.compare import Rivalry
from scheduler.stats.contest import Contest, contest
from scheduler.stats.racing import (
    _DROP_FRAC,
    _LEAST_PAIRS,
    _NEGLIGIBLE,
    NOISY_SD,
    STOP_DOUBT,
    Race,
    _judged,
    standing_of,
)
from scheduler.stats.student import below
from tests.bench.decide_received import losses_told, split_told

_FAR = 0.1  # of ln(objective)
_BELIEVED_SD = 0.02  # by how much the rule's curve is taken to be off, of ln(objective)
_CONTRADICTED = 3.0  # errors

EVERYBODY, RULE, TRUTH = "measured", "rule", "truth"


class Arm(NamedTuple):
    """How a race uses what it is told.

    Attributes:
        title: What it is called.
        who: Says which splits are far: nobody beside what was measured, the rule, or the truth.
        fewer: Far splits need no five visits; otherwise they only come later, when the near ones are decided.
        believed: The rule's curve counts like visits.
        joins: Of a sweep that is refined: the split where the rule points joins after the first block.
    """

    title: str
    who: str = ""
    fewer: bool = False
    believed: bool = False
    joins: bool = False


ARMS = (
    Arm("without"),
    Arm("rule: later", RULE),
    Arm("measured: later", EVERYBODY),
    Arm("rule: fewer", RULE, fewer=True),
    Arm("measured: fewer", EVERYBODY, fewer=True),
    Arm("rule: believed", RULE, believed=True),
    Arm("truth: never again", TRUTH),
)
REFINED = (Arm("without"), Arm("rule: joins", joins=True))


def race_of(arm: Arm, truth: Mapping[str, float], spec: RunSpec) -> Plan:
    """Return the plan of such a race; `truth` is what each split loses, of ln(objective)."""
    race = _Told(arm, truth, spec)
    yield from race.baselines(-1)
    while not race.over:
        yield from race.block()
        race.look_between()
    yield from race.baselines(race.passes)


class _Told(_Race):
    def __init__(self, arm: Arm, truth: Mapping[str, float], spec: RunSpec) -> None:
        super().__init__(spec, any_split)
        self._arm = arm
        self._truth = truth
        self._losses: Mapping[str, float] | None = None

    def block(self) -> Plan:
        yield from super().block()
        told = split_told(self._done, self._spec) if self._arm.joins and self._blocks == 1 else ""
        if told:
            self._newcomer = split_setting(told)
            self._between.append(self._newcomer)

    def _judge(self) -> Race:
        usual = standing_of(self._done, self._spec)
        if not self._arm.who or not usual.leader:
            return usual
        if self._losses is None:  # by then every split was visited once
            self._losses = self._said()
        cells, weights = _judged(self._done, self._spec)
        found = contest(cells, weights, objective=self._spec.objective)
        if self._arm.believed:
            return _standing(_believing(found, self._losses), usual, frozenset(), self._spec)
        far = frozenset(label for label in found.rivals if self._far(label, found))
        if self._arm.who == TRUTH:
            return _without(found, usual, far, self._spec)
        near = tuple(label for label in usual.active if label not in far)
        if len(near) > 1 and _open(found, far, self._spec):
            return msgspec.structs.replace(usual, active=near, decided=False)
        return _standing(found, usual, far if self._arm.fewer else frozenset(), self._spec)

    def _said(self) -> Mapping[str, float]:
        if self._arm.who == RULE:
            return losses_told(self._done, self._spec)
        return self._truth if self._arm.who == TRUTH else {s.label: math.inf for s in self._spec.settings}

    def _far(self, label: str, found: Contest) -> bool:
        said = (self._losses or {}).get(label, 0.0) > _FAR
        return said and (self._arm.who == TRUTH or found.rivals[label].ahead > _FAR)


def _open(found: Contest, far: Collection[str], spec: RunSpec) -> bool:
    """Return whether the near splits are not decided yet."""
    near = [label for label in found.rivals if label not in far]
    doubt = math.fsum(found.rivals[label].p_better for label in near)
    return doubt > _stop(found, spec) or any(_thin(found.rivals[label], found, spec) for label in near)


def _stop(found: Contest, spec: RunSpec) -> float:
    allowed = STOP_DOUBT[spec.protocol.name]
    return min(allowed / 2 if found.sd > NOISY_SD else allowed, found.allowed_doubt)


def _threshold(found: Contest, spec: RunSpec) -> float:
    return _DROP_FRAC * STOP_DOUBT[spec.protocol.name] / max(1, len(found.rivals))


def _thin(rival: Rivalry, found: Contest, spec: RunSpec) -> bool:
    return rival.pairs < _LEAST_PAIRS and rival.p_better > _threshold(found, spec) * _NEGLIGIBLE


def _standing(found: Contest, usual: Race, few: Collection[str], spec: RunSpec) -> Race:
    """Return how it stands where `few` need no five visits."""
    threshold = _threshold(found, spec)
    thin = {label for label, rival in found.rivals.items() if label not in few and _thin(rival, found, spec)}
    above = {label for label, rival in found.rivals.items() if rival.p_better > threshold}
    active = {found.leader, *thin, *above}
    if len(active) == 1:
        active.add(max(found.rivals, key=lambda label: found.rivals[label].p_better))
    decided = found.doubt <= _stop(found, spec) and not thin
    order = tuple(setting.label for setting in spec.settings)
    return Race(usual.leader, tuple(label for label in order if label in active), decided, found.doubt)


def _without(found: Contest, usual: Race, far: Collection[str], spec: RunSpec) -> Race:
    """Return how it stands among the near splits alone."""
    near = {label: rival for label, rival in found.rivals.items() if label not in far}
    return _standing(msgspec.structs.replace(found, rivals=near), usual, frozenset(), spec) if near else usual


def _believing(found: Contest, losses: Mapping[str, float]) -> Contest:
    """Return the comparison with the rule's curve as one more observation, where it is not contradicted."""
    rivals = dict(found.rivals)
    for label, rival in found.rivals.items():
        if label not in losses or found.leader not in losses:
            continue
        lead = losses[label] - losses[found.leader]
        if abs(lead - rival.ahead) > _CONTRADICTED * math.hypot(rival.scale, _BELIEVED_SD):
            continue
        seen, said = rival.scale**-2, _BELIEVED_SD**-2
        ahead, scale = (rival.ahead * seen + lead * said) / (seen + said), (seen + said) ** -0.5
        better = below(rival.dof, -(ahead + rival.zone) / scale)
        rivals[label] = msgspec.structs.replace(rival, ahead=ahead, scale=scale, p_better=better)
    return msgspec.structs.replace(found, rivals=rivals)
