"""Descriptions of simulated machines: `domtune-machine/1`, two kinds."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.shared_set import MOST_CPUS
from scheduler.model.spec import PAPER_SPLITS
from scheduler.model.split import GUEST, IO, DomainId, Split, parse_split
from scheduler.model.vcpus import MOST_VCPUS
from scheduler.sim.demand import OperationDemand
from scheduler.sim.noise import NOISES, NoiseModel, names_of
from scheduler.translation import _

MACHINE_SCHEMA = "domtune-machine/1"
SchedulerName = Literal["credit", "credit2", "rtds", "sedf", "sedf-xm"]
SCHEDULERS: tuple[SchedulerName, ...] = ("credit", "credit2", "rtds", "sedf", "sedf-xm")
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
Rate = Annotated[float, msgspec.Meta(gt=0, le=1e9)]

_PAPER_SPLITS_PARSED = tuple(parse_split(label) for label in PAPER_SPLITS)


class _MachineFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Fields of both kinds.

    Attributes:
        schema_id: `domtune-machine/1`.
        title: One line for people.
        scheduler: `credit`, `credit2`, `rtds`, `sedf` (whole milliseconds) or `sedf-xm` (fractions).
        noise: Name of one of DomTune's noises, or a full description.
        seed: Seed of the noise; a sweep's own seed is mixed in.
    """

    schema_id: Literal["domtune-machine/1"] = msgspec.field(name="schema")
    title: str = ""
    scheduler: SchedulerName = "sedf-xm"
    noise: str | NoiseModel = "lab"
    seed: Seed = 1

    @property
    def noise_model(self) -> NoiseModel:
        """The noise, named or described."""
        return self.noise if isinstance(self.noise, NoiseModel) else NOISES[self.noise]


class SurfaceMachine(_MachineFields, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="surface"):
    """A machine with known throughput at some splits, interpolated between them.

    Attributes:
        splits: Labels such as `1:2`, at least one.
        loads: Load kind to one rate per split: relative ones, or tuples per second when there is no scale.
        scale_tps: Load kind to the tuples per second of a relative rate of 1.
        baseline: Load kind to the rate with the original settings, in the same unit; that of 1:1 where it is missing.
        delivered: Load kind to the CPU used by I/O domain and guest at each split, fraction of one CPU.
    """

    splits: tuple[str, ...]
    loads: Mapping[str, tuple[Rate, ...]]
    scale_tps: Mapping[str, Rate] = {}
    baseline: Mapping[str, Rate] = {}
    delivered: Mapping[str, tuple[tuple[float, float], ...]] = {}

    def __post_init__(self) -> None:
        """Refuse a machine that cannot be simulated; raises SpecError."""
        check_unique("splits", list(self.splits))
        for index, label in enumerate(self.splits):
            parse_split(label, f"splits[{index}]")
        _check_kinds("loads", self.loads)
        for kind, rates in self.loads.items():
            _check_count(f"loads.{kind}", len(rates), self.splits)
            _check_rates(f"loads.{kind}", rates)
        for field in ("scale_tps", "baseline"):
            values: Mapping[str, float] = getattr(self, field)
            _check_loads_known(field, values, self.loads)
            for kind, rate in values.items():
                _check_rates(f"{field}.{kind}", [rate])
        _check_loads_known("delivered", self.delivered, self.loads)
        for kind, pairs in self.delivered.items():
            _check_count(f"delivered.{kind}", len(pairs), self.splits)
            if not all(0 <= part <= 64 for pair in pairs for part in pair):
                raise SpecError(
                    f"delivered.{kind}", _("holds values outside 0..64 CPUs"), hint=_("Give fractions of a CPU.")
                )
        _check_noise_loads(self.noise, self.loads, len(self.splits))

    @property
    def parsed_splits(self) -> tuple[Split, ...]:
        """The splits."""
        return tuple(parse_split(label) for label in self.splits)


class QueueMachine(_MachineFields, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="queue"):
    """A machine of a client, a CPU for two domains, and a disk, simulated by events.

    Attributes:
        loads: Load kind to the demand of one operation.
        switch_us: CPU lost when another domain gets the CPU.
        sedf_forfeits: True for SEDF as released: a domain that wakes within its period waits for the next one.
        guest_vcpus: The most vCPUs that the guest can have: the first on the shared CPU, each other on one of its
            own. With several shared CPUs the vCPUs that it has, all on these.
        cpus: Number of CPUs that the domains share; over 1 the machine is solved as a closed network.
        io_vcpus: vCPUs of the I/O domain, with several shared CPUs.
        sharing: Additional work of the I/O domain for each further CPU that it spreads over, as a fraction, with
            several shared CPUs. Observed: more vCPUs of Dom0 lowered the network throughput of 40 VMs (xenserver.org,
            "7.0 performance improvements, part 4").
    """

    loads: Mapping[str, OperationDemand]
    switch_us: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 5.0
    sedf_forfeits: bool = False
    guest_vcpus: Annotated[int, msgspec.Meta(ge=1, le=MOST_CPUS)] = 1
    cpus: Annotated[int, msgspec.Meta(ge=1, le=MOST_CPUS)] = 1
    io_vcpus: Annotated[int, msgspec.Meta(ge=1, le=MOST_CPUS)] = 1
    sharing: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0

    def __post_init__(self) -> None:
        """Refuse a machine that cannot be simulated; raises SpecError."""
        _check_kinds("loads", self.loads)
        for kind, demand in self.loads.items():
            limits = [limit for limit, _ in demand.guest_stretch]
            if limits != sorted(set(limits)):
                raise SpecError(
                    f"loads.{kind}.guest_stretch",
                    _("limits {limits} do not rise").format(limits=limits),
                    hint=_("Sort the pairs."),
                )
        _check_noise_loads(self.noise, self.loads, len(PAPER_SPLITS))
        if self.cpus == 1 and self.guest_vcpus > MOST_VCPUS:
            hint = _("Use at most {most_vcpus}, or several shared CPUs.").format(most_vcpus=MOST_VCPUS)
            raise SpecError(
                "guest_vcpus",
                _("{guest_vcpus} is outside 1..{most_vcpus}").format(
                    guest_vcpus=self.guest_vcpus, most_vcpus=MOST_VCPUS
                ),
                hint=hint,
            )
        if self.cpus == 1 and self.io_vcpus > 1:
            hint = _("Write cpus = 2, for example.")
            raise SpecError(
                "io_vcpus", _("{io_vcpus} need several shared CPUs").format(io_vcpus=self.io_vcpus), hint=hint
            )
        if self.cpus == 1 and self.sharing:
            raise SpecError(
                "sharing",
                _("{sharing} needs several shared CPUs").format(sharing=self.sharing),
                hint=_("Write cpus = 8, for example."),
            )


Machine = SurfaceMachine | QueueMachine


def noise_splits(machine: Machine, deviations: Sequence[float]) -> tuple[Split, ...]:
    """Return the splits that a list of deviations belongs to.

    Args:
        machine: The machine.
        deviations: One for each split.
    """
    if isinstance(machine, SurfaceMachine) and len(deviations) == len(machine.splits):
        return machine.parsed_splits
    return _PAPER_SPLITS_PARSED


def _check_kinds(field: str, loads: Mapping[str, object]) -> None:
    if not loads:
        raise SpecError(
            field, _("none given"), hint=_("Known loads: {load_kinds}.").format(load_kinds=", ".join(LOAD_KINDS))
        )
    for kind in loads:
        if kind not in LOAD_KINDS:
            raise SpecError(
                field,
                _("{kind!r} is not a load").format(kind=kind),
                hint=_("Known loads: {load_kinds}.").format(load_kinds=", ".join(LOAD_KINDS)),
            )


def _check_loads_known(field: str, values: Mapping[str, object], loads: Mapping[str, object]) -> None:
    for kind in values:
        if kind not in loads:
            raise SpecError(
                field,
                _("{kind!r} has no rates in 'loads'").format(kind=kind),
                hint=_("Loads there: {loads}.").format(loads=", ".join(loads)),
            )


def _check_count(field: str, count: int, splits: Sequence[str]) -> None:
    if count != len(splits):
        raise SpecError(
            field,
            _("{count} values for {count_2} splits ({splits})").format(
                count=count, count_2=len(splits), splits=", ".join(splits)
            ),
            hint=_("Give one value for each split, in the same order."),
        )


def _check_rates(field: str, rates: Sequence[float]) -> None:
    for index, rate in enumerate(rates):
        if not (math.isfinite(rate) and rate > 0):
            place = f"{field}[{index}]" if len(rates) > 1 else field
            raise SpecError(
                place, _("{rate:g} is not a rate").format(rate=rate), hint=_("Rates are finite and greater than 0.")
            )


def _check_noise_loads(noise: str | NoiseModel, loads: Mapping[str, object], splits: int) -> None:
    if isinstance(noise, str):
        if noise not in NOISES:
            raise SpecError(
                "noise",
                _("{noise!r} is not known").format(noise=noise),
                hint=_("Known: {noises}.").format(noises=", ".join(NOISES)),
            )
        return
    parts = {"trial_sd": noise.trial_sd, "checkpoint.factor": noise.checkpoint.factor}
    for field, values in {**parts, "vacuum.factor": noise.vacuum.factor}.items():
        for kind in loads:
            if not any(name in values for name in names_of(kind)):
                hint = _("Name it {kind} or {short}.").format(kind=kind, short=LOAD_KINDS[kind].short)
                raise SpecError(f"noise.{field}", _("{kind} is missing").format(kind=kind), hint=hint)
    for kind, deviations in noise.trial_sd.items():
        if isinstance(deviations, tuple) and len(deviations) not in (splits, len(PAPER_SPLITS)):
            raise SpecError(
                f"noise.trial_sd.{kind}",
                _("{count} values for {splits} splits").format(count=len(deviations), splits=splits),
                hint=_("Give one number, one per split, or nine for the paper's splits."),
            )


def most_vcpus(machine: Machine) -> int:
    """Return the most vCPUs that a machine's guest can have."""
    return machine.guest_vcpus if isinstance(machine, QueueMachine) else 1


def shared_cpu_count(machine: Machine) -> int:
    """Return the number of CPUs that a machine's domains share."""
    return machine.cpus if isinstance(machine, QueueMachine) else 1


def vcpu_counts(machine: Machine) -> dict[DomainId, int]:
    """Return the number of online vCPUs of each domain in the original settings."""
    if isinstance(machine, QueueMachine) and machine.cpus > 1:
        return {IO: machine.io_vcpus, GUEST: machine.guest_vcpus}
    return {IO: 1, GUEST: 1}
