"""Decisions on `sim:` with 1, 4, 16 and 64 shared CPUs, in each mode, against the noise-free truth.

    python -m tests.bench.many_cpus [TRIALS] [CPUS ...]

Each trial draws a load whose I/O domain needs 0.1 to 2.9 times the guest's CPU. The truth is the undisturbed rate of
the simulated machine at each split, set by the share models and the placement that a sweep would use.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from scheduler.model.load import standard_users
from scheduler.model.placement import preset_dedicated_splits
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import PAPER_SPLITS
from scheduler.model.split import GUEST, IO, Mode, parse_split
from scheduler.run.factor import place_split
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine
from scheduler.sim.demand import OperationDemand
from scheduler.sim.machine import MACHINE_SCHEMA, QueueMachine
from scheduler.sim.scheduler_params import initial_machine_params
from scheduler.sim.steady_state import SteadyStates
from tests.bench.decide_trial import Answered, Case, CpuShares, answer_of
from tests.bench.figure import Figure

KIND = "osdb-ir"
CPUS = (1, 4, 16, 64)
_FIRST_SEED = 34_000_000  # not used while anything was tuned
_TRIALS = 300
_PERIOD_US = 20_000
_SCHEDULERS = ("credit2", "credit", "rtds", "sedf-xm")
_LEAST_RIGHT_PCT = 97.0
_PROTOCOL = PROTOCOLS["adaptive"]


class Cell(NamedTuple):
    """One line of the table: the number of shared CPUs, and the mode."""

    cpus: int
    mode: Mode

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits of its plans."""
        return preset_dedicated_splits(self.cpus) if self.mode is Mode.DEDICATED else PAPER_SPLITS


def list_cells(cpus: Sequence[int]) -> list[Cell]:
    """Return the cells; one CPU cannot be dedicated."""
    return [Cell(count, mode) for count in cpus for mode in Mode if count > 1 or mode is not Mode.DEDICATED]


def machine_of(cell: Cell, seed: int) -> QueueMachine:
    """Return a machine with a drawn load, and a scheduler that has the mode."""
    dice = np.random.default_rng(seed)
    ratio, guest_ms = float(np.exp(dice.uniform(np.log(0.1), np.log(2.9)))), float(dice.uniform(0.5, 4.0))
    io_ms = ratio * guest_ms
    demand = OperationDemand(
        guest_ms=guest_ms, io_in_ms=io_ms / 2, io_out_ms=io_ms / 2, client_ms=0.1, wire_ms=float(dice.uniform(0.1, 2.0))
    )
    names = _SCHEDULERS[:2] if cell.mode is Mode.WEIGHTS else _SCHEDULERS
    scheduler = names[int(dice.integers(len(names)))]
    return QueueMachine(
        schema_id=MACHINE_SCHEMA,
        loads={KIND: demand},
        scheduler=scheduler,
        cpus=cell.cpus,
        io_vcpus=cell.cpus,
        guest_vcpus=cell.cpus,
    )


class Truth(NamedTuple):
    """Undisturbed figures of a machine.

    Attributes:
        rates: Split to its throughput, tuples per second.
        shares: Split to the CPU that each domain is allotted and uses.
        baseline_tps: Throughput of the original settings.
    """

    rates: Mapping[str, float]
    shares: Mapping[str, CpuShares]
    baseline_tps: float


def truth_of(cell: Cell, machine: QueueMachine) -> Truth:
    """Return the undisturbed figures of a machine at the splits of a cell."""
    vcpus = {IO: cell.cpus, GUEST: cell.cpus}
    model = find_share_model(machine.scheduler, HostMachine(vcpus=vcpus, vcpus_all=vcpus, cpus=cell.cpus))
    found, states = initial_machine_params(machine), SteadyStates(machine)
    users, every = standard_users(cell.cpus, 5), tuple(range(cell.cpus))
    rates, shares = dict[str, float](), dict[str, CpuShares]()
    for label in cell.splits:
        split = parse_split(label)
        places = place_split(found, every, split, cell.mode)
        encoding = model.encode(split, cell.mode, _PERIOD_US)
        state = states.at({**found, **places, **encoding.params}, KIND, users)
        allotted = {domain: float(share) for domain, share in encoding.achieved.items()}
        rates[label] = state.tps
        shares[label] = CpuShares(allotted, dict(zip((IO, GUEST), state.cpu_frac or (), strict=True)))
    return Truth(rates, shares, states.at(found, KIND, users).tps)


def run_trial(cell: Cell, seed: int) -> Answered:
    """Carry out one sweep of a cell."""
    truth = truth_of(cell, machine_of(cell, seed))
    return answer_of(
        Case(
            {KIND: truth.rates},
            "shared",
            _PROTOCOL,
            (KIND,),
            seed,
            splits=cell.splits,
            baseline={KIND: truth.baseline_tps},
            mode=cell.mode,
            shares=truth.shares,
        )
    )


def table(trials: int, cpus: Sequence[int]) -> Mapping[Cell, list[Answered]]:
    """Carry everything out on all CPUs; cell to its answers."""
    lines: dict[Cell, list[Answered]] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for cell in list_cells(cpus):
            seeds = range(_FIRST_SEED, _FIRST_SEED + trials)
            lines[cell] = found = list(pool.map(partial(run_trial, cell), seeds, chunksize=2))
            minutes = np.array([each.minutes for each in found])
            right = 100 * np.mean([each.right for each in found])
            regret = 100 * np.mean([each.regret_frac for each in found])
            print(
                f"{cell.cpus:3} CPUs, {cell.mode:9} {trials:4} trials: right {right:5.1f} %, regret {regret:5.2f} %, "
                f"{minutes.mean():5.1f} min (median {np.median(minutes):.1f})",
                flush=True,
            )
    return lines


def figures(lines: Mapping[Cell, Sequence[Answered]]) -> list[Figure]:
    """Return the promises."""
    return [
        Figure(
            name=f"{cell.cpus} CPUs, {cell.mode}: right, %",
            value=100 * float(np.mean([each.right for each in answers])),
            at_least=_LEAST_RIGHT_PCT,
        )
        for cell, answers in lines.items()
    ]


def main(words: Sequence[str]) -> int:
    """Print table and promises; return the exit code."""
    trials = int(words[0]) if words else _TRIALS
    found = figures(table(trials, [int(word) for word in words[1:]] or CPUS))
    for figure in found:
        print(figure.line)
    return 0 if all(figure.fine for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
