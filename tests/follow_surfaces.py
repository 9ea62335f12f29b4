"""What the event simulation gives at fifteen splits: recorded, so that laws about the rule need not simulate anew.

`python -m tests.follow_surfaces` records it again (240 simulations of 20 s each, ten minutes).
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from scheduler.follow.gain_model import GainCurve
from scheduler.follow.split_rule import PairLimits, PairUsage, find_target_split, io_share_of
from scheduler.model.spec import Mode
from scheduler.model.split import parse_split
from scheduler.shares.model_lookup import find_share_model
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.pchip import interpolate_pchip
from scheduler.sim.steady_state import SteadyStates

SCHEDULERS = ("rtds", "sedf-xm", "credit", "credit2")
LOADS = ("osdb-ir", "osdb-oltp")
USERS = (5, 12)
SPLITS = ("1:10", "1:8", "1:6", "1:5", "1:4", "1:3", "2:5", "1:2", "2:3", "1:1", "3:2", "2:1", "3:1", "4:1", "5:1")
PERIOD_US = 20_000
_LEAST_SHARE = 0.02  # of the CPU: smaller moves are not worth a change
_PATH = Path(__file__).parent / "unit" / "follow" / "data" / "event_surfaces.json"


class Place(msgspec.Struct, frozen=True):
    """One split: ln(I/O domain / guest), tuples per second, CPU of both domains, and what they might use at most."""

    log_ratio: float
    tps: float
    cpu: tuple[float, float]
    limits: tuple[float, float]


class Case(NamedTuple):
    """Which simulation."""

    scheduler: str
    load: str
    users: int

    @property
    def name(self) -> str:
        return f"{self.scheduler} {self.load} {self.users}"


CASES = tuple(Case(scheduler, load, users) for scheduler in SCHEDULERS for load in LOADS for users in USERS)


class Surface:
    """A simulated machine under one load, between the fifteen splits interpolated without overshoot."""

    def __init__(self, places: list[Place]) -> None:
        self._places = places
        self._nodes = [place.log_ratio for place in places]
        self.best_tps = max(place.tps for place in places)

    def tps(self, log_ratio: float) -> float:
        return self._at([place.tps for place in self._places], log_ratio)

    def use(self, log_ratio: float) -> PairUsage:
        return PairUsage(*(self._at([place.cpu[domain] for place in self._places], log_ratio) for domain in (0, 1)))

    def allowed(self, log_ratio: float) -> PairLimits:
        io, guest = (self._at([place.limits[domain] for place in self._places], log_ratio) for domain in (0, 1))
        return PairLimits(io, guest)

    def _at(self, values: list[float], log_ratio: float) -> float:
        return interpolate_pchip(self._nodes, values, log_ratio)


class Way(NamedTuple):
    """Where the rule went: throughput of each split over the best of the fifteen, and whether it came to rest."""

    parts: tuple[float, ...]
    ratios: tuple[float, ...]
    rests: bool


def rest_from(ground: Surface, start: str, most_moves: int, least_gain: float = 0.0) -> Way:
    """Follow the rule from a split until it wants under 2 % of a share more, or promises under `least_gain`."""
    log_ratio = math.log(parse_split(start).io / parse_split(start).guest)
    places, rests = [log_ratio], False
    while not rests and len(places) <= most_moves + 1:
        use, allowed = ground.use(log_ratio), ground.allowed(log_ratio)
        pointed = find_target_split(use, allowed)
        assert pointed is not None
        small = abs(io_share_of(pointed.log_ratio) - io_share_of(log_ratio)) < _LEAST_SHARE
        promised = GainCurve(use, allowed, pointed).predicted_gain(pointed.log_ratio) if least_gain else math.inf
        rests = small or promised < least_gain
        if not rests:
            log_ratio = pointed.log_ratio
            places.append(log_ratio)
    parts = tuple(ground.tps(place) / ground.best_tps for place in places)
    return Way(parts, tuple(map(math.exp, places)), rests and len(places) <= most_moves + 1)


def simulated(case: Case, label: str) -> Place:
    """Simulate one split now."""
    encoding = find_share_model(case.scheduler).encode(parse_split(label), Mode.CAPS, PERIOD_US)
    steady = SteadyStates(BUILT_IN_MACHINE).at(dict(encoding.params), case.load, case.users)
    assert steady.cpu_frac is not None
    io, guest = steady.limits
    return Place(round(math.log(io / guest), 5), round(steady.tps, 2), _rounded(steady.cpu_frac), _rounded((io, guest)))


def surface(case: Case) -> Surface:
    return Surface(_recorded()[case.name])


@cache
def _recorded() -> Mapping[str, list[Place]]:
    return msgspec.json.decode(_PATH.read_bytes(), type=dict[str, list[Place]])


def recorded_place(case: Case, label: str) -> Place:
    return _recorded()[case.name][SPLITS.index(label)]


def _rounded(pair: tuple[float, float]) -> tuple[float, float]:
    return round(pair[0], 5), round(pair[1], 5)


if __name__ == "__main__":
    _PATH.parent.mkdir(parents=True, exist_ok=True)
    done: list[str] = []
    for case in CASES:  # written as it goes: it takes long
        places = msgspec.json.encode([simulated(case, label) for label in SPLITS]).decode()
        done.append(f'"{case.name}": {places}')
        _PATH.write_text("{\n" + ",\n".join(done) + "\n}\n")
