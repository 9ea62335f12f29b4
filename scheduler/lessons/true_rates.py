"""Noise-free truth of the simulated machine.

The value of a split is the weighted mean of ln(rate) over the loads, as in the sweep's own comparison
(docs/explanation/statistics.md). N95 is the smallest number of users that reaches 95 % of the highest rate. The loss of
a guest and the slowdown of a side are defined as in the studies' findings.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping
from urllib.parse import parse_qsl

import msgspec

from scheduler.lessons.lesson_files import SIMULATED_KEYS
from scheduler.model.documents import RunStarted
from scheduler.model.setting import BASELINE, has_direct_route, split_of
from scheduler.model.split import GUEST, DomainId, Mode, Split
from scheduler.model.study_kind import list_doublings
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.machine import QueueMachine
from scheduler.sim.scheduler_params import initial_machine_params
from scheduler.sim.steady_state import GuestLoad, SteadyStates
from scheduler.studies.capacity.knee import REACHED_FRAC


class SplitTruth(msgspec.Struct, frozen=True, kw_only=True):
    """Truth about splits.

    Attributes:
        best: Label of the best split.
        loss_frac: Label of a split to its loss against the best split, 0..1; `baseline` is negative where the original
            settings are better.
        load_best: Load to the label of its own best split.
        load_loss_frac: Load to the loss of the best split against the load's own best split, 0..1.
    """

    best: str
    loss_frac: Mapping[str, float]
    load_best: Mapping[str, str]
    load_loss_frac: Mapping[str, float]

    @property
    def follow_gain_frac(self) -> float:
        """Gain if each load always had its own best split, against the best static split."""
        losses = self.load_loss_frac.values()
        return math.exp(-sum(math.log1p(-loss) for loss in losses) / len(losses)) - 1 if losses else 0.0


def find_split_truth(started: RunStarted) -> SplitTruth | None:
    """Return the truth about the splits of a run; None where it is not known.

    Args:
        started: First document of the run.
    """
    spec, machine = started.spec, _known_machine(started)
    if machine is None or not spec.splits:
        return None
    values = _ln_rates(started, machine)
    loads: list[str] = [load.name for load in spec.loads]
    mean = {label: sum(spec.weight_of(load) * values[label][load] for load in loads) for label in values}
    splits = [split.label for split in spec.splits]
    best = max(splits, key=lambda label: mean[label])
    load_best = {load: max(splits, key=lambda label: values[label][load]) for load in loads}
    return SplitTruth(
        best=best,
        loss_frac={label: 0.0 - math.expm1(value - mean[best]) for label, value in mean.items()},
        load_best=load_best,
        load_loss_frac={load: 0.0 - math.expm1(values[best][load] - values[load_best[load]][load]) for load in loads},
    )


def find_users_truth(started: RunStarted) -> int | None:
    """Return N95 of the first load; None where it is not known.

    Args:
        started: First document of the run.
    """
    machine = _known_machine(started)
    if machine is None:
        return None
    load, states, params = started.spec.loads[0], SteadyStates(machine), initial_machine_params(machine)

    def rate_at(users: int) -> float:
        return states.at(params, load.kind, users).tps

    wanted = REACHED_FRAC * max(map(rate_at, list_doublings(1, load.users)))
    return bisect_left(range(1, load.users + 1), wanted, key=rate_at) + 1  # without noise, rates rise up to N95


def find_isolation_truth(started: RunStarted, split: Split, mode: Mode, guest: DomainId) -> float | None:
    """Return the loss of a guest to the other guest; None where it is not known.

    The loss is a fraction of the guest's throughput alone.

    Args:
        started: First document of a run of an isolation study.
        split: Split of the three domains.
        mode: Mode of the split.
        guest: The guest that loses.
    """
    spec, machine = started.spec, _known_machine(started)
    if machine is None:
        return None
    loads = {each: GuestLoad(load.kind, load.users) for each, load in spec.guest_loads.items()}
    params = share_model_for_host(started.facts).encode(split, mode, spec.period_us).params
    states, pair = SteadyStates(machine), {**initial_machine_params(machine, second=True), **params}
    alone = states.of_guests(pair, {guest: loads[guest]})[guest].tps
    return 1.0 - states.of_guests(pair, loads)[guest].tps / alone


def find_slowdown_truth(started: RunStarted) -> Mapping[str, float]:
    """Return label of a side to the slowdown of the first load, 0.1 for 10 %.

    The slowdown is against the reference. The mapping is empty where the truth is not known.

    Args:
        started: First document of a run of an overhead study.
    """
    spec, machine = started.spec, _known_machine(started)
    if machine is None:
        return {}
    load, states, original = spec.loads[0], SteadyStates(machine), initial_machine_params(machine)
    model = share_model_for_host(started.facts)

    def time_at(split: Split | None, *, direct: bool = False) -> float:
        params = {**original, **model.encode(split, spec.mode, spec.period_us).params} if split else original
        used = GuestLoad(load.kind, load.users, direct=direct)
        return 1.0 / states.of_guests(params, {GUEST: used})[GUEST].tps

    base = time_at(None, direct=True)
    sides = [setting for setting in spec.settings if not has_direct_route(setting)]
    return {side.label: time_at(split_of(side)) / base - 1.0 for side in sides}


def _known_machine(started: RunStarted) -> QueueMachine | None:
    """Return the machine of a run on the built-in simulated machine; None for others."""
    host, _, query = started.spec.host_url.partition("?")
    asked = dict(parse_qsl(query, keep_blank_values=True))
    if host != "sim:" or not started.facts.simulated or not set(asked) <= SIMULATED_KEYS:
        return None
    given = {"scheduler": asked["scheduler"]} if "scheduler" in asked else {}
    return msgspec.convert({**msgspec.to_builtins(BUILT_IN_MACHINE), **given}, QueueMachine)


def _ln_rates(started: RunStarted, machine: QueueMachine) -> dict[str, dict[str, float]]:
    """Return label to load to ln(rate), of each split and of the original settings."""
    spec, states = started.spec, SteadyStates(machine)
    model, original = share_model_for_host(started.facts), initial_machine_params(machine)
    pairs = {
        split.label: {**original, **model.encode(split, spec.mode, spec.period_us).params} for split in spec.splits
    }
    return {
        label: {load.name: math.log(states.at(pair, load.kind, load.users).tps) for load in spec.loads}
        for label, pair in {BASELINE: original, **pairs}.items()
    }
