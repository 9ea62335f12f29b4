"""Summaries of runs for lists, so that a long list decodes no documents."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.decision import SweepDecision
from scheduler.model.documents import RunOutcome, RunStarted
from scheduler.model.load_name import LoadName
from scheduler.model.observation_documents import FollowStarted, ObservationStarted
from scheduler.model.results import MeasuredPoint, Results, leading_points
from scheduler.model.run_labels import RunLabels
from scheduler.model.setting import GuestsSetting, SplitSetting, UsersSetting
from scheduler.model.spec import Mode
from scheduler.model.studies import SPLIT, Setting, StudyFinding

WATCH, FOLLOW = "watch", "follow"
"""Names of observations, in the place of the name of a study."""

Curve = tuple[tuple[float, float], ...]


class LoadSummary(msgspec.Struct, frozen=True):
    """One load of a plan.

    Attributes:
        name: The load's name.
        users: Number of its users, >= 1.
    """

    name: LoadName
    users: int


class PlanSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a run's plan and host that lists show.

    Attributes:
        name: The plan's name; may be empty.
        host_url: URL of the host.
        host_title: The host in one line.
        simulated: True when nothing was measured on a machine.
        study: Name of the study; `watch` or `follow` for an observation.
        mode: Caps or weights.
        settings: Number of settings, >= 1.
        loads: The loads.
    """

    name: str
    host_url: str
    host_title: str
    simulated: bool
    study: str = SPLIT
    mode: Mode
    settings: int
    loads: tuple[LoadSummary, ...]

    @property
    def observes(self) -> bool:
        """True for a run that watched or followed a host; it has no plan."""
        return self.study in (WATCH, FOLLOW)


class AnswerSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of a run's results that lists show; `Results` describes the fields.

    Attributes:
        decision: Change, stay, not yet or unknown.
        headline: The answer as one sentence.
        restored: True when the host was restored and verified.
        interrupted: True when the run was interrupted.
        restored_unix_s: When the host was restored from outside, seconds since 1970; 0 otherwise.
        reason: Why the run did not complete; may be empty.
        finding: The finding of a study other than the split study.
        curves: Load to points along the axis: place, 0..1, and throughput as a fraction of that load's best, 0..1.
    """

    decision: SweepDecision = SweepDecision()
    headline: str = ""
    restored: bool = False
    interrupted: bool = False
    restored_unix_s: float = 0.0
    reason: str = ""
    finding: StudyFinding | None = None
    curves: Mapping[str, Curve] = {}


class RunOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Origin of a run that was imported from a run file.

    Attributes:
        file: Name of the file, without its folder.
        computer: Name of the computer that wrote the file; may be empty.
        imported_unix_s: When the run was imported here, seconds since 1970.
        planned_weights: Load kind to its weight in the plan, 0..1; empty unless the file was written with others.
        shown_weights: Load kind to its weight as shown when the file was written, 0..1; empty like `planned_weights`.
    """

    file: str
    computer: str = ""
    imported_unix_s: float
    planned_weights: Mapping[str, float] = {}
    shown_weights: Mapping[str, float] = {}


class RunEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a list.

    Attributes:
        run_id: Its id.
        started_unix_s: When it began, seconds since 1970.
        host_id: Stable identity of its host.
        plan: Its plan and host in short.
        outcome: How it ended; None while it runs, or when it was interrupted and nothing is known yet.
        restored: True when the host was restored and verified; None while the run goes on.
        answer: Its results in short; None until they are derived by the present rules.
        tags: The user's tags.
        title: The user's name for it; empty for its plan's name.
        note: The user's note.
        continues: Id of the run that it continues; empty for none.
        deleted_unix_s: When it was deleted; None while it is not. A deletion can be undone for a while.
        origin: Origin of a run from elsewhere; None for a run of this computer.
    """

    run_id: str
    started_unix_s: float
    host_id: str
    plan: PlanSummary
    outcome: RunOutcome | None = None
    restored: bool | None = None
    answer: AnswerSummary | None = None
    tags: tuple[str, ...] = ()
    title: str = ""
    note: str = ""
    continues: str = ""
    deleted_unix_s: float | None = None
    origin: RunOrigin | None = None

    @property
    def name(self) -> str:
        """The user's name for the run, or its plan's name; may be empty."""
        return self.title or self.plan.name

    @property
    def labels(self) -> RunLabels:
        """The user's name, tags and note; raises SpecError for labels of another program."""
        return RunLabels(title=self.title, tags=self.tags, note=self.note)

    @property
    def simulated(self) -> bool:
        """True when nothing was measured on a machine."""
        return self.plan.simulated

    def add_labels(self, results: Results) -> Results:
        """Return the run's results with the user's latest name, tags and note."""
        return msgspec.structs.replace(results, name=self.name, tags=self.tags, note=self.note)


def summarise_plan(started: RunStarted) -> PlanSummary:
    """Return a summary of a run's plan and host."""
    spec, facts = started.spec, started.facts
    return PlanSummary(
        name=spec.name,
        host_url=spec.host_url,
        host_title=facts.title,
        simulated=facts.simulated,
        study=spec.kind.name,
        mode=spec.mode,
        settings=len(spec.settings),
        loads=tuple(LoadSummary(load.name, load.users) for load in spec.loads),
    )


def summarise_observed(started: ObservationStarted) -> PlanSummary:
    """Return a summary of the host of an observation."""
    return PlanSummary(
        name="",
        host_url=started.host,
        host_title=started.title,
        simulated=started.simulated,
        study=FOLLOW if isinstance(started, FollowStarted) else WATCH,
        mode=started.mode,
        settings=1,
        loads=(),
    )


def summarise_results(results: Results) -> AnswerSummary:
    """Return a summary of results."""
    answer = results.answer
    return AnswerSummary(
        decision=answer.decision,
        headline=answer.headline,
        restored=results.restored,
        interrupted=results.interrupted,
        restored_unix_s=results.restored_unix_s,
        reason=results.reason,
        finding=answer.finding,
        curves=_build_curves(leading_points(results.points)),
    )


def _build_curves(points: Sequence[MeasuredPoint]) -> dict[str, Curve]:
    rates_tps: dict[str, dict[float, float]] = {}
    for point in points:
        if point.setting is not None and point.mean_tps is not None:
            at, place = rates_tps.setdefault(point.load, {}), _curve_position(point.setting)
            at[place] = max(at.get(place, 0.0), point.mean_tps)
    best = {load: max(at.values()) for load, at in rates_tps.items()}
    return {
        load: tuple((place, tps / best[load]) for place, tps in sorted(at.items()))
        for load, at in rates_tps.items()
        if best[load] > 0
    }


def _curve_position(setting: Setting) -> float:
    """Return the place of a setting in a small curve, 0..1."""
    match setting:
        case SplitSetting(split=split) | GuestsSetting(split=split):
            return split.io_frac
        case UsersSetting(users=users):
            return min(1.0, math.log2(users) / 8)  # 256 are the most
        case _:
            return setting.position / 3
