"""The documents: all that ever comes out of a run, live or replayed.

Order: one `RunStarted` first, one `RunStopped` last, and another if somebody else puts the host back later: the last
counts. A sweep that was refused before it began sends only a `Notice` and its `RunStopped`. Times `t_s` are seconds
since the run began.
"""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.model.client_figures import ClientFigures
from scheduler.model.decision import SweepDecision
from scheduler.model.domain_sample import DomainSample
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.host_properties import HostProperties, Severity
from scheduler.model.named_figures import NamedFigure
from scheduler.model.operation_kinds import OperationFigures
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import DomainId


class RunState(enum.StrEnum):
    """Where a run is; the host may differ from its original only in RUNNING and RESTORING."""

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    RESTORING = "restoring"
    CLOSED = "closed"


class RunOutcome(enum.StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    ABORTED = "aborted"
    FAILED = "failed"


class SettlingCause(enum.StrEnum):
    """What a trial settles from; NONE for the first, for one after a pause, and for one measured again."""

    NONE = ""
    SPLIT = "split"
    LOAD = "load"
    USERS = "users"
    VCPUS = "vcpus"
    COLD = "cold"


class _Document(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag=True):
    t_s: float


class RunStarted(_Document, frozen=True, kw_only=True):
    """The first document.

    Attributes:
        run_id: Unique, sortable by time.
        spec: The sweep.
        facts: The host as found.
        wall_unix_s: Clock time of `t_s` = 0, seconds since 1970.
        trials: Number of trials planned; of a plan that adapts, those that are certain.
        domtune_version: Version of this program.
        continues: Id of the run that this one goes on with; empty for a new one.
        history: Earlier run that it begins with, or why the last one is not used; None for none.
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
        deviations: How the loads differ from the benchmarks they are named after, with this run's values.
    """

    versions: Mapping[str, str] = {}
    deviations: tuple[str, ...] = ()


class StateChanged(_Document, frozen=True, kw_only=True):
    """The run moved to another state; `text` says what it is doing, for people."""

    state: RunState
    text: str = ""


class TrialStarted(_Document, frozen=True, kw_only=True):
    """A stay at one setting under one load, or a mix of them, begins.

    Attributes:
        trial: Number of the trial, from 0; a repeated trial keeps its number.
        setting: The setting, None for the host as found.
        load: Name of the load, or of the mix.
        block: Number of the block, from 0; baselines at the start have -1, at the end the next number.
        settle_s: Seconds that will be cut.
        measure_s: Seconds that will count.
        configured_frac: Domain to its configured share of the contended CPU; empty when nothing is configured.
        params: Domain to what was set and read back; empty in runs of earlier versions.
        mix: Names of the loads that run together; empty for one by itself.
    """

    trial: int
    setting: Setting | None
    load: str
    block: int
    settle_s: float
    measure_s: float
    configured_frac: Mapping[DomainId, float] = {}
    params: Mapping[DomainId, SchedParams] = {}
    mix: tuple[str, ...] = ()


class LoadSample(_Document, frozen=True, kw_only=True):
    """What one load's users did in one second that ended at `t_s`.

    Attributes:
        trial: Trial it belongs to.
        load: Name of the load: its kind, in a mix `MIX/KIND`.
        guest: Guest whose database its users work on, where there are two.
        settling: True while this second will be cut.
        throughput_tps: Tuples per second, all users together.
        p50_ms: Median service time (no queue in front: closed loop), None when nothing completed or none is measured;
            likewise p95_ms, p99_ms.
        latency_ms: Service time as a program tells it that does not say of which kind; None where none does.
        errors: Operations that failed.
        retries: Operations repeated after a serialization failure or deadlock.
        client_cpu_frac: CPU seconds per second of the busiest user process, 0..1.
        probe_tps: Rate of the extra probe reader, None when there is none.
    """

    trial: int
    load: str
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
    """Both domains, and the CPUs that they share, during the second that ended at `t_s`.

    Attributes:
        trial: Trial it belongs to.
        domains: Both domains.
        idle_frac: What neither used of the contended CPUs.
        stolen_frac: Part of the contended CPUs' time that other machines took; None where it is not known.
        foreign_frac: Part of it that went to whatever else runs on this host; None likewise.
        clock_mhz: Frequency of the contended CPU at `t_s`; None likewise.
    """

    trial: int
    domains: Mapping[DomainId, DomainSample]
    idle_frac: float
    stolen_frac: float | None = None
    foreign_frac: float | None = None
    clock_mhz: float | None = None


class TrialDone(_Document, frozen=True, kw_only=True):
    """The result of one trial for one member: one for each load of a mix, one for each loaded guest of two.

    Attributes:
        trial: Number of the trial.
        setting: The setting, None for the host as found.
        load: Name of the load: its kind, in a mix `MIX/KIND`.
        guest: Guest whose database its users worked on, where there are two.
        unit: Unit of its rates; empty in runs of earlier versions.
        block: Block of the order of the trials; trials of one block are compared with each other.
        seconds: Seconds measured, settling not included.
        settled_s: Seconds cut before them.
        mean_tps: Throughput over the measured window, per second.
        p50_ms: Service time, median; None when none is measured or nothing completed; likewise p95_ms, p99_ms.
        sorts: Sort of operation to its figures, where the load has several.
        latency_ms: Service time as a program tells it that does not say of which kind, mean over the seconds.
        errors: Operations that failed.
        retries: Operations repeated.
        client_cpu_frac: CPU of the busiest user process, mean over the window, 0..1.
        clients_cpu_frac: CPU of all users together, of all loads of a mix, over the CPUs left to them, 0..1; where
            several computers make the load, that of the busiest.
        delivered_frac: Domain to CPU received, fraction of one CPU.
        configured_frac: Domain to configured share; empty when nothing is configured.
        params: Domain to what was set, and read back before and after the trial; empty in runs of earlier versions.
        throttled_frac: Domain to the part of the time in which its quota held it back.
        probe_tps: Rate of the probe reader, None when there was none.
        stalled_frac: Part of the measured seconds that were stalls and are not in `mean_tps`, 0..0.4.
        stalled_at_s: Which: the ends of these seconds, as samples have them; empty for a trial of an earlier run.
        rates_tps: Tuples per second in each whole second after the change, those that were cut first, then the measured
            ones; empty for stays beyond an hour, and in runs of earlier versions.
        stolen_frac: Part of the contended CPUs' time that other machines took, mean over the window, 0..1; None where
            it is not known.
        foreign_frac: Part of it that went to whatever else runs on this host; None likewise.
        clock_mhz: Frequency of the contended CPU, mean over the window; None likewise.
        figures: Further figures of the load: medians over the window.
        clients: Name of a computer to what it did, where several make the load.
        change: What was changed before it.
        valid: False when the figure must not be used.
        reason: Why not; or a remark.
        held: False when the host became too slow to be commanded; `valid` is False then, figures are those until then.
    """

    trial: int
    setting: Setting | None
    load: str
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
    delivered_frac: Mapping[DomainId, float] = {}
    configured_frac: Mapping[DomainId, float] = {}
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
    held: bool = True

    @property
    def member(self) -> tuple[str, DomainId | None]:
        """Name of the load and its guest: the same for the results of one member in all trials."""
        return self.load, self.guest


class HostCommand(_Document, frozen=True, kw_only=True):
    """One line of the ledger: what the host was told, in words that can be typed by hand, and what it answered."""

    command: str
    answer: str = ""


class DecisionSoFar(_Document, frozen=True, kw_only=True):
    """Decision on the trials so far.

    It is made before the first trial, after each trial of the first block, after each block, and when the plan has
    ended.

    Attributes:
        decision: The decision; `unknown` for a study that decides about no split.
        text: The same as sentences, with what is still missing; at the end the headline of the result.
        blocks: Number of blocks that are complete, >= 0.
        ended: True when the plan has ended.
    """

    decision: SweepDecision
    text: str
    blocks: int
    ended: bool = False


class LoadChecked(_Document, frozen=True, kw_only=True):
    """What the database held after a load's users stopped, against what they say they did.

    Attributes:
        load: Name of the load.
        passed: True where both agree.
        text: The comparison as a sentence with figures.
        guest: Guest whose database it is, where there are two.
    """

    load: str
    passed: bool
    text: str
    guest: DomainId | None = None


class Notice(_Document, frozen=True, kw_only=True):
    """Something a person should know."""

    level: Severity
    text: str
    hint: str = ""


class RunStopped(_Document, frozen=True, kw_only=True):
    """The last document; `restored` is True when the host reads back as found, `busy` when something else held it."""

    outcome: RunOutcome
    restored: bool
    reason: str = ""
    busy: bool = False
    broke_off: bool = False  # the run itself said no last word; who looked after its host did
    put_back_unix_s: float = 0.0  # when somebody else put the host back, seconds since 1970; 0 when the run did so


_TrialDocument = TrialStarted | LoadSample | HostSample | TrialDone
_RunDocument = RunStarted | LoadsReady | StateChanged | HostCommand | LoadChecked | DecisionSoFar | Notice | RunStopped
Document = _TrialDocument | _RunDocument
