"""Fake host in a file, for tests and demonstrations, with faults on demand.

`fake:FILE` keeps the parameters of two domains in FILE (JSON), so that another process can restore them. Nothing is
measured. Faults are query parameters:

- `fail_writes_after=N`, `ignore_writes_after=N`, `unreachable_after=N`: the fault starts after N calls of this process.
- `absent=1`: the domains do not exist at first.
- `cpus=N`: the domains float over N CPUs, and can be placed.
- `vcpus=N`: the guest has one vCPU and accepts up to N.
- `guests=2`: the host supports a second guest; `guests=3`: two candidates for the second guest already run.
- `direct=1`: the host has a built-in database with a reference URL.
- `errors=N`, `warnings=N`: the preflight finds N errors or warnings.
- `unheld_weight=N`: the host becomes unresponsive at the fourth reading after the I/O domain is set to weight N.
- `fires=1`: the guard then fires and restores the originals; `fires=2`: the guard fires and restores nothing.
"""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec

from scheduler.errors import GuardFired, HostError, HostUnreachable, ParameterRefused, SpecError
from scheduler.files import path_exists
from scheduler.hosts.protocols import BuiltInDatabase, CommandLog, Host
from scheduler.model.guests import SecondGuestSupport
from scheduler.model.host_properties import DomainProperties, DomainUsage, HostProperties, PreflightFinding, Severity
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import PLACE_SLOTS, PlacementParams, PlacementSupport
from scheduler.model.scheduler_params import CgroupParams, SchedParams
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.model.urls import redact_url
from scheduler.model.vcpus import GUEST_VCPUS, MOST_VCPUS, VcpuParams, VcpuRange

_DEFAULT = CgroupParams(weight=100)
_ONE = VcpuParams(1)
_NAMES = {IO: "Domain-0", GUEST: "db1", GUEST_2: "db2"}
_NEVER = 10**9
_MAX_WEIGHT = 10_000
_LOOKS = 3  # readings at a split before the host becomes unresponsive: a few seconds are measured

_FLOATING = PlacementParams(((), ()))  # two vCPUs, on every CPU
_PLACES = frozenset(PLACE_SLOTS.values())

_State = dict[DomainId, CgroupParams | VcpuParams | PlacementParams | None]


class InjectedFaults(msgspec.Struct):
    """Faults of a fake host, and the number of calls after which each starts."""

    fail_writes_after: int = _NEVER
    ignore_writes_after: int = _NEVER
    unreachable_after: int = _NEVER
    absent: int = 0
    unheld_weight: int = 0
    fires: int = 0
    cpus: int = 1
    vcpus: int = 1
    guests: int = 1
    direct: int = 0
    errors: int = 0
    warnings: int = 0


class FakeHost(Host):
    """Two domains in a file; the host is its own guard when guard faults are set."""

    def __init__(self, path: Path, faults: InjectedFaults, command_log: CommandLog) -> None:
        self._path = path
        self.faults = faults
        self._command_log = command_log
        self._writes = 0
        self._calls = 0
        self._looks = 0  # since the last write
        self._fired = False
        self._second = False
        self._cpu_s: dict[DomainId, float] = dict.fromkeys(_NAMES, 0.0)
        self._looked_s = time.monotonic()
        if not path_exists(path):
            self._store_state(dict.fromkeys((IO, GUEST), None if faults.absent else _DEFAULT))
        self._found = self._load_state()

    @property
    def guard(self) -> "FakeHost | None":
        return self if self.faults.unheld_weight or self.faults.fires else None

    @property
    def database(self) -> BuiltInDatabase | None:
        return FakeDatabase() if self.faults.direct else None

    def facts(self) -> HostProperties:
        self._check_reachable()
        cpus = self.faults.cpus
        return HostProperties(
            host_id=f"fake-{self._path.resolve()}",
            url=f"fake:{self._path}",
            title="Fake host",
            scheduler="cgroup-v2",
            pcpus=max(2, cpus),
            shared_cpus=tuple(range(cpus)),
            client_cpus=(1,),
            placement=PlacementSupport(possible=cpus > 1, choices=tuple(range(cpus))),
            domains=tuple(
                DomainProperties(id=domain, name=name, vcpus=min(2, cpus), cpus=tuple(range(cpus)))
                for domain, name in _NAMES.items()
                if domain != GUEST_2 or self._second
            ),
            versions={"fake": "1"},
            findings=tuple(_list_findings(self.faults)),
            simulated=True,
            vcpus=VcpuRange(1, self.faults.vcpus, why="this is how it was made", hint="Write fake:FILE?vcpus=4."),
            second_guest=SecondGuestSupport(
                self.faults.guests > 1,
                "it was made with one",
                "Write fake:FILE?guests=2.",
                runs=self.faults.guests > 2,
                names=(_NAMES[GUEST_2], "db3") if self.faults.guests > 2 else (),
            ),
        )

    def boot(self) -> None:
        self._check_reachable()

    def follow(self, hard_s: float) -> bool:
        self._check_reachable()
        return False

    def add_guest(self, name: str = "") -> None:
        self._check_reachable()
        self._second = True
        self._store_state({GUEST_2: None if self.faults.absent else _DEFAULT, **self._load_state()})

    def read(self, domain: DomainId) -> SchedParams | None:
        self._check_reachable()
        if domain in _PLACES:
            return self._load_state().get(domain, _FLOATING)
        return self._load_state().get(domain, _ONE if domain == GUEST_VCPUS else None)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        self._check_reachable()
        if self._fired and params != self._found.get(domain, _FLOATING if domain in _PLACES else _ONE):
            raise _guard_fired_error(restored=self.faults.fires == 1)
        self._looks = 0
        wanted = _check_params(domain, params, self.faults.vcpus)
        for command in self.commands(domain, wanted):
            self._command_log(command, "")
        self._writes += 1
        if self._writes > self.faults.fail_writes_after:
            raise ParameterRefused(f"{domain}: write {self._writes} was refused, as asked for", hint="A test did this.")
        if self._writes <= self.faults.ignore_writes_after:
            self._store_state({**self._load_state(), domain: wanted})

    def baseline(self, domain: DomainId) -> SchedParams:
        if domain in _PLACES:
            return _FLOATING
        return _ONE if domain == GUEST_VCPUS else _DEFAULT

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        if params is None:
            return (f"fake remove {domain}",)
        if isinstance(params, VcpuParams):
            return (f"fake give {params.words} to {_NAMES[GUEST]}",)
        if isinstance(params, PlacementParams):
            return (f"fake place {domain}: {params.words}",)
        wanted = narrow_params(params, CgroupParams, f"the made-up domain {domain}")
        quota = "max" if wanted.quota_us is None else wanted.quota_us
        return (f"fake set {domain} weight={wanted.weight} quota={quota}/{wanted.period_us}",)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        self._check_reachable()
        self._looks += 1
        if self.faults.fires and self._too_slow:
            self._fire_guard()
        if self._fired:
            raise _guard_fired_error(restored=self.faults.fires == 1)
        now_s = time.monotonic()
        elapsed_s, self._looked_s = now_s - self._looked_s, now_s
        state = self._load_state()
        present = [domain for domain in _NAMES if domain in state]
        return {domain: self._usage_of(domain, used_cpus(domain, state), elapsed_s) for domain in present}

    def unresponsive_reason(self) -> str:
        return "no heartbeat was answered, as asked for" if self._too_slow else ""

    def check_guard(self) -> None:
        if self._fired:
            raise _guard_fired_error(restored=self.faults.fires == 1)

    def rearm_guard(self) -> None:
        self._check_reachable()
        if self.faults.fires == 2:
            raise HostError("the guard of the fake host did not restore everything, as requested")
        self._store_state(self._found)
        self._fired = False

    def disarm_restore(self) -> None:
        return

    def guard_slot(self, slot: DomainId) -> None:
        return

    def context(self) -> Mapping[str, str]:
        return {"path": str(self._path)}

    @property
    def _too_slow(self) -> bool:
        io = self._load_state()[IO]
        return self._looks > _LOOKS and isinstance(io, CgroupParams) and io.weight == self.faults.unheld_weight

    def _fire_guard(self) -> None:
        self._fired = True
        if self.faults.fires == 1:
            self._store_state(self._found)

    def _usage_of(self, domain: DomainId, used_cpus: float, elapsed_s: float) -> DomainUsage:
        self._cpu_s[domain] += used_cpus * elapsed_s
        return DomainUsage(
            user_s=0.7 * self._cpu_s[domain],
            system_s=0.3 * self._cpu_s[domain],
            memory_bytes=64 << 20,
            in_bytes=int(1e6 * self._looked_s),
            out_bytes=int(2e6 * self._looked_s),
        )

    def _check_reachable(self) -> None:
        self._calls += 1
        if self._calls > self.faults.unreachable_after:
            raise HostUnreachable("the fake host does not answer, as requested", hint="A test did this.")

    def _load_state(self) -> _State:
        return msgspec.json.decode(self._path.read_bytes(), type=_State)

    def _store_state(self, state: _State) -> None:
        fresh = self._path.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(state))
        fresh.replace(self._path)


class FakeDatabase:
    """Built-in database without a server: the loads of a fake host need none."""

    def set_server(self, settings: Mapping[str, str]) -> None:
        return

    def url(self, guest: DomainId = GUEST) -> str:
        return ""

    def reference_url(self) -> str:
        return ""

    def secret(self, guest: DomainId = GUEST) -> str:
        return ""


def used_cpus(domain: DomainId, state: _State) -> float:
    """Return a domain's use of the one CPU: its quota, or its share by weight.

    Args:
        domain: The domain.
        state: Parameters of every domain on the host.

    Returns:
        CPUs, 0..1.
    """
    given = {each: params if isinstance(params, CgroupParams) else _DEFAULT for each, params in state.items()}
    own = given[domain]
    if own.quota_us is not None:
        return own.quota_us / own.period_us
    return own.weight / sum(given[each].weight for each in _NAMES if each in given)


def _list_findings(faults: InjectedFaults) -> Iterator[PreflightFinding]:
    for level, count in ((Severity.ERROR, faults.errors), (Severity.WARNING, faults.warnings)):
        for number in range(1, count + 1):
            yield PreflightFinding(level, f"made-up {level} {number}", f"Open the host without {level}s.")


def _check_params(
    domain: DomainId, params: SchedParams | None, most: int
) -> CgroupParams | VcpuParams | PlacementParams | None:
    """Return parameters that the domain accepts; raise ParameterRefused for others."""
    if params is None:
        return None
    if domain in _PLACES:
        return narrow_params(params, PlacementParams, f"the made-up placement {domain}")
    if domain == GUEST_VCPUS:
        wanted = narrow_params(params, VcpuParams, "the made-up guest")
        if not 1 <= wanted.online <= max(1, most):
            raise ParameterRefused(f"{wanted.words} are outside 1..{most}", hint="Write fake:FILE?vcpus=N for more.")
        return wanted
    given = narrow_params(params, CgroupParams, f"the made-up domain {domain}")
    if not 1 <= given.weight <= _MAX_WEIGHT:
        raise ParameterRefused(f"{domain}: weight {given.weight} is outside 1..{_MAX_WEIGHT}")
    return given


def _guard_fired_error(*, restored: bool) -> GuardFired:
    return GuardFired("the guard of the fake host fired, as requested", restored=restored, hint="A test did this.")


def open_host(url: str, command_log: CommandLog, io_domain: str, guest_domain: str, database: str) -> FakeHost:
    """Open `fake:FILE[?faults]`.

    Args:
        url: URL of the fake host.
        command_log: Called with each command and its answer.
        io_domain: Ignored.
        guest_domain: Ignored.
        database: Ignored.

    Raises:
        SpecError: The URL names no file.
    """
    path, _, query = url.removeprefix("fake:").partition("?")
    if not path:
        raise SpecError("host", f"{redact_url(url)!r} names no file", hint="Write fake:FILE.")
    faults = msgspec.convert({key: int(value) for key, value in parse_qsl(query)}, type=InjectedFaults)
    return FakeHost(Path(path), faults, command_log)


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> FakeHost:
    """Reopen the file of another process, to restore its domains without faults.

    Args:
        url: URL of the fake host.
        context: Context from the undo record.
        command_log: Called with each command and its answer.
    """
    return FakeHost(Path(context["path"]), InjectedFaults(vcpus=MOST_VCPUS), command_log)
