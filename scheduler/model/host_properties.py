"""What a host says about itself."""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.model.guests import SecondGuestSupport
from scheduler.model.split import DomainId
from scheduler.model.study_kind import StudyKind
from scheduler.model.vcpus import VcpuRange


class Severity(enum.StrEnum):
    """How much a finding matters: `error` stops a sweep before it starts."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class StudyConcern(enum.StrEnum):
    """The studies that a finding matters to; `model/concerns.py` decides which concerns a study has."""

    ANY = ""
    SPLIT = "split"  # the CPU is divided between the domains
    COMPETITION = "competition"  # and the domains compete for it
    WEIGHTS = "weights"  # it is divided by weights
    CAPS = "caps"  # it is divided by caps
    MEASURING = "measuring"  # throughput is measured
    FIXED_VCPUS = "fixed-vcpus"  # the number of the guest's CPUs stays the same


class PreflightFinding(msgspec.Struct, frozen=True):
    """One thing that preflight saw.

    Attributes:
        level: How much it matters.
        text: What was seen, with its numbers.
        hint: What to do about it; may be empty.
        evidence: Where it was read, as a line to look at by hand; may be empty.
        concern: The studies that it matters to.
    """

    level: Severity
    text: str
    hint: str = ""
    evidence: str = ""
    concern: StudyConcern = StudyConcern.ANY


class VerifiedProperty(msgspec.Struct, frozen=True):
    """One thing that is really so on the host, whatever its configuration says.

    Attributes:
        label: What it is about: `scheduler of cpupool Pool-0`, `weight`.
        value: How it is, with its unit.
        evidence: Where that was read, as a line to look at by hand; may be empty.
    """

    label: str
    value: str
    evidence: str = ""


class DomainProperties(msgspec.Struct, frozen=True):
    """One domain of the host.

    Attributes:
        id: The role it plays in the sweep: `io` or `guest`.
        name: What the host calls it.
        vcpus: Number of virtual CPUs that are online, >= 1.
        cpus: Physical CPUs it may run on, numbered from 0.
        vcpus_all: Number of virtual CPUs, offline ones too; 0 for as many as are online.
        uuid: Its identity over reboots, where the host has one; zeros for Dom0.
    """

    id: DomainId
    name: str
    vcpus: int
    cpus: tuple[int, ...]
    vcpus_all: int = 0
    uuid: str = ""


class HostProperties(msgspec.Struct, frozen=True):
    """The host as found, before anything is written.

    Attributes:
        host_id: Stable identity of the host; names its lock and its undo record.
        url: The URL it was opened by.
        title: One line for people.
        scheduler: Name of the share model that translates splits for it (`cgroup-v1`, `cgroup-v2`, ...).
        pcpus: Number of physical CPUs, >= 1.
        contended_cpus: The CPUs that the two domains share.
        client_cpus: The CPUs left to the load clients; empty when they run elsewhere.
        domains: The domains of the sweep: two, or three where a study has two guests.
        versions: What runs there: kernel, hypervisor, database ... to version.
        findings: What preflight saw.
        scheduler_settings: Settings that all domains share, by name and unit: `tslice_ms`, `ratelimit_us`.
        simulated: True when nothing that comes from this host was measured on a machine.
        truths: What really holds there, for people: scheduler per cpupool, legal ranges, when a change takes effect.
        restarts_database: True where the host brings the database and can start it anew.
        commanded_inside: True where the I/O domain itself carries out what a sweep commands, under its own share.
        vcpus: How many vCPUs the guest can be given.
        second_guest: Whether a second guest can be had.
    """

    host_id: str
    url: str
    title: str
    scheduler: str
    pcpus: int
    contended_cpus: tuple[int, ...]
    client_cpus: tuple[int, ...]
    domains: tuple[DomainProperties, ...]
    versions: Mapping[str, str]
    findings: tuple[PreflightFinding, ...] = ()
    scheduler_settings: Mapping[str, int] = {}
    simulated: bool = False
    truths: tuple[VerifiedProperty, ...] = ()
    commanded_inside: bool = False
    restarts_database: bool = False
    vcpus: VcpuRange = VcpuRange()
    second_guest: SecondGuestSupport = SecondGuestSupport()

    def missing_reason(self, study: StudyKind) -> tuple[str, str]:
        """Return why a study cannot be carried out here, and what would do; empty where it can."""
        if study.varies_vcpus and self.vcpus.lacking:
            return self.vcpus.lacking, self.vcpus.hint
        if study.has_two_guests and not self.second_guest.possible:
            return self.second_guest.why, self.second_guest.hint
        return "", ""


class DomainUsage(msgspec.Struct, frozen=True):
    """Counters of one domain since some fixed moment; only differences mean something.

    Attributes:
        user_s: CPU seconds in user mode.
        system_s: CPU seconds in kernel mode.
        memory_bytes: Memory in use now (not a counter).
        in_bytes: Bytes received from the network side.
        out_bytes: Bytes sent to the network side.
        throttled_s: Seconds in which the domain wanted to run but had used its quota up; None where the host does not
            tell.
    """

    user_s: float
    system_s: float
    memory_bytes: int
    in_bytes: int
    out_bytes: int
    throttled_s: float | None = None


class CpuUsage(msgspec.Struct, frozen=True):
    """Counters of the contended CPUs together since some fixed moment; only differences mean something.

    Attributes:
        stolen_s: CPU seconds that other machines took while something on this host wanted to run.
        busy_s: CPU seconds in which they ran anything of this host, the domains included; None where it is not known.
        clock_mhz: Their frequency now (not a counter); None where it is not known.
    """

    stolen_s: float
    busy_s: float | None = None
    clock_mhz: float | None = None
