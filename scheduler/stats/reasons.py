"""The recommendation in plain sentences with its figures, most important first."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.number_texts import about_s, duration, interval, percent, signed_percent
from scheduler.model.objective import LIMITED, Objective
from scheduler.model.results import Point, RegretRow, Verdict
from scheduler.model.spec import RunSpec
from scheduler.model.words import listing, load_title, rate
from scheduler.stats import aims, effort
from scheduler.stats.between import Prospect
from scheduler.stats.compare import Cells
from scheduler.stats.gain import Gain
from scheduler.stats.modes import TwoModes
from scheduler.stats.odds import Odds
from scheduler.stats.regret import standing_weights
from scheduler.stats.troubles import Troubles
from scheduler.stats.verdict import TOO_NOISY, Judgement, more_trials


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """What a recommendation is made from.

    Attributes:
        spec: The sweep.
        objective: What "best" means.
        weights: Load kind to normalised weight.
        points: (label, load) to point, baseline included.
        cells: The judged splits.
        unmeasured: Labels that were not visited under every load with weight.
        failed: Label to reason, for splits that were visited but cannot be judged.
        troubles: What stood in the way of the visits.
        spent_s: Seconds of settling and measuring.
        idle: Loads under which the weights of a share sweep decided little; they count only where no other is left.
        history: Sentence about the earlier run that the sweep began with; empty without one.
        modes: Loads whose trials run at two rates.
    """

    spec: RunSpec
    objective: Objective
    weights: Mapping[str, float]
    points: Mapping[tuple[str, str], Point]
    cells: Cells
    unmeasured: tuple[str, ...]
    failed: Mapping[str, str]
    troubles: Troubles
    spent_s: float = 0.0
    idle: tuple[str, ...] = ()
    history: str = ""
    modes: tuple[TwoModes, ...] = ()

    @property
    def obstacle(self) -> str:
        """Why nothing can be recommended, whatever the visits say; else empty."""
        if self.unmeasured:
            be = "was" if len(self.unmeasured) == 1 else "were"
            return f"{listing(self.unmeasured)} {be} not measured under every load"
        if self.idles:
            return f"{self.without_effect}, so what splits differ by there is noise"
        return self.troubles.obstacle

    @property
    def without_effect(self) -> str:
        """Clause that weights decided little under every load that counts; empty where they decided something."""
        return f"weights decided little under {listing(map(load_title, self.idle))}" if self.idles else ""

    @property
    def idles(self) -> bool:
        """True when a load counts under which weights decided little."""
        return any(self.weights.get(kind, 0.0) > 0 for kind in self.idle)

    @property
    def added(self) -> tuple[str, ...]:
        """Labels of splits that were judged though the plan did not name them: they promised more."""
        planned = {setting.label for setting in self.spec.settings}
        return tuple(label for label in self.cells.labels if label not in planned)


class Reasons(msgspec.Struct, frozen=True):
    """The sentences by what they are good for; a reader with little time needs the second group.

    Attributes:
        evidence: What was seen, and how certain it is.
        means: What taking the split comes to.
        limits: How far that holds, and what was left out.
    """

    evidence: tuple[str, ...]
    means: tuple[str, ...]
    limits: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """All of them, most important first: the claim, what it means, what else was seen, how far it holds."""
        return (*self.evidence[:1], *self.means, *self.evidence[1:], *self.limits)


def sentences(
    case: Case, found: Judgement, gain: Gain | None, table: Sequence[RegretRow], runner_up: str, odds: Odds | None
) -> Reasons:
    """Return the reasons."""
    evidence = [
        _evidence(case, found),
        _added(case),
        _next_best(case, found, runner_up),
        _possible(found),
        odds.sentence(found.named) if odds else "",
        *_adjusted(case),
        case.history,
        "" if found.verdict is Verdict.NONE else effort.sentence(case.spec, case.spent_s),
    ]
    means = [
        _gain_sentence(gain, found.named, aims.where(case.objective)) if gain else "",
        *aims.reasons(case.objective, found.named, table, case.points),
        *_per_load(case, found, table),
        *_bottlenecks(case, found),
        _weight_range(case, found),
    ]
    limits = [
        _not_counted(case),
        *(f"{label} was left out: {why}." for label, why in case.failed.items()),
        case.troubles.sentence,
        *(modes.sentence for modes in case.modes),
        _validity(case, found),
    ]
    return Reasons(_said(evidence), _said(means), _said(limits))


def _said(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if line)


def further(found: Prospect, leader: str, *, looked: bool) -> tuple[str, ...]:
    """Return what to say of splits that were not measured; that none promises more only where it was looked for one."""
    if found.split:
        return (f'{found.text} Measure it: run the same plan with splits = ["{leader}", "{found.split}"].',)
    return (found.text,) if found.text and (found.beyond or looked) else ()


def hindered(case: Case, found: Judgement) -> Judgement:
    """Return the same evidence without a recommendation where something stands in its way; see `Case.obstacle`."""
    if not case.obstacle:
        return found
    own = "" if case.idles else found.obstacle  # nothing else matters then
    obstacle = "; ".join(part for part in (case.obstacle, own) if part)
    return msgspec.structs.replace(
        found, verdict=Verdict.NONE, members=(found.named,), obstacle=obstacle, comparable=False
    )


def without_evidence(case: Case) -> tuple[str, ...]:
    """Return why nothing can be said when no split was measured under every load."""
    lines = [f"{label}: {why}." for label, why in case.failed.items()]
    if case.unmeasured:
        lines.append(f"Not measured under every load: {listing(case.unmeasured)}.")
    return ("Not enough evidence: a split is judged only when every load with weight has a valid trial.", *lines)


def _evidence(case: Case, found: Judgement) -> str:
    doubt = found.against.doubt
    confidence = percent(1 - doubt) if doubt > 0.01 else "above 99 %"
    if found.verdict is Verdict.RECOMMEND:
        claim = aims.claim(case.objective, found.named, len(case.cells.labels))
        return f"{claim} (confidence {confidence}, {_trials_words(found.against.trials)} per split and load)."
    if found.verdict is Verdict.EQUIVALENT:
        zone = percent(found.against.zone_frac)
        return (
            f"Between {listing(found.members)} lies at most {percent(found.spread_frac)} at 95 % confidence; "
            f"no other split is more than {zone} better than {found.named}."
        )
    return f"Not enough evidence: {found.obstacle}.{_what_would_decide(case, found)}"


def _trials_words(trials: Mapping[str, int]) -> str:
    """Return the number of trials, from the least to the most that a split had."""
    least, most = min(trials.values()), max(trials.values())
    return f"{least} to {most} trials" if least < most else f"{most} trial{'' if most == 1 else 's'}"


def _gain_sentence(gain: Gain, label: str, where: str) -> str:
    """Return the gain over the original settings with its interval and the number of blocks it rests on."""
    blocks = f"{gain.pairs} {'block' if gain.pairs == 1 else 'blocks'}"
    known = f"95 % interval {interval(*gain.ci95_frac)}" if gain.ci95_frac else "no interval, too few trials"
    return f"{label} against the original settings{where}: {signed_percent(gain.frac)} ({known}, {blocks})."


def _added(case: Case) -> str:
    if not case.added:
        return ""
    be, they = ("was", "it") if len(case.added) == 1 else ("were", "they")
    return f"{listing(case.added)} {be} not in the plan: between its splits {they} promised more, and {be} measured."


def _what_would_decide(case: Case, found: Judgement) -> str:
    if case.unmeasured or not found.against.rivals:
        return ""
    if case.idles:
        return " Use the mode 'partition', or more users."
    if case.troubles.obstacle:
        return f" {case.troubles.advice}"
    if found.against.sd > TOO_NOISY:
        return " What else runs on that host, or on the clients' computer?"
    more = more_trials(found.against)
    if more is None:
        return " More trials of the same length would hardly decide; longer ones might."
    count, labels = more
    protocol = case.spec.protocol
    per_trial_s = protocol.settle_s + protocol.measure_s
    time_s = count * (1 + len(labels)) * len(case.spec.mixes) * per_trial_s
    trials = f"{count} more trial{'' if count == 1 else 's'}"
    return f" About {trials} of {listing(labels)} ({duration(about_s(max(60.0, time_s)))}) would decide."


def _next_best(case: Case, found: Judgement, runner_up: str) -> str:
    rival = found.against.rivals.get(runner_up)
    if case.objective.name == LIMITED:
        return ""  # what it lacks may be a break of the limit, which is said already
    if rival is None or rival.pairs == 0 or found.verdict is Verdict.NONE:
        return ""
    return f"Next comes {runner_up}: {percent(_loss(rival.ahead))} less (at 95 %, {_range(*rival.interval_frac)})."


def _range(low_frac: float, high_frac: float) -> str:
    """Return an interval of what is lost in words: a sign would change its meaning inside the sentence."""
    if low_frac < 0 < high_frac:
        return f"between {percent(-low_frac)} more and {percent(high_frac)} less"
    return interval(low_frac, high_frac)


def _possible(found: Judgement) -> str:
    labels = [label for label in found.against.possible if label not in found.members]
    if not labels or found.verdict is Verdict.NONE:
        return ""
    return f"May be as good within {percent(found.against.zone_frac)}: {listing(labels)}."


def _not_counted(case: Case) -> str:
    if not case.idle or case.idles:
        return ""
    be = "does" if len(case.idle) == 1 else "do"
    return f"{listing(map(load_title, case.idle))} {be} not count: weights decided little there; differences are noise."


def _adjusted(case: Case) -> list[str]:
    lines: list[str] = []
    for kind, adjustment in zip(case.cells.kinds, case.cells.adjustments, strict=False):
        if adjustment is None:
            continue
        before, after = percent(adjustment.sd_before), percent(adjustment.sd_after)
        if before != after:
            lines.append(
                f"{load_title(kind)} was adjusted for CPU time that others took: "
                f"its trials differ by {after} instead of {before}."
            )
    return lines


def _loss(ahead: float) -> float:
    return -math.expm1(-ahead)


def _per_load(case: Case, found: Judgement, table: Sequence[RegretRow]) -> list[str]:
    row = next((row for row in table if row.split == found.named), None)
    if row is None or len(row.loss_frac) < 2:
        return []
    return [f"{load_title(kind)} runs at {_against_best(case, row, kind, table)}." for kind in row.loss_frac]


def _against_best(case: Case, row: RegretRow, kind: str, table: Sequence[RegretRow]) -> str:
    """Compare a split with the best one of a load by the losses of the regret table, as head and report do."""
    point = case.points.get((row.split, kind))
    told = rate(point.mean_tps or 0.0 if point else 0.0, kind, case.spec.units[kind])
    best = min((other for other in table if kind in other.loss_frac), key=lambda other: other.loss_frac[kind])
    if row.loss_frac[kind] <= best.loss_frac[kind]:
        return f"{told}, its best split"
    return f"{told}, {percent(row.loss_frac[kind])} less than at its own best split, {best.split}"


def _bottlenecks(case: Case, found: Judgement) -> list[str]:
    lines: list[str] = []
    for load in case.spec.loads:
        point = case.points.get((found.named, load.name))
        if point is None or not point.bottleneck_text:
            continue
        lines.append(f"{load_title(load.name)} at {found.named}: {point.bottleneck_text}")
        if point.bottleneck is Bottleneck.CLIENT:
            lines.append(
                f"The load generator held {load_title(load.name)} back: with more CPUs the best may lie elsewhere."
            )
    return lines


def _weight_range(case: Case, found: Judgement) -> str:
    if not case.objective.weighs:
        return ""
    stands = standing_weights(case.cells, found.named, tuple(found.against.rivals))
    if stands is None or found.verdict is not Verdict.RECOMMEND:
        return ""
    first, second = (load_title(kind) for kind in case.cells.kinds)
    return (
        f"{found.named} stays the best measured split while {first} counts {percent(stands[0])} to "
        f"{percent(stands[1])} and {second} the rest."
    )


def _validity(case: Case, found: Judgement) -> str:
    if found.verdict is Verdict.NONE:
        return ""
    if case.spec.protocol.restart_settle_s:
        return "The database was started anew before each block: this holds across its restarts."
    return "The database was not restarted between blocks: this is valid for this database session only."
