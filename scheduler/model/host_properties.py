"""Host properties: hardware, domains, versions and findings."""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.model.guests import SecondGuestSupport
from scheduler.model.other_guests import NONE_AWAY, KeptAway, OtherGuest, describe_measured_away
from scheduler.model.placement import HostCpu, PlacementSupport
from scheduler.model.split import DomainId
from scheduler.model.study_kind import StudyKind
from scheduler.model.vcpus import VcpuRange


class Severity(enum.StrEnum):
    """Severity of a finding; `error` prevents the start of a sweep."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class StudyConcern(enum.StrEnum):
    """Studies that a finding matters to.

    `model/study_concerns.py` decides which concerns a study has.
    """

    ANY = ""
    SPLIT = "split"  # the CPU is divided between the domains
    COMPETITION = "competition"  # the domains also compete for the CPU
    WEIGHTS = "weights"  # weights divide the CPU
    CAPS = "caps"  # caps divide the CPU
    MEASURING = "measuring"  # throughput is measured
    OTHERS = "others"  # throughput is measured, and other guests run on the same CPUs
    FIXED_VCPUS = "fixed-vcpus"  # the domains keep their CPUs, and the guest the number of its vCPUs
    AS_FOUND = "as-found"  # the domains keep their CPUs


class PreflightFinding(msgspec.Struct, frozen=True):
    """One finding of preflight.

    Attributes:
        level: Its severity.
        text: The finding with its numbers.
        hint: Advice; may be empty.
        evidence: Source of the finding, as a line that can be checked by hand; may be empty.
        concern: Studies that the finding matters to.
    """

    level: Severity
    text: str
    hint: str = ""
    evidence: str = ""
    concern: StudyConcern = StudyConcern.ANY


class VerifiedProperty(msgspec.Struct, frozen=True):
    """One property that was verified on the host, independent of its configuration.

    Attributes:
        label: Name of the property: `scheduler of cpupool Pool-0`, `weight`.
        value: Its value, with its unit.
        evidence: Source of the value, as a line that can be checked by hand; may be empty.
    """

    label: str
    value: str
    evidence: str = ""


class DomainProperties(msgspec.Struct, frozen=True):
    """One domain of the host.

    Attributes:
        id: Its role in the sweep: `io` or `guest`.
        name: The host's name of the domain.
        vcpus: Number of virtual CPUs that are online, >= 1.
        cpus: Physical CPUs that it may run on, numbered from 0.
        vcpus_all: Number of virtual CPUs, offline ones included; 0 for as many as are online.
        uuid: Its identity over reboots, where the host has one; zeros for Dom0.
    """

    id: DomainId
    name: str
    vcpus: int
    cpus: tuple[int, ...]
    vcpus_all: int = 0
    uuid: str = ""


class HostProperties(msgspec.Struct, frozen=True):
    """The host properties at the start, before anything is written.

    Attributes:
        host_id: Stable identity of the host; names its lock and its undo record.
        url: URL that it was opened with.
        title: One line for people.
        scheduler: Name of the share model that translates splits for it (`cgroup-v1`, `cgroup-v2`, ...).
        pcpus: Number of physical CPUs, >= 1.
        shared_cpus: The CPUs that the two domains share.
        client_cpus: CPUs of the load's clients, without those of the domains where others exist; empty when the
            clients run elsewhere.
        domains: The domains of the sweep: two, or three where a study has two guests.
        versions: Kernel, hypervisor, database and other software, to version.
        findings: Findings of preflight.
        scheduler_settings: Settings that all domains share, by name and unit: `tslice_ms`, `ratelimit_us`.
        simulated: True when no figure of this host is measured on a machine.
        verified_properties: Scheduler per cpupool, legal ranges, time at which a change takes effect; for people.
        restarts_database: True where the host has a built-in database and can restart it.
        commanded_inside: True where the I/O domain itself carries out the commands of a sweep, under its own share.
        vcpus: Numbers of vCPUs that the guest can have.
        second_guest: Support for a second guest.
        topology: The host's CPUs, by number; empty where unknown.
        placement: Support for placing the domains during a sweep.
        confined: True when the sweep confines the domains to `shared_cpus`, and restores their placement.
        others: Running guests that are no domains of the sweep, where the host lists them.
    """

    host_id: str
    url: str
    title: str
    scheduler: str
    pcpus: int
    shared_cpus: tuple[int, ...]
    client_cpus: tuple[int, ...]
    domains: tuple[DomainProperties, ...]
    versions: Mapping[str, str]
    findings: tuple[PreflightFinding, ...] = ()
    scheduler_settings: Mapping[str, int] = {}
    simulated: bool = False
    verified_properties: tuple[VerifiedProperty, ...] = ()
    commanded_inside: bool = False
    restarts_database: bool = False
    vcpus: VcpuRange = VcpuRange()
    second_guest: SecondGuestSupport = SecondGuestSupport()
    topology: tuple[HostCpu, ...] = ()
    placement: PlacementSupport = PlacementSupport()
    confined: bool = False
    others: tuple[OtherGuest, ...] = ()

    @property
    def kept_away(self) -> KeptAway:
        """The guests that the sweep keeps off the shared CPUs."""
        slots = tuple(guest.slot for guest in self.others if guest.away)
        rest = tuple(cpu for cpu in self.placement.choices if cpu not in self.shared_cpus)
        return KeptAway(slots, rest) if slots else NONE_AWAY

    @property
    def away_remark(self) -> str:
        """Sentence on guests that the sweep kept away; empty for none."""
        return describe_measured_away(self.others, self.shared_cpus, self.kept_away.cpus)

    def missing_reason(self, study: StudyKind) -> tuple[str, str]:
        """Return why the host does not support a study, and a hint; empty when it does."""
        if study.varies_vcpus and self.vcpus.lacking:
            return self.vcpus.lacking, self.vcpus.hint
        if study.has_two_guests and not self.second_guest.possible:
            return self.second_guest.why, self.second_guest.hint
        return "", ""


class DomainUsage(msgspec.Struct, frozen=True):
    """Counters of one domain since a fixed moment; only differences count.

    Attributes:
        user_s: CPU seconds in user mode.
        system_s: CPU seconds in kernel mode.
        memory_bytes: Memory in use now (not a counter).
        in_bytes: Bytes received from the network side.
        out_bytes: Bytes sent to the network side.
        throttled_s: Seconds in which the domain was ready to run but had used up its quota; None where the host does
            not report them.
    """

    user_s: float
    system_s: float
    memory_bytes: int
    in_bytes: int
    out_bytes: int
    throttled_s: float | None = None


class CpuUsage(msgspec.Struct, frozen=True):
    """Counters of the shared CPUs since a fixed moment; only differences count.

    Attributes:
        stolen_s: CPU seconds that other machines took while a task of this host was ready to run.
        busy_s: CPU seconds in which the CPUs ran any task of this host, the domains included; None where unknown.
        clock_mhz: Their frequency now (not a counter); None where unknown.
    """

    stolen_s: float
    busy_s: float | None = None
    clock_mhz: float | None = None
