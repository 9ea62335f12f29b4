"""Results of a sweep as one value, for `domtune run --json` and the JSON export.

`resources/schema/results-1.json` is the JSON Schema of `Results`, made from these structs; a test keeps them equal.
"""

import enum
from collections.abc import Iterable, Mapping
from typing import Self

import msgspec

from scheduler.model.base_answer import BaseAnswer
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.client_figures import ClientFigures
from scheduler.model.decision import SplitRank, SweepDecision
from scheduler.model.documents import RunOutcome, SettlingCause
from scheduler.model.load_name import LoadName
from scheduler.model.named_figures import NamedFigure
from scheduler.model.objective import Objective
from scheduler.model.operation_kinds import OperationFigures
from scheduler.model.queueing import QueueModel
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.setting import label_of
from scheduler.model.split import GUEST, GUEST_2, DomainId, list_roles
from scheduler.model.studies import SPLIT, Setting, StudyFinding

RESULTS_SCHEMA = "domtune-results/1"


class SplitVerdict(enum.StrEnum):
    """Conclusion that the evidence supports."""

    RECOMMEND = "recommend"
    EQUIVALENT = "equivalent"
    NONE = "none"


class MeasuredPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of all valid trials of one setting under one load.

    Attributes:
        setting: The setting; None for the original settings.
        load: Load kind.
        guest: Guest whose database its users worked on, where there are two.
        unit: Unit of its rates, whose names end in `_tps` for every unit; empty in results of earlier versions.
        mean_tps: Geometric mean over the trials, per second; None when no trial was valid.
        ci95_tps: 95 % interval of the mean, > 0; None where too few trials under the load show how much they differ.
        cv: Coefficient of variation over trials, >= 0; None with fewer than two.
        trials: Number of valid trials.
        trial_tps: Each valid trial's figure, in the order measured.
        stalled_s: Measured seconds that do not count: stalls, and interrupted trials that were repeated.
        used_share: Domain to CPU used, fraction of one CPU, mean over trials.
        allotted_share: Domain to CPU allotted, as a share of the shared CPU; empty when nothing is configured.
        params: Domain to the parameters that the latest valid trial set and read back; empty in runs of earlier
            versions.
        p50_ms: Mean of the trials' median service times.
        p95_ms: Mean of the trials' 95th percentiles of the service time.
        p99_ms: Mean of the trials' 99th percentiles of the service time.
        sorts: Kind of operation to its figures, mean over the trials, where the load has several.
        latency_ms: Mean of the trials' service times from a program that does not specify their kind.
        client_cpu_frac: CPU of the busiest user process, 0..1.
        probe_tps: Rate of the probe reader.
        figures: Further figures of the load: the median over the trials that have each.
        clients: Name of a computer to its figures, mean over the trials, where several make the load.
        bottleneck: Part that limited this point.
        bottleneck_text: The same as a sentence with its figures.
        valid: False when no trial is usable, or the host became unresponsive.
        reason: Reason why the point is not valid.
        responsive: False when the host became unresponsive in a trial. The reason then has the figures up to that
            moment, and the split is never recommended.
        pooled: True for a pooled interval: `ci95_tps` of a single trial rests on the spread of other settings.
    """

    setting: Setting | None
    load: LoadName
    guest: DomainId | None = None
    unit: str = ""
    mean_tps: float | None
    ci95_tps: tuple[float, float] | None
    cv: float | None
    trials: int
    trial_tps: tuple[float, ...] = ()
    stalled_s: float = 0.0
    used_share: Mapping[str, float] = {}
    allotted_share: Mapping[str, float] = {}
    params: Mapping[DomainId, SchedParams] = {}
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    sorts: Mapping[str, OperationFigures] = {}
    latency_ms: float | None = None
    client_cpu_frac: float = 0.0
    probe_tps: float | None = None
    figures: tuple[NamedFigure, ...] = ()
    clients: Mapping[str, ClientFigures] = {}
    bottleneck: Bottleneck = Bottleneck.OTHER
    bottleneck_text: str = ""
    valid: bool = True
    reason: str = ""
    responsive: bool = True
    pooled: bool = False

    @property
    def label(self) -> str:
        """Label of the setting, `baseline` for the original settings."""
        return label_of(self.setting)

    @property
    def member(self) -> tuple[LoadName, DomainId | None]:
        """Name of the load and its guest, the same for one member at all settings."""
        return self.load, self.guest

    @property
    def domains(self) -> tuple[DomainId, ...]:
        """Domains with shares: two, and a second guest where there is one."""
        return list_roles(self.used_share, self.allotted_share)


def leading_points(points: Iterable[MeasuredPoint]) -> list[MeasuredPoint]:
    """Return one point per setting and load.

    Of two guests that were loaded together, the point of the first guest counts.
    """
    every = list(points)
    first = {point.label for point in every if point.guest == GUEST}
    return [point for point in every if point.guest != GUEST_2 or point.label not in first]


class RegretRow(msgspec.Struct, frozen=True, kw_only=True):
    """Loss of one split.

    Attributes:
        setting: The setting.
        utility_frac: Value in the objective, relative to the best split; 1 for the best.
        loss_frac: Load kind to the loss against that load's own best split, 0..1.
        loss_ci95_frac: Load kind to the 95 % interval of that loss; absent with too few trials.
        p_worse: Probability that it is worse than the best split by more than the tolerance, 0..1.
    """

    setting: Setting
    utility_frac: float
    loss_frac: Mapping[str, float]
    loss_ci95_frac: Mapping[str, tuple[float, float]] = {}
    p_worse: float = 0.0

    @property
    def label(self) -> str:
        """Label of the setting."""
        return self.setting.label


class SplitProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Interpolated split that may be better than all measured splits.

    Attributes:
        setting: The split.
        gain_frac: Predicted gain over the best measured split, > 0.
        between: The adjacent measured splits on the axis, smaller I/O share first.
        expected_tps: Load kind to the predicted throughput.
    """

    setting: Setting
    gain_frac: float
    between: tuple[Setting, Setting]
    expected_tps: Mapping[str, float] = {}

    @property
    def label(self) -> str:
        """Label of the split."""
        return self.setting.label


class VendorNumber(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's number of CPUs for the I/O domain of a host, for comparison only.

    Attributes:
        vendor: Name of the vendor.
        cpus: Number of vCPUs, >= 1.
        pinned: True where each is pinned to a CPU.
    """

    vendor: str
    cpus: int
    pinned: bool


class Recommendation(BaseAnswer, frozen=True, kw_only=True, tag=SPLIT):
    """The split to use, or why none is named.

    Attributes:
        verdict: recommend, equivalent or none.
        setting: Split to use; None when the verdict is none and nothing was measured.
        equivalent: All splits that are as good within the tolerance, the named one included.
        confidence: Probability that no other split is better by more than the tolerance, 0..1.
        needed_confidence: Confidence required to name the split. It depends on the spread of the trials. 0..1; 0 when
            unknown, 1 when the trials are too few.
        gain_frac: Gain over the original settings in the objective: of the weighted mean, of the load that loses most,
            or of the favoured load; None without a baseline, and where the original settings break the limit.
        gain_ci95_frac: Its 95 % interval; None where too few trials show how much they differ.
        loss_bound_frac: Largest loss of the named split against any other at 95 % confidence; None when unknown.
        best_prob: Probability that no other split is better at all, 0..1; None where others are proven to be as good,
            for other objectives than weights, and without a recommendation.
        expected_loss_frac: Average loss of the named split against the truly best split, 0..1; None like `best_prob`.
        saved_frac: Saved fraction of the 2007 paper's time for these splits and loads, < 1; None without a
            recommendation.
        expected_tps: Load kind to expected throughput at `setting`.
        units: Load kind to the unit of its throughput.
        ci95_tps: Load kind to the 95 % interval of its throughput.
        runner_up: The next best split outside `equivalent`; None when there is none.
        possible: Further splits that may be as good: not excluded at 95 %, all together.
        regret: One row per split, best first.
        tolerance_frac: Tolerance: differences up to this count as none.
        objective: Meaning of "best".
        weights: The objective's weights, normalised; empty unless it is `weighted`.
        interpolated: True when the split itself was not measured.
        proposal: A split between the measured ones to measure next; None when none has enough predicted gain.
        decision: Change, stay, not yet or unknown; only its `ordered` split may be set without a further confirmation.
        history: Sentence about the earlier run that the sweep began with; empty without a history.
        proven: True when all of `equivalent` are proven to be as good within the tolerance.
        vendors: Vendors' numbers of CPUs for the I/O domain, where the study asks for that number.
    """

    verdict: SplitVerdict
    setting: Setting | None = None
    equivalent: tuple[Setting, ...] = ()
    confidence: float = 0.0
    needed_confidence: float = 0.0
    gain_frac: float | None = None
    gain_ci95_frac: tuple[float, float] | None = None
    loss_bound_frac: float | None = None
    best_prob: float | None = None
    expected_loss_frac: float | None = None
    saved_frac: float | None = None
    expected_tps: Mapping[str, float] = {}
    units: Mapping[str, str] = {}
    ci95_tps: Mapping[str, tuple[float, float]] = {}
    runner_up: Setting | None = None
    possible: tuple[Setting, ...] = ()
    regret: tuple[RegretRow, ...] = ()
    tolerance_frac: float = 0.02
    objective: Objective = msgspec.field(default_factory=Objective)
    weights: Mapping[str, float] = {}
    interpolated: bool = False
    proposal: SplitProposal | None = None
    decision: SweepDecision = SweepDecision()
    history: str = ""
    proven: bool = False
    vendors: tuple[VendorNumber, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences in reading order.

        The order is remark, most important reason, advice, other reasons, limits.
        """
        remark = (self.remark,) if self.remark else ()
        return (*remark, *self.reasons[:1], *self.advice, *self.reasons[1:], *self.limits)

    @property
    def recommendation(self) -> Self:
        """The answer itself."""
        return self

    @property
    def finding(self) -> None:
        """None: the answer is a split."""
        return None

    @property
    def label(self) -> str:
        """Label of the split to use; empty for none."""
        return "" if self.setting is None else self.setting.label

    def rank_of(self, setting: Setting | None) -> SplitRank:
        """Return the rank of a split in this answer; the original settings have none."""
        if setting is None:
            return SplitRank.OTHER
        if setting == self.setting:
            if self.decision.ordered == setting:
                return SplitRank.ORDERED
            return SplitRank.BEST_SO_FAR if self.verdict is SplitVerdict.NONE else SplitRank.BEST
        if setting in self.equivalent:
            return SplitRank.AS_GOOD if self.proven else SplitRank.MAY_BE_AS_GOOD
        return SplitRank.MAY_BE_AS_GOOD if setting in self.possible else SplitRank.OTHER


Answer = Recommendation | StudyFinding
"""Answer of a study."""


class SettlingTime(msgspec.Struct, frozen=True, kw_only=True):
    """Time until throughput was in steady state after one kind of change.

    Attributes:
        change: split, load, users, or cold (a restarted database).
        changes: Number of trials that show it.
        excluded_s: Whole seconds that were excluded after such a change, median.
        searched_s: Half of the shortest such trial; the search for the steady state ends there.
        found_s: Seconds until the rate was within 3 % of its end for 4 s; None when it never was, or when unknown.
        certain: False when changes are too few, or seconds too noisy, for a statement.
    """

    change: SettlingCause
    changes: int
    excluded_s: float
    searched_s: int
    found_s: int | None
    certain: bool


class Results(msgspec.Struct, frozen=True, kw_only=True, rename={"schema_id": "schema"}):
    """Results of one run.

    Attributes:
        schema_id: `domtune-results/1`.
        run_id: Id of the run in the store.
        name: The user's name of the run; the plan's name unless it was renamed.
        planned_weights: Load kind to weight in the plan, 0..1; empty unless the window
            changed the weights for `answer`.
        host: The host's URL.
        host_title: The host in one line.
        mode: caps, weights or dedicated.
        protocol: Name of the protocol.
        outcome: completed, aborted or failed.
        restored: True when the host is restored and verified.
        simulated: True when nothing was measured on a machine.
        measured_s: Seconds spent at settings, settling included.
        started_unix_s: Clock time of the start, seconds since 1970.
        points: One per setting and load, baseline included.
        answer: The recommendation of a split, or the finding of another study, tagged by `study`.
        versions: Versions of the software that ran.
        differences: Differences of the loads from their benchmarks.
        settling: Time until throughput was in steady state, per kind of change.
        notices: Warnings of the run, and the errors and warnings of its preflight.
        reason: Reason why the run did not complete; empty when it did.
        model: The queueing model next to the points, one per load; empty in results from before there was one.
        busy: True when another process held the host: this run changed nothing, and `restored` is False.
        interrupted: True when the run was interrupted without its last document; `restored` is the state found since.
        restored_unix_s: Time of the restore by another process, seconds since 1970; 0 when the run did so itself.
        tags: The user's tags of the run.
        note: The user's note about the run.
        study: Name of the study.
        cpus: Number of CPUs that the domains shared.
    """

    schema_id: str = RESULTS_SCHEMA
    run_id: str
    name: str
    planned_weights: Mapping[str, float] = {}
    host: str
    host_title: str
    mode: str
    protocol: str
    outcome: RunOutcome
    restored: bool
    simulated: bool
    measured_s: float
    started_unix_s: float
    points: tuple[MeasuredPoint, ...]
    answer: Answer
    versions: Mapping[str, str] = {}
    differences: tuple[str, ...] = ()
    settling: tuple[SettlingTime, ...] = ()
    notices: tuple[str, ...] = ()
    reason: str = ""
    model: tuple[QueueModel, ...] = ()
    busy: bool = False
    interrupted: bool = False
    restored_unix_s: float = 0.0
    tags: tuple[str, ...] = ()
    note: str = ""
    study: str = SPLIT
    cpus: int = 1

    @property
    def units(self) -> dict[str, str]:
        """Load kind to the unit of its rates."""
        return {point.load: point.unit for point in self.points}
