"""Races that know beforehand, from somebody, which splits lie far behind; and what they make of it.

None of them is the product's: they are here to be compared with it. A split is *far* when somebody says that it loses
more than `_FAR`, and what was measured so far does not contradict.
"""

import math
import random
from collections.abc import Collection, Mapping, MutableSequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler.model.setting import split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import any_split
from scheduler.plans.adaptive import _Race
from scheduler.plans.visits import Plan
from scheduler.stats import racing
from scheduler.stats.contest import Contest, contest
from scheduler.stats.racing import STOP_DOUBT, Race, _judged
from scheduler.stats.student import below
from tests.bench.decide_received import losses_told, split_told

_FAR = 0.1  # of ln(objective)
_BELIEVED_SD = 0.02  # by how much the rule's curve is taken to be off, of ln(objective)
_CONTRADICTED = 3.0  # errors


class Arm(NamedTuple):
    """How a race uses what it is told.

    Attributes:
        title: What it is called.
        orders: The first block goes from where the rule points outwards, as told by the baselines.
        fewer: Splits that the rule calls far come when the near ones are decided, and then need no five visits.
        believed: The rule's curve counts like visits.
        knows: Splits that are far in truth never come again: what no rule can do.
        joins: Of a sweep that is refined: the split where the rule points joins after the first block.
        part: How many of a cell's trials it gets.
    """

    title: str
    orders: bool = False
    fewer: bool = False
    believed: bool = False
    knows: bool = False
    joins: bool = False
    part: float = 1.0


WITHOUT = Arm("without")
ARMS = (
    WITHOUT,
    Arm("far ones fewer", fewer=True),
    Arm("believed", believed=True, part=0.4),
    Arm("far ones known", knows=True, part=0.4),
)
ORDERED = (*ARMS, Arm("order", orders=True))
REFINED = (WITHOUT, Arm("joins", joins=True))


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
        first, usual = self._blocks == 0, self._shuffler
        if first and self._arm.orders:
            self._shuffler = _Outwards(losses_told(self._done, self._spec), self._spec.seed)
        yield from super().block()
        self._shuffler = usual
        told = split_told(self._done, self._spec) if first and self._arm.joins else ""
        if told:
            self._newcomer = split_setting(told)
            self._between.append(self._newcomer)

    def _judge(self) -> Race:
        if not (self._arm.fewer or self._arm.believed or self._arm.knows):
            return super()._judge()
        spec = self._spec
        found = contest(*_judged(self._done, spec), objective=spec.objective)
        if self._losses is None:  # by now every split was visited once
            self._losses = self._truth if self._arm.knows else losses_told(self._done, spec)
        if self._arm.believed:
            return _standing(_believing(found, self._losses), spec)
        far = {label for label in found.rivals if self._far(label, found)}
        near = {label: rival for label, rival in found.rivals.items() if label not in far}
        among = _standing(replace(found, rivals=near) if near else found, spec)
        if self._arm.knows or not among.decided:
            return among
        return _standing(_eased(found, far), spec)

    def _far(self, label: str, found: Contest) -> bool:
        said = (self._losses or {}).get(label, 0.0) > _FAR
        return said and (self._arm.knows or found.rivals[label].ahead > _FAR)


class _Outwards(random.Random):
    """Puts splits in order of what they are said to lose; those of which nothing is said stay at random."""

    def __init__(self, said: Mapping[str, float], seed: int) -> None:
        super().__init__(seed)
        self._said = said

    def shuffle(self, x: MutableSequence[Any]) -> None:
        super().shuffle(x)
        x[:] = sorted(x, key=lambda setting: self._said.get(setting.label, 0.0))


def _standing(found: Contest, spec: RunSpec) -> Race:
    labels = [setting.label for setting in spec.settings]
    return racing._standing(found, labels, [], STOP_DOUBT[spec.protocol.name])


def _eased(found: Contest, few: Collection[str]) -> Contest:
    """Return the comparison as if these had met the leader often enough; what they add to the doubt stays."""
    met = {label: replace(found.rivals[label], pairs=racing._LEAST_PAIRS) for label in few}
    return replace(found, rivals={**found.rivals, **met})


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
        rivals[label] = replace(rival, ahead=ahead, scale=scale, p_better=better)
    return replace(found, rivals=rivals)
