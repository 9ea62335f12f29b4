"""Noise of simulated machines: descriptions, and the seven that come with DomTune.

The figures of the seven are assumptions about machines with a database (docs/explanation/simulated-host.md), not
measurements.
"""

from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec

from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.translation import _

T = TypeVar("T")

Deviation = Annotated[float, msgspec.Meta(ge=0, le=2)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e6)]
Part = Annotated[float, msgspec.Meta(ge=0, le=1)]
PerHour = Annotated[float, msgspec.Meta(ge=0, le=3600)]
Span = tuple[Seconds, Seconds]
ByLoad = Mapping[str, Annotated[float, msgspec.Meta(gt=0, le=1)]]


def names_of(kind: str) -> tuple[str, str, str]:
    """Return the names of a load's value: its own, the short one, a similar load's.

    A noise that knows only the papers' loads gives any other load the value of the similar one: of `OLTP` for a load
    that changes rows, of `IR` for one that does not.
    """
    load = LOAD_KINDS[kind]
    return kind, load.short, "OLTP" if load.changes_rows else "IR"


def value_of_load(values: Mapping[str, T], kind: str) -> T:
    """Return a load's value.

    Args:
        values: Name of a load to its value.
        kind: Kind of the load.
    """
    return next(values[name] for name in names_of(kind) if name in values)


class SettlingRamp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settling of throughput: 95 % of the way after a time drawn from `T_s`.

    Attributes:
        T_s: Shortest and longest settling time.
        depth: Distance of the first rate below the steady rate, fraction of it; unused when it starts at the old
            rate.
        kind: `from_below`, or `carry_over` when it starts at the rate of the setting before.
    """

    T_s: Span
    depth: Part = 0.0
    kind: str = "from_below"


class SettlingRamps(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settling after a start, a change of load, and a change of setting (`arm`)."""

    cold: SettlingRamp
    load: SettlingRamp
    arm: SettlingRamp


class SlowDrift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Slow changes that all splits share: an Ornstein-Uhlenbeck process and a sine.

    Attributes:
        ou_sd: Its standard deviation, of the logarithm.
        ou_tau_s: Its time constant.
        sine_amp: Amplitude of the sine, of the logarithm.
        sine_period_s: Shortest and longest period, which is drawn.
    """

    ou_sd: Deviation
    ou_tau_s: Seconds
    sine_amp: Deviation
    sine_period_s: Span


class CheckpointStalls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Regular stalls: every `period_s`, varied by the part `jitter`; `factor` by load."""

    period_s: Seconds
    jitter: Part
    dur_s: Span
    factor: ByLoad


class VacuumStalls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Random stalls of the database; `factor` by load."""

    per_hour: PerHour
    dur_s: Span
    factor: ByLoad


class StolenCpu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """CPU taken by other machines' domains; `factor` is drawn between two bounds."""

    per_hour: PerHour
    dur_s: Span
    factor: tuple[Annotated[float, msgspec.Meta(gt=0, le=1)], Annotated[float, msgspec.Meta(gt=0, le=1)]]


class NoiseModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All disturbances of throughput; deviations are of its logarithm.

    Attributes:
        ar_sd: Deviation from second to second.
        ar_phi: Part of it that lasts until the next second.
        ramp: Settling.
        drift: Slow changes.
        checkpoint: Regular stalls.
        vacuum: Random stalls.
        neighbour: Stolen CPU.
        epoch_sd: Drawn at each start of the database, for each split and load.
        trial_sd: Drawn at each trial; by load one number, or one per split (of the machine, or the paper's nine).
        note: For people.
    """

    ar_sd: Deviation
    ar_phi: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    ramp: SettlingRamps
    drift: SlowDrift
    checkpoint: CheckpointStalls
    vacuum: VacuumStalls
    neighbour: StolenCpu
    epoch_sd: Deviation
    trial_sd: Mapping[str, Deviation | tuple[Deviation, ...]]
    note: str = ""


USUAL_DEVIATION = 0.045  # deviation of a trial to a split that nothing starves
_STARVED_DEVIATIONS = {2: 0.12, 3: 0.25, 6: 0.15, 8: 0.2}  # places in the paper's nine splits


def _deviations_per_split(special: Mapping[int, float]) -> tuple[float, ...]:
    return tuple(special.get(place, USUAL_DEVIATION) for place in range(9))


def _for_both_loads(value: float | tuple[float, ...]) -> dict[str, float | tuple[float, ...]]:
    return {"IR": value, "OLTP": value}


_SHARED_NOISE = NoiseModel(
    ar_sd=0.1,
    ar_phi=0.7,
    ramp=SettlingRamps(
        cold=SettlingRamp((10, 40), 0.7), load=SettlingRamp((5, 15), 0.5), arm=SettlingRamp((2, 6), kind="carry_over")
    ),
    drift=SlowDrift(0.05, 1800, 0.04, (1200, 7200)),
    checkpoint=CheckpointStalls(300, 0.1, (3, 8), {"IR": 0.85, "OLTP": 0.35}),
    vacuum=VacuumStalls(3, (15, 45), {"IR": 0.93, "OLTP": 0.88}),
    neighbour=StolenCpu(2, (30, 180), (0.75, 0.95)),
    epoch_sd=0.0,
    trial_sd=_for_both_loads(USUAL_DEVIATION),
    note=_("shared machine: 5 % slow drift, 4 % cycle, noisy guests, checkpoints, autovacuum"),
)


def _vary_shared(note: str, **changes: object) -> NoiseModel:
    return msgspec.structs.replace(_SHARED_NOISE, note=note, **changes)


NOISES: Mapping[str, NoiseModel] = {
    "lab": _vary_shared(
        _("its own machine and network"),
        drift=SlowDrift(0.01, 1800, 0.005, (1200, 7200)),
        vacuum=VacuumStalls(1, (15, 45), {"IR": 0.93, "OLTP": 0.88}),
        neighbour=StolenCpu(0, (30, 180), (0.75, 0.95)),
    ),
    "shared": _SHARED_NOISE,
    "hetero": _vary_shared(
        _("shared, and starved splits deviate by 10 to 25 %"),
        trial_sd={
            "IR": _deviations_per_split(_STARVED_DEVIATIONS),
            "OLTP": _deviations_per_split({0: 0.1, **_STARVED_DEVIATIONS}),
        },
    ),
    "noisytop": _vary_shared(
        _("hetero, and one contender per load deviates by 15 %"),
        trial_sd={
            "IR": _deviations_per_split({0: 0.1, 5: 0.15, **_STARVED_DEVIATIONS}),
            "OLTP": _deviations_per_split({0: 0.1, 1: 0.15, **_STARVED_DEVIATIONS}),
        },
    ),
    "all25": _vary_shared(
        _("25 % everywhere, the most that Calheiros et al. saw anywhere"), trial_sd=_for_both_loads(0.2462)
    ),
    "drift": _vary_shared(
        _("badly shared host: 15 % drift over 15 min, 8 noisy guests an hour"),
        drift=SlowDrift(0.15, 900, 0.05, (1200, 3600)),
        neighbour=StolenCpu(8, (30, 180), (0.7, 0.95)),
    ),
    "epoch": _vary_shared(
        _("3 % of the deviation is frozen per start of the database and split"),
        epoch_sd=0.03,
        trial_sd=_for_both_loads(0.0335),
    ),
    "none": _vary_shared(
        _("no disturbance"),
        ar_sd=0.0,
        ramp=SettlingRamps(cold=SettlingRamp((1, 1)), load=SettlingRamp((1, 1)), arm=SettlingRamp((1, 1))),
        drift=SlowDrift(0.0, 1800, 0.0, (1200, 7200)),
        checkpoint=CheckpointStalls(300, 0.1, (3, 8), {"IR": 1.0, "OLTP": 1.0}),
        vacuum=VacuumStalls(0, (15, 45), {"IR": 1.0, "OLTP": 1.0}),
        neighbour=StolenCpu(0, (30, 180), (0.75, 0.95)),
        trial_sd=_for_both_loads(0.0),
    ),
}
