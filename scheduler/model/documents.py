"""Documents: the complete output of a run, live or replayed.

A run is a sweep or an observation. Order of a sweep: one `RunStarted` first, one `RunStopped` last. A second
`RunStopped` follows if another process restores the host later; the last one counts. A sweep that was refused before
its start sends only a `Notice` and its `RunStopped`. A stored observation has the lines of `observation_documents`, and
one `RunStopped` last. Times `t_s` are seconds since the start of the run.
"""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.model.client_figures import ClientFigures
from scheduler.model.decision import SweepDecision
from scheduler.model.domain_sample import DomainSample
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.host_properties import HostProperties, Severity
from scheduler.model.load_name import LoadName
from scheduler.model.named_figures import NamedFigure
from scheduler.model.observation_documents import ObservationLine
from scheduler.model.operation_kinds import OperationFigures
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import RunSpec
from scheduler.model.split import DomainId
from scheduler.model.studies import Setting


class RunState(enum.StrEnum):
    """State of a run.

    The host may differ from its original settings only in RUNNING and RESTORING.
    """

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    RESTORING = "restoring"
    CLOSED = "closed"


class RunOutcome(enum.StrEnum):
    """Outcome of a run."""

    COMPLETED = "completed"
    ABORTED = "aborted"
    FAILED = "failed"


class SettlingCause(enum.StrEnum):
    """Change before a trial that the host settles from.

    NONE for the first trial, for a trial after a pause, and for a repeated trial.
    """

    NONE = ""
    SPLIT = "split"
    LOAD = "load"
    USERS = "users"
    VCPUS = "vcpus"
    COLD = "cold"


class _Document(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag=True):
    t_s: float


class RunStarted(_Document, frozen=True, kw_only=True):
    """First document of a run.

    Attributes:
        run_id: Unique id, sortable by time.
        spec: The sweep.
        facts: The host properties at the start.
        wall_unix_s: Clock time of `t_s` = 0, seconds since 1970.
        trials: Number of planned trials; of an adaptive plan, those that are certain.
        domtune_version: Version of this program.
        continues: Id of the run that this run continues; empty for a new run.
        history: Earlier run that the sweep begins with, or why the last one is not used; None for none.
    """

    run_id: str
    spec: RunSpec
    facts: HostProperties
    wall_unix_s: float
    trials: int
    domtune_version: str = ""
    continues: str = ""
    history: EarlierRun | None = None


class LoadsReady(_Document, frozen=True, kw_only=True):
    """The database answers and may be used; nothing was written to it yet.

    Attributes:
        versions: Database, driver and settings that matter, to their values.
        differences: Differences of the loads from their benchmarks, with this run's values.
    """

    versions: Mapping[str, str] = {}
    differences: tuple[str, ...] = ()


class StateChanged(_Document, frozen=True, kw_only=True):
    """Change of the run's state; `text` describes the current step for people."""

    state: RunState
    text: str = ""


class TrialStarted(_Document, frozen=True, kw_only=True):
    """Start of a trial at one setting under one load, or a mix of loads.

    Attributes:
        trial: Number of the trial, from 0; a repeated trial keeps its number.
        setting: The setting, None for the original settings.
        load: Name of the load, or of the mix.
        block: Number of the block, from 0; baselines at the start have -1, at the end the next number.
        settle_s: Seconds that will be excluded as warm-up.
        measure_s: Seconds that will count.
        allotted_frac: Domain to CPU allotted, as a share of the shared CPU; empty when nothing is configured.
        params: Domain to the parameters that were set and read back; empty in runs of earlier versions.
        mix: Names of the loads that run together; empty for a load that runs alone.
    """

    trial: int
    setting: Setting | None
    load: str
    block: int
    settle_s: float
    measure_s: float
    allotted_frac: Mapping[DomainId, float] = {}
    params: Mapping[DomainId, SchedParams] = {}
    mix: tuple[LoadName, ...] = ()


class LoadSample(_Document, frozen=True, kw_only=True):
    """Figures of one load's users in the second that ended at `t_s`.

    Attributes:
        trial: Number of the trial.
        load: Name of the load: its kind, or kind and mix.
        guest: Guest whose database its users work on, where there are two.
        settling: True while this second is excluded as warm-up.
        throughput_tps: Operations per second, all users together.
        p50_ms: Median service time (no queue in front: closed loop); None when nothing completed or none is measured.
        p95_ms: 95th percentile of the service time; None like `p50_ms`.
        p99_ms: 99th percentile of the service time; None like `p50_ms`.
        latency_ms: Service time of a program that does not specify its kind; None for other programs.
        errors: Operations that failed.
        retries: Operations repeated after a serialization failure or deadlock.
        client_cpu_frac: CPU seconds per second of the busiest user process, 0..1.
        probe_tps: Rate of the extra probe reader, None when there is none.
    """

    trial: int
    load: LoadName
    settling: bool
    throughput_tps: float
    guest: DomainId | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    latency_ms: float | None = None
    errors: int = 0
    retries: int = 0
    client_cpu_frac: float = 0.0
    probe_tps: float | None = None


class HostSample(_Document, frozen=True, kw_only=True):
    """Usage of both domains and of the shared CPUs in the second that ended at `t_s`.

    Attributes:
        trial: Number of the trial.
        domains: Domain to its usage.
        idle_frac: Fraction of the shared CPUs that no domain used, 0..1.
        stolen_frac: Fraction of the shared CPUs' time that other machines took, 0..1; None where unknown.
        foreign_frac: Fraction of the shared CPUs' time that other programs on this host used, 0..1; None where unknown.
        clock_mhz: Frequency of the shared CPU at `t_s`; None where unknown.
    """

    trial: int
    domains: Mapping[DomainId, DomainSample]
    idle_frac: float
    stolen_frac: float | None = None
    foreign_frac: float | None = None
    clock_mhz: float | None = None


class TrialDone(_Document, frozen=True, kw_only=True):
    """Result of one trial for one member: a load of a mix, or a loaded guest.

    Attributes:
        trial: Number of the trial.
        setting: The setting, None for the original settings.
        load: Name of the load: its kind, or kind and mix.
        guest: Guest whose database its users worked on, where there are two.
        unit: Unit of its rates; empty in runs of earlier versions.
        block: Number of the block; trials of one block are compared with each other.
        seconds: Seconds measured, settling not included.
        settled_s: Seconds excluded before them.
        mean_tps: Throughput over the measured window, per second.
        p50_ms: Median service time; None when none is measured or nothing completed.
        p95_ms: 95th percentile of the service time; None like `p50_ms`.
        p99_ms: 99th percentile of the service time; None like `p50_ms`.
        sorts: Kind of operation to its figures, where the load has several.
        latency_ms: Service time of a program that does not specify its kind, mean over the seconds.
        errors: Operations that failed.
        retries: Operations repeated.
        client_cpu_frac: CPU of the busiest user process, mean over the window, 0..1.
        clients_cpu_frac: CPU of all users together, of all loads of a mix, over the CPUs left to them, 0..1; where
            several computers make the load, that of the busiest.
        used_frac: Domain to CPU used, fraction of one CPU.
        allotted_frac: Domain to CPU allotted, as a share of the shared CPU; empty when nothing is configured.
        params: Domain to the parameters that were set, and read back before and after the trial; empty in runs of
            earlier versions.
        throttled_frac: Domain to the fraction of the time in which its quota throttled it, 0..1.
        probe_tps: Rate of the probe reader, None when there was none.
        stalled_frac: Fraction of the measured seconds that were stalls and are not in `mean_tps`, 0..0.4.
        stalled_at_s: Ends of the stalled seconds, as in the samples; empty for a trial of an earlier run.
        rates_tps: Operations per second in each whole second after the change, excluded seconds first, then the
            measured ones; empty for trials longer than an hour, and in runs of earlier versions.
        stolen_frac: Fraction of the shared CPUs' time that other machines took, mean over the window, 0..1; None where
            unknown.
        foreign_frac: Fraction of the shared CPUs' time that other programs on this host used, 0..1; None where unknown.
        clock_mhz: Frequency of the shared CPU, mean over the window; None where unknown.
        figures: Further figures of the load: medians over the window.
        clients: Name of a computer to its figures, where several make the load.
        change: Change before the trial.
        valid: False when the figures must not be used.
        reason: Reason why they must not be used; or a remark.
        responsive: False when the host became unresponsive; `valid` is False then, and the figures end at that moment.
    """

    trial: int
    setting: Setting | None
    load: LoadName
    block: int
    seconds: float
    settled_s: float
    mean_tps: float
    guest: DomainId | None = None
    unit: str = ""
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    sorts: Mapping[str, OperationFigures] = {}
    latency_ms: float | None = None
    errors: int = 0
    retries: int = 0
    client_cpu_frac: float = 0.0
    clients_cpu_frac: float = 0.0
    used_frac: Mapping[DomainId, float] = {}
    allotted_frac: Mapping[DomainId, float] = {}
    params: Mapping[DomainId, SchedParams] = {}
    throttled_frac: Mapping[DomainId, float] = {}
    probe_tps: float | None = None
    stalled_frac: float = 0.0
    stalled_at_s: tuple[float, ...] = ()
    rates_tps: tuple[float, ...] = ()
    stolen_frac: float | None = None
    foreign_frac: float | None = None
    clock_mhz: float | None = None
    figures: tuple[NamedFigure, ...] = ()
    clients: Mapping[str, ClientFigures] = {}
    change: SettlingCause = SettlingCause.NONE
    valid: bool = True
    reason: str = ""
    responsive: bool = True

    @property
    def member(self) -> tuple[LoadName, DomainId | None]:
        """Name of the load and its guest, the same for one member in all trials."""
        return self.load, self.guest


class HostCommand(_Document, frozen=True, kw_only=True):
    """One line of the command log: a command to type by hand, and its answer."""

    command: str
    answer: str = ""


class DecisionSoFar(_Document, frozen=True, kw_only=True):
    """Decision on the trials so far.

    It is made before the first trial, after each trial of the first block, after each block, and when the plan has
    ended.

    Attributes:
        decision: The decision; `unknown` for a study that decides about no split.
        text: The same as sentences, with the missing evidence; at the end the headline of the result.
        blocks: Number of complete blocks, >= 0.
        ended: True when the plan has ended.
    """

    decision: SweepDecision
    text: str
    blocks: int
    ended: bool = False


class LoadChecked(_Document, frozen=True, kw_only=True):
    """Check of the database's content against the operations that the users report.

    Attributes:
        load: Name of the load.
        passed: True where both agree.
        text: The comparison as a sentence with figures.
        guest: Guest whose database it is, where there are two.
    """

    load: LoadName
    passed: bool
    text: str
    guest: DomainId | None = None


class Notice(_Document, frozen=True, kw_only=True):
    """Message for the user."""

    level: Severity
    text: str
    hint: str = ""


class RunStopped(_Document, frozen=True, kw_only=True):
    """Last document of a run.

    `restored` is True when the host is restored and verified; `busy` is True when another process held the host.
    """

    outcome: RunOutcome
    restored: bool
    reason: str = ""
    busy: bool = False
    interrupted: bool = False  # another process wrote this document after the run was interrupted
    restored_unix_s: float = 0.0  # time of the restore by another process, seconds since 1970; else 0


_TrialDocument = TrialStarted | LoadSample | HostSample | TrialDone
_RunDocument = RunStarted | LoadsReady | StateChanged | HostCommand | LoadChecked | DecisionSoFar | Notice | RunStopped
Document = _TrialDocument | _RunDocument | ObservationLine
