"""All nine splits of the built-in machine, simulated once."""

from collections.abc import Mapping
from functools import cache

from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import parse_split
from scheduler.shares.model_lookup import find_share_model
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.scheduler_params import DomainParams
from scheduler.sim.steady_state import SteadyState, SteadyStates

PERIOD_US = 20_000
USERS = 5
_ALL = SteadyStates(BUILT_IN_MACHINE)


def pair_of(label: str, scheduler: str = "sedf-xm", mode: Mode = Mode.CAPS) -> DomainParams:
    return dict(find_share_model(scheduler).encode(parse_split(label), mode, PERIOD_US).params)


@cache
def survey(
    kind: str, scheduler: str = "sedf-xm", mode: Mode = Mode.CAPS, labels: tuple[str, ...] = PAPER_SPLITS
) -> Mapping[int, SteadyState]:
    """Return the paper's number of each split to what the machine does there."""
    return {
        number: _ALL.at(pair_of(label, scheduler, mode), kind, USERS)
        for number, label in enumerate(PAPER_SPLITS, start=1)
        if label in labels
    }


def rates(kind: str, scheduler: str = "sedf-xm", mode: Mode = Mode.CAPS) -> dict[int, float]:
    """Return the rate of each split relative to the best."""
    tps = {number: steady.tps for number, steady in survey(kind, scheduler, mode).items()}
    best = max(tps.values())
    return {number: rate / best for number, rate in tps.items()}


def io_shares(kind: str, number: int) -> tuple[float, float, float]:
    """Return the parts of its configured time that the I/O domain spent in user mode, in system mode, and idle."""
    steady = survey(kind)[number]
    split = parse_split(PAPER_SPLITS[number - 1])
    user, used = steady.user_frac[0] / split.io_frac, steady.cpu_frac[0] / split.io_frac
    return user, used - user, 1.0 - used


def received(kind: str, number: int) -> float:
    """Return the bytes received per second."""
    steady = survey(kind)[number]
    return steady.tps * steady.bytes_per_tuple[0]


def sent(kind: str, number: int) -> float:
    """Return the bytes sent per second."""
    steady = survey(kind)[number]
    return steady.tps * steady.bytes_per_tuple[1]
