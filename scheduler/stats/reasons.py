"""Reasons of a recommendation as sentences, most important first."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.number_texts import (
    format_blocks,
    format_duration,
    format_interval,
    format_more_trials,
    format_percent,
    format_signed_percent,
    format_trials,
    round_about_s,
)
from scheduler.model.objective import LIMITED, Objective
from scheduler.model.results import MeasuredPoint, RegretRow, SplitVerdict
from scheduler.model.sentence_texts import format_load_rate, join_names, load_title
from scheduler.model.spec import Mode, RunSpec
from scheduler.stats import objective_words, saved_time
from scheduler.stats.best_probability import BestOdds
from scheduler.stats.gain import SplitGain
from scheduler.stats.interpolation import SplitProspect
from scheduler.stats.paired_comparison import TrialCells
from scheduler.stats.rate_modes import TwoModes
from scheduler.stats.regret import find_best_weight_range
from scheduler.stats.trial_quality import TrialQuality
from scheduler.stats.verdict import TOO_NOISY, SplitJudgement, estimate_more_trials
from scheduler.translation import _, ngettext


class RecommendationInput(msgspec.Struct, frozen=True, kw_only=True):
    """Input of a recommendation.

    Attributes:
        spec: The sweep.
        objective: Meaning of "best".
        weights: Load kind to normalised weight, 0..1.
        points: (label, load) to point, baseline included.
        cells: The judged splits.
        unmeasured: Labels that were not measured under every load with weight.
        failed: Label to reason, for splits that were measured but cannot be judged.
        troubles: Quality of the trials.
        spent_s: Seconds of settling and measuring.
        idle: Loads under which weights decided little; they count only where no other load is left.
        history: Sentence about the earlier run that the sweep began with; empty without a history.
        modes: Loads whose trials run at two rates.
        cpus: Number of CPUs that the domains share, >= 1.
    """

    spec: RunSpec
    objective: Objective
    weights: Mapping[str, float]
    points: Mapping[tuple[str, str], MeasuredPoint]
    cells: TrialCells
    unmeasured: tuple[str, ...]
    failed: Mapping[str, str]
    troubles: TrialQuality
    spent_s: float = 0.0
    idle: tuple[str, ...] = ()
    history: str = ""
    modes: tuple[TwoModes, ...] = ()
    cpus: int = 1

    @property
    def obstacle(self) -> str:
        """Reason why the trials support no recommendation; empty for none."""
        if self.unmeasured:
            return ngettext(
                "{splits} was not measured under every load",
                "{splits} were not measured under every load",
                len(self.unmeasured),
            ).format(splits=join_names(self.unmeasured))
        if self.has_idle_load:
            return _("{without_effect}, so differences between splits are noise there").format(
                without_effect=self.without_effect
            )
        return self.troubles.obstacle

    @property
    def without_effect(self) -> str:
        """Clause that weights decided little under every load that counts; else empty."""
        return (
            _("weights had little effect under {idle}").format(idle=join_names(map(load_title, self.idle)))
            if self.has_idle_load
            else ""
        )

    @property
    def has_idle_load(self) -> bool:
        """True when weights decided little under a load that counts."""
        return any(self.weights.get(kind, 0.0) > 0 for kind in self.idle)

    @property
    def added(self) -> tuple[str, ...]:
        """Labels of judged splits that the plan did not name.

        The sweep added them for their predicted gain.
        """
        planned = {setting.label for setting in self.spec.settings}
        return tuple(label for label in self.cells.labels if label not in planned)


class ReasonGroups(msgspec.Struct, frozen=True):
    """The sentences by purpose; a reader with little time needs the second group.

    Attributes:
        evidence: Measurements and their certainty.
        means: Consequences of using the split.
        limits: Limits of validity, and excluded splits.
    """

    evidence: tuple[str, ...]
    means: tuple[str, ...]
    limits: tuple[str, ...]


def build_reasons(
    case: RecommendationInput,
    found: SplitJudgement,
    gain: SplitGain | None,
    table: Sequence[RegretRow],
    runner_up: str,
    odds: BestOdds | None,
) -> ReasonGroups:
    """Return the reasons of a recommendation.

    Args:
        case: The sweep and its points.
        found: The named split and its verdict.
        gain: Gain over the original settings; None when it was not measured.
        table: The regret table.
        runner_up: Label of the next best split; empty for none.
        odds: Odds of the named split; None where there are none.
    """
    evidence = [
        _evidence_sentence(case, found),
        _added_splits_sentence(case),
        _runner_up_sentence(case, found, runner_up),
        _possible_sentence(found),
        odds.sentence(found.named) if odds else "",
        *_adjustment_sentences(case),
        case.history,
        "" if found.verdict is SplitVerdict.NONE else saved_time.describe_saved_time(case.spec, case.spent_s),
    ]
    means = [
        _gain_sentence(gain, found.named, objective_words.describe_gain_scope(case.objective)) if gain else "",
        *objective_words.list_objective_reasons(case.objective, found.named, table, case.points),
        *_load_sentences(case, found, table),
        *_bottleneck_sentences(case, found),
        _weight_range_sentence(case, found),
    ]
    limits = [
        _excluded_loads_sentence(case),
        *(_("{label} was excluded: {why}.").format(label=label, why=why) for label, why in case.failed.items()),
        case.troubles.sentence,
        *(modes.sentence for modes in case.modes),
        _validity_sentence(case, found),
    ]
    return ReasonGroups(_drop_empty(evidence), _drop_empty(means), _drop_empty(limits))


def _drop_empty(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if line)


def describe_prospect(found: SplitProspect, leader: str, *, looked: bool) -> tuple[str, ...]:
    """Return sentences about splits that were not measured.

    Args:
        found: The result of the interpolation.
        leader: Label of the best measured split.
        looked: True when the plan searched for further splits: only then "none gains more" is a result.
    """
    if found.setting:
        return (
            _('{found} Measure it: run the same plan with splits = ["{leader}", "{label}"].').format(
                found=found.text, leader=leader, label=found.setting.label
            ),
        )
    return (found.text,) if found.text and (found.beyond or looked) else ()


def withhold_recommendation(case: RecommendationInput, found: SplitJudgement) -> SplitJudgement:
    """Return the same evidence without a recommendation where an obstacle prevents it.

    See `RecommendationInput.obstacle`.

    Args:
        case: The sweep and its points.
        found: The judged splits.
    """
    if not case.obstacle:
        return found
    own = "" if case.has_idle_load else found.obstacle  # idle loads are reason enough
    obstacle = "; ".join(part for part in (case.obstacle, own) if part)
    return msgspec.structs.replace(
        found, verdict=SplitVerdict.NONE, members=(found.named,), obstacle=obstacle, comparable=False
    )


def explain_no_evidence(case: RecommendationInput) -> tuple[str, ...]:
    """Return why there is no evidence when no split was measured under every load."""
    lines = [f"{label}: {why}." for label, why in case.failed.items()]
    if case.unmeasured:
        lines.append(_("Not measured under every load: {unmeasured}.").format(unmeasured=join_names(case.unmeasured)))
    return (_("Not enough evidence: a split is judged only when every load with weight has a valid trial."), *lines)


def _evidence_sentence(case: RecommendationInput, found: SplitJudgement) -> str:
    doubt = found.against.doubt
    confidence = format_percent(1 - doubt) if doubt > 0.01 else "above 99 %"
    if found.verdict is SplitVerdict.RECOMMEND:
        claim = objective_words.describe_claim(case.objective, found.named, len(case.cells.labels))
        return _("{claim} (confidence {confidence}, {trials_words} per split and load).").format(
            claim=claim, confidence=confidence, trials_words=_trials_words(found.against.trials)
        )
    if found.verdict is SplitVerdict.EQUIVALENT:
        tolerance = format_percent(found.against.tolerance_frac)
        return _(
            "Between {members} lies at most {spread_frac} at 95 % confidence; no other split is "
            "more than {tolerance} better than {named}."
        ).format(
            members=join_names(found.members),
            spread_frac=format_percent(found.spread_frac),
            tolerance=tolerance,
            named=found.named,
        )
    return _("Not enough evidence: {obstacle}.{next_step_sentence}").format(
        obstacle=found.obstacle, next_step_sentence=_next_step_sentence(case, found)
    )


def _trials_words(trials: Mapping[str, int]) -> str:
    """Return the number of trials per split as text, from the least to the most."""
    least, most = min(trials.values()), max(trials.values())
    return _("{least} to {most} trials").format(least=least, most=most) if least < most else format_trials(most)


def _gain_sentence(gain: SplitGain, label: str, where: str) -> str:
    """Return the gain over the original settings, with its interval and its blocks."""
    blocks = format_blocks(gain.pairs)
    known = (
        _("95 % interval {ci95_frac}").format(ci95_frac=format_interval(*gain.ci95_frac))
        if gain.ci95_frac
        else _("no interval, too few trials")
    )
    return _("{label} against the original settings{where}: {frac} ({known}, {blocks}).").format(
        label=label, where=where, frac=format_signed_percent(gain.frac), known=known, blocks=blocks
    )


def _added_splits_sentence(case: RecommendationInput) -> str:
    if not case.added:
        return ""
    if case.spec.kind.mode is Mode.DEDICATED:
        text = ngettext(
            "{added} was not in the plan: next to the best number so far, and therefore measured.",
            "{added} were not in the plan: next to the best number so far, and therefore measured.",
            len(case.added),
        )
    else:
        text = ngettext(
            "{added} was not in the plan. It had a larger predicted gain than the splits of the plan, and was "
            "measured.",
            "{added} were not in the plan. They had a larger predicted gain than the splits of the plan, and were "
            "measured.",
            len(case.added),
        )
    return text.format(added=join_names(case.added))


def _next_step_sentence(case: RecommendationInput, found: SplitJudgement) -> str:
    if case.unmeasured or not found.against.rivals:
        return ""
    if case.has_idle_load:
        return _(" Use the mode 'caps', or more users.")
    if case.troubles.obstacle:
        return f" {case.troubles.advice}"
    if found.against.sd > TOO_NOISY:
        return _(" Check for other programs on that host and on the computer of the clients.")
    more = estimate_more_trials(found.against)
    if more is None:
        return _(" More trials of the same length would hardly decide; longer ones might.")
    count, labels = more
    protocol = case.spec.protocol
    per_trial_s = protocol.settle_s + protocol.measure_s
    time_s = count * (1 + len(labels)) * len(case.spec.mixes) * per_trial_s
    trials = format_more_trials(count)
    return _(" About {trials} of {labels} ({round_about_s}) would decide.").format(
        trials=trials, labels=join_names(labels), round_about_s=format_duration(round_about_s(max(60.0, time_s)))
    )


def _runner_up_sentence(case: RecommendationInput, found: SplitJudgement, runner_up: str) -> str:
    rival = found.against.rivals.get(runner_up)
    if case.objective.name == LIMITED:
        return ""  # the loss may be a break of the limit, which has its own sentence
    if rival is None or rival.pairs == 0 or found.verdict is SplitVerdict.NONE:
        return ""
    return _("Second best is {runner_up}: {loss_frac} less (at 95 %, {loss_range_words}).").format(
        runner_up=runner_up,
        loss_frac=format_percent(_loss_frac(rival.ahead)),
        loss_range_words=_loss_range_words(*rival.interval_frac),
    )


def _loss_range_words(low_frac: float, high_frac: float) -> str:
    """Return an interval of a loss as text, without signs that could be misread."""
    if low_frac < 0 < high_frac:
        return _("between {low_frac} more and {high_frac} less").format(
            low_frac=format_percent(-low_frac), high_frac=format_percent(high_frac)
        )
    return format_interval(low_frac, high_frac)


def _possible_sentence(found: SplitJudgement) -> str:
    labels = [label for label in found.against.possible if label not in found.members]
    if not labels or found.verdict is SplitVerdict.NONE:
        return ""
    return _("May be as good within {tolerance_frac}: {labels}.").format(
        tolerance_frac=format_percent(found.against.tolerance_frac), labels=join_names(labels)
    )


def _excluded_loads_sentence(case: RecommendationInput) -> str:
    if not case.idle or case.has_idle_load:
        return ""
    return ngettext(
        "{loads} does not count: weights had little effect there; differences are noise.",
        "{loads} do not count: weights had little effect there; differences are noise.",
        len(case.idle),
    ).format(loads=join_names(map(load_title, case.idle)))


def _adjustment_sentences(case: RecommendationInput) -> list[str]:
    lines: list[str] = []
    for kind, adjustment in zip(case.cells.kinds, case.cells.adjustments, strict=False):
        if adjustment is None:
            continue
        before, after = format_percent(adjustment.sd_before), format_percent(adjustment.sd_after)
        if before != after:
            lines.append(
                _(
                    "{load} was adjusted for CPU time that others took: its trials differ by {after} "
                    "instead of {before}."
                ).format(load=load_title(kind), after=after, before=before)
            )
    return lines


def _loss_frac(ahead: float) -> float:
    return -math.expm1(-ahead)


def _load_sentences(case: RecommendationInput, found: SplitJudgement, table: Sequence[RegretRow]) -> list[str]:
    row = next((row for row in table if row.label == found.named), None)
    if row is None or len(row.loss_frac) < 2:
        return []
    return [
        _("{load} runs at {compare_with_best}.").format(
            load=load_title(kind), compare_with_best=_compare_with_best(case, row, kind, table)
        )
        for kind in row.loss_frac
    ]


def _compare_with_best(case: RecommendationInput, row: RegretRow, kind: str, table: Sequence[RegretRow]) -> str:
    """Compare a split with the best split of a load.

    The figures are those of the regret table, as in headline and report.
    """
    point = case.points.get((row.label, kind))
    rate = format_load_rate(point.mean_tps or 0.0 if point else 0.0, kind, case.spec.units[kind])
    best = min((other for other in table if kind in other.loss_frac), key=lambda other: other.loss_frac[kind])
    if row.loss_frac[kind] <= best.loss_frac[kind]:
        return _("{rate}, its best split").format(rate=rate)
    return _("{rate}, {loss_frac} less than at its own best split, {label}").format(
        rate=rate, loss_frac=format_percent(row.loss_frac[kind]), label=best.label
    )


def _bottleneck_sentences(case: RecommendationInput, found: SplitJudgement) -> list[str]:
    lines: list[str] = []
    for load in case.spec.loads:
        point = case.points.get((found.named, load.name))
        if point is None or not point.bottleneck_text:
            continue
        lines.append(
            _("{load} at {named}: {bottleneck}").format(
                load=load_title(load.name), named=found.named, bottleneck=point.bottleneck_text
            )
        )
        if point.bottleneck is Bottleneck.CLIENT:
            lines.append(
                _("The load generator held {load} back: with more CPUs the best may lie elsewhere.").format(
                    load=load_title(load.name)
                )
            )
    return lines


def _weight_range_sentence(case: RecommendationInput, found: SplitJudgement) -> str:
    if not case.objective.weighs:
        return ""
    range_frac = find_best_weight_range(case.cells, found.named, tuple(found.against.rivals))
    if range_frac is None or found.verdict is not SplitVerdict.RECOMMEND:
        return ""
    first, second = (load_title(kind) for kind in case.cells.kinds)
    return _(
        "{named} stays the best measured split while {first} counts {range_frac} to "
        "{range_frac_2} and {second} the rest."
    ).format(
        named=found.named,
        first=first,
        range_frac=format_percent(range_frac[0]),
        range_frac_2=format_percent(range_frac[1]),
        second=second,
    )


def _validity_sentence(case: RecommendationInput, found: SplitJudgement) -> str:
    if found.verdict is SplitVerdict.NONE:
        return ""
    if case.spec.protocol.restart_settle_s:
        return _("The database was restarted before each block, so the result is valid across restarts.")
    return _("The database was not restarted between blocks: this is valid for this database session only.")
