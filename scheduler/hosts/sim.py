"""Simulated Xen host.

`sim:` is the built-in simulated machine, `sim:FILE` a machine of the user (JSON). The machine lives in this process and
ends with it, so nothing is ever left to restore. Query parameters replace values of the machine's description:
`scheduler=credit`, `noise=shared`, `seed=7`, `cpus=8&io_vcpus=4&guest_vcpus=8`. `sharing=0.05` adds 5 % to the I/O
domain's work for each further CPU that it spreads over. `unheld=1:10,10:1` names splits at which the host becomes
unresponsive ten seconds after they were set. `pin=lost` loses every placement without an error. With `pin=moved`
another program places the guest once. `sim/own_load.py` reads the parameters of an own load, for watching.
"""

import hashlib
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec

from scheduler.errors import HostNotUsable, SpecError
from scheduler.files import open_regular
from scheduler.hosts.protocols import BuiltInDatabase, CommandLog, Host
from scheduler.model.guests import SecondGuestSupport
from scheduler.model.host_properties import (
    CpuUsage,
    DomainProperties,
    DomainUsage,
    HostProperties,
    PreflightFinding,
    Severity,
    VerifiedProperty,
)
from scheduler.model.number_parsing import parse_decimal, parse_whole_number
from scheduler.model.placement import PLACE_SLOTS, HostCpu, PlacementParams, PlacementSupport
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId, Split, parse_split
from scheduler.model.vcpus import VcpuRange
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.machine import Machine, QueueMachine, SurfaceMachine, most_vcpus, shared_cpu_count, vcpu_counts
from scheduler.sim.machine_file import MOST_BYTES, parse_machine
from scheduler.sim.own_load import URL_KEYS, OwnSimulatedLoad
from scheduler.sim.scheduler_params import check_machine_params, initial_machine_params, ratio_of
from scheduler.sim.simulated_machine import DOMAINS, SimulatedMachine, refuse_unsupported_sweep
from scheduler.translation import _

_QUERY = _("Write for example sim:?scheduler=credit&noise=lab&seed=7.")
_NAMES = {IO: "Domain-0", GUEST: "db1", GUEST_2: "db2"}
_SLOT_NAMES = {**_NAMES, **{PLACE_SLOTS[domain]: name for domain, name in _NAMES.items() if domain in PLACE_SLOTS}}
_GUEST_PLACE = PLACE_SLOTS[GUEST]
_LOST, _MOVED = "lost", "moved"
_PIN_FAULTS = ("", _LOST, _MOVED)
_MOVED_AFTER_S = 30.0
_COUNTS = ("cpus", "io_vcpus", "guest_vcpus")
_SAYS = _("This machine is simulated: its figures were not measured on hardware.")
_NO_CPU = _("Its description holds throughput only: there are no CPU figures.")
_SLOW_S = 10.0
_LIKE_FRAC = 0.05  # relative; whole percents of a cap are not exactly the split
_TSLICE_MS = 30  # default of the credit scheduler


class SimHost(Host):
    """Two domains of a simulated machine, which is its own guard.

    The machine ends with this process.
    """

    def __init__(self, url: str, machine: Machine, command_log: CommandLog, unheld: Sequence[Split] = ()) -> None:
        self.pin = ""  # fault of placements: `lost`, `moved`, or none
        self._moves_s: float | None = None  # time at which another program places the guest
        self._unheld = tuple(unheld)
        self._set_s = 0.0
        self._second = False
        self._now: Callable[[], float] = time.monotonic
        self._url = url
        self._machine = machine
        self._command_log = command_log
        self._alive_s: float | None = None  # start of the own load on the host's clock; None without one
        self.own_load = OwnSimulatedLoad()
        self.world = SimulatedMachine(machine, time.monotonic)

    def join(self, spec: RunSpec, now: Callable[[], float]) -> None:
        """Take the clock and the seed of a sweep.

        Args:
            spec: The sweep.
            now: Clock of the sweep, seconds.

        Raises:
            SpecError: The machine does not support something in the plan.
        """
        refuse_unsupported_sweep(self._machine, spec)
        self._now = now
        self.world.follow_clock(now)
        self.world.reseed(spec.seed)

    def live(self, now: Callable[[], float], params: Mapping[DomainId, SchedParams]) -> None:
        """Start the machine's own load at these parameters.

        Args:
            now: Clock, seconds.
            params: Live parameters of each domain.

        Raises:
            SpecError: The URL names no load.
        """
        self.own_load.refuse_unknown(self._machine)
        self._now, self._alive_s = now, now()
        self.world.follow_clock(now)
        for domain, wanted in params.items():
            self.world.write(domain, wanted)
        self.own_load.turn(self.world, 0.0)

    @property
    def guard(self) -> "SimHost":
        return self

    @property
    def simulation(self) -> "SimHost":
        return self

    @property
    def database(self) -> BuiltInDatabase | None:
        """The simulated database; None where rates of direct users are unknown."""
        return SimulatedDatabase() if isinstance(self._machine, QueueMachine) else None

    def add_guest(self, name: str = "") -> None:
        del name
        self._second = True
        self.world.add_guest()

    def facts(self) -> HostProperties:
        machine, cpus = self._machine, tuple(range(shared_cpu_count(self._machine)))
        findings = [PreflightFinding(Severity.INFO, _SAYS)]
        if isinstance(machine, SurfaceMachine) and not machine.delivered:
            findings.append(PreflightFinding(Severity.INFO, _NO_CPU))
        return HostProperties(
            host_id=_identify(self._url, machine),
            url=self._url,
            title=_build_title(machine),
            scheduler=machine.scheduler,
            pcpus=len(cpus),
            shared_cpus=cpus,
            client_cpus=(),
            domains=tuple(
                DomainProperties(id=domain, name=_NAMES[domain], vcpus=count, cpus=cpus)
                for domain, count in {**vcpu_counts(machine), **({GUEST_2: 1} if self._second else {})}.items()
            ),
            versions={"simulation": machine.schema_id, "noise": _describe_noise(machine)},
            findings=tuple(findings),
            scheduler_settings={"tslice_ms": _TSLICE_MS} if machine.scheduler == "credit" else {},
            simulated=True,
            verified_properties=(VerifiedProperty("machine", machine.title),) if machine.title else (),
            restarts_database=True,
            vcpus=_vcpu_range(machine),
            second_guest=_second_guest_support(machine),
            topology=tuple(HostCpu(cpu, core=cpu) for cpu in cpus) if len(cpus) > 1 else (),
            placement=PlacementSupport(possible=True, choices=cpus) if len(cpus) > 1 else PlacementSupport(),
        )

    def boot(self) -> None:
        return

    def follow(self, hard_s: float) -> bool:
        return True  # The machine ends with this process.

    def committed(self) -> tuple[int, float]:
        """Return the own load's operations so far and its users' waiting time, s."""
        return self.own_load.done, self.own_load.active_s

    def read(self, domain: DomainId) -> SchedParams | None:
        if self._moves_s is not None and self._now() > self._moves_s:
            self._moves_s = math.inf
            self.world.write(_GUEST_PLACE, self.baseline(_GUEST_PLACE))
        return self.world.read(domain)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        wanted = self.baseline(domain) if params is None else params
        check_machine_params(self._machine, domain, wanted)
        for command in self.commands(domain, params):
            self._command_log(command, "")
        if isinstance(wanted, PlacementParams) and self.pin == _LOST:
            return
        if domain == _GUEST_PLACE and self.pin == _MOVED and self._moves_s is None:
            self._moves_s = self._now() + _MOVED_AFTER_S
        self.world.write(domain, wanted)
        self._set_s = self._now()

    def restart_database(self, *, cold: bool = False) -> int:
        del cold  # simulated queries read nothing from disk
        self._command_log(_("simulated: the database is restarted"), "")
        self.world.restart_database()
        return 0

    def baseline(self, domain: DomainId) -> SchedParams:
        return self._originals()[domain]

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        wanted = self.baseline(domain) if params is None else params
        return (
            _("simulated: {domain} gets {words}").format(
                domain=_SLOT_NAMES.get(domain, _NAMES[GUEST]), words=wanted.words
            ),
        )

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        if self._alive_s is not None:
            self.own_load.turn(self.world, self._now() - self._alive_s)
        return self.world.usage()

    def cpu_usage(self) -> CpuUsage:
        return CpuUsage(stolen_s=self.world.stolen_s())

    def unresponsive_reason(self) -> str:
        starved_s = self._now() - self._set_s
        ratio = ratio_of({domain: self.world.read(domain) for domain in DOMAINS}) if self._unheld else None
        if ratio is None or starved_s < _SLOW_S:
            return ""
        starves = any(math.isclose(ratio, split.io / split.guest, rel_tol=_LIKE_FRAC) for split in self._unheld)
        return (
            _("simulated: no heartbeat was answered for {starved_s:.0f} s").format(starved_s=starved_s)
            if starves
            else ""
        )

    def check_guard(self) -> None:
        return

    def rearm_guard(self) -> None:
        self._restore_originals()

    def disarm_restore(self) -> None:
        return

    def guard_slot(self, slot: DomainId) -> None:
        return

    def context(self) -> Mapping[str, str]:
        return {}

    def close(self) -> None:
        """Restore the originals: a simulated machine ends with this host."""
        self._restore_originals()

    def _restore_originals(self) -> None:
        for domain, params in self._originals().items():
            self.world.write(domain, params)

    def _originals(self) -> dict[DomainId, SchedParams]:
        return initial_machine_params(self._machine, second=self._second)


class SimulatedDatabase:
    """Built-in database of a simulated machine, without server, URL and password."""

    def set_server(self, settings: Mapping[str, str]) -> None:
        return

    def url(self, guest: DomainId = GUEST) -> str:
        return ""

    def reference_url(self) -> str:
        return ""

    def secret(self, guest: DomainId = GUEST) -> str:
        return ""


def open_host(url: str, command_log: CommandLog, io_domain: str, guest_domain: str, database: str) -> SimHost:
    """Open `sim:[FILE][?scheduler=NAME&noise=NAME&seed=N&unheld=SPLITS]`.

    Args:
        url: URL of the simulated machine.
        command_log: Called with each command and its answer.
        io_domain: Empty, or the simulated name of the I/O domain.
        guest_domain: Empty, or the simulated name of the guest.
        database: Ignored.

    Raises:
        SpecError: The URL or a domain name is not valid.
        HostNotUsable: The machine's file cannot be read.
    """
    for field, name, own in (("io", io_domain, _NAMES[IO]), ("guest", guest_domain, _NAMES[GUEST])):
        if name not in ("", own):
            hint = _("Leave it out, or write {own}.").format(own=own)
            raise SpecError(
                f"domains.{field}", _("a simulated machine has no domain {name!r}").format(name=name), hint=hint
            )
    path, _unused, query = url.removeprefix("sim:").partition("?")
    asked = dict(parse_qsl(query, keep_blank_values=True))
    unheld = [parse_split(text) for text in asked.pop("unheld", "").split(",") if text]
    pin = asked.pop("pin", "")
    if pin not in _PIN_FAULTS:
        raise SpecError("host", _("pin={pin} is no fault").format(pin=pin[:40]), hint=_("Write pin=lost or pin=moved."))
    own_load = OwnSimulatedLoad.take_from_query(asked)
    host = SimHost(url, _apply_query(_load_machine(path), asked), command_log, unheld)
    host.own_load = own_load
    host.pin = pin
    return host


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> SimHost:
    """Return the machine in its initial state, which needs no restore.

    Args:
        url: URL of the simulated machine.
        context: Ignored.
        command_log: Called with each command and its answer.
    """
    return open_host(url, command_log, "", "", "")


def _load_machine(path: str) -> Machine:
    if not path:
        return BUILT_IN_MACHINE
    try:
        with os.fdopen(open_regular(Path(path), follow=True), "rb") as file:
            body = file.read(MOST_BYTES + 1)
    except OSError as error:
        hint = _("Write sim: for the machine that comes with DomTune, or sim:FILE.")
        raise HostNotUsable(
            _("the machine's file {path} cannot be read: {strerror}").format(path=path, strerror=error.strerror),
            hint=hint,
        ) from error
    return parse_machine(body, path)


def _vcpu_range(machine: Machine) -> VcpuRange:
    if shared_cpu_count(machine) > 1:
        why = _("the guest of a simulated machine with several shared CPUs keeps its vCPUs")
        return VcpuRange(most_vcpus(machine), why=why, hint=_("Remove 'cpus' from the URL."))
    most = most_vcpus(machine)
    hint = _("Use a machine file of kind queue with guest_vcpus, or use sim:.")
    return VcpuRange(
        1,
        most,
        tuple(range(most)),
        why=_("the simulated machine has guest_vcpus = {most}").format(most=most),
        hint=hint,
    )


def _second_guest_support(machine: Machine) -> SecondGuestSupport:
    if isinstance(machine, QueueMachine) and machine.cpus == 1:
        return SecondGuestSupport(possible=True, why="", hint="")
    why = _("a simulated machine has a second guest only with one shared CPU and a description of kind queue")
    return SecondGuestSupport(possible=False, why=why, hint=_("Use sim: without a file and without cpus."))


def _apply_query(machine: Machine, query: Mapping[str, str]) -> Machine:
    """Return the machine with the URL's values; raise SpecError for wrong values."""
    allowed = {"scheduler", "noise", "seed", "sharing", *_COUNTS}
    unknown = sorted(set(query) - allowed)
    if unknown:
        known = ", ".join(sorted({*allowed, "unheld", "pin", *URL_KEYS}))
        raise SpecError(
            "host",
            _("unknown: {unknown}").format(unknown=", ".join(unknown)),
            hint=_("Known: {known}.").format(known=known),
        )
    changes: dict[str, object] = dict(query)
    try:
        if "seed" in query:
            changes["seed"] = seed = parse_whole_number(query["seed"])
            if seed is None:
                raise SpecError(
                    "host", _("seed={seed} is no whole number from 0 on").format(seed=query["seed"][:40]), hint=_QUERY
                )
        changes |= _read_counts(machine, query)
        if "sharing" in query:
            changes["sharing"] = _read_sharing(machine, query["sharing"])
        return msgspec.convert({**msgspec.to_builtins(machine), **changes}, type=type(machine))
    except ValueError as error:
        raise SpecError("host", str(error), hint=_QUERY) from error


def _read_counts(machine: Machine, query: Mapping[str, str]) -> dict[str, int]:
    """Return the numbers of CPUs and vCPUs in a URL; as many vCPUs as CPUs by default."""
    given = {name: query[name] for name in _COUNTS if name in query}
    if not given:
        return {}
    if not isinstance(machine, QueueMachine):
        raise SpecError(
            "host",
            _("{given} needs a machine of kind queue").format(given=next(iter(given))),
            hint=_("Take sim: without a file."),
        )
    counts = {name: parse_whole_number(text) for name, text in given.items()}
    found = {name: count for name, count in counts.items() if count}
    if len(found) < len(counts):
        wrong = next(name for name in counts if name not in found)
        raise SpecError(
            "host",
            _("{wrong}={given} is no whole number from 1 on").format(wrong=wrong, given=given[wrong][:40]),
            hint=_QUERY,
        )
    if found.get("cpus", machine.cpus) == 1:
        return found
    return {"io_vcpus": found.get("cpus", machine.cpus), "guest_vcpus": found.get("cpus", machine.cpus), **found}


def _read_sharing(machine: Machine, text: str) -> float:
    """Return the work that each further CPU adds; raise SpecError."""
    if not isinstance(machine, QueueMachine):
        raise SpecError("host", _("sharing needs a machine of kind queue"), hint=_("Take sim: without a file."))
    found = parse_decimal(text, 0, 1)
    if found is None:
        raise SpecError(
            "host",
            _("sharing={text} is no number from 0 to 1").format(text=text[:40]),
            hint=_("Write for example sharing=0.05."),
        )
    return found


def _identify(url: str, machine: Machine) -> str:
    """Return the identity of a machine.

    One shared CPU and no cost of sharing do not change it.
    """
    fields = msgspec.to_builtins(machine)
    if not fields.get("sharing"):
        fields.pop("sharing", None)
    if shared_cpu_count(machine) == 1:
        fields = {name: value for name, value in fields.items() if name not in ("cpus", "io_vcpus")}
    return f"sim-{hashlib.sha256(url.encode() + msgspec.json.encode(fields)).hexdigest()[:16]}"


def _describe_noise(machine: Machine) -> str:
    return machine.noise if isinstance(machine.noise, str) else machine.noise.note or _("described in the file")


def _build_title(machine: Machine) -> str:
    """Return the title: by scheduler for the built-in machine, else from the file."""
    if machine.title == BUILT_IN_MACHINE.title:
        count = shared_cpu_count(machine)
        return _("Simulated Xen, {scheduler}").format(scheduler=machine.scheduler) + (
            f", {count} CPUs" if count > 1 else ""
        )
    return _("Simulated: {machine}").format(machine=machine.title or _("a machine without a title"))
