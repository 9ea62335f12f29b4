"""Headline: the decision of a sweep in one or two sentences."""

from scheduler.model.decision import DecisionKind, SweepDecision, SweepPurpose
from scheduler.model.number_texts import (
    format_about_minutes,
    format_interval,
    format_percent,
    format_signed_percent,
    is_interval_known,
)
from scheduler.model.results import SplitVerdict
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import Mode
from scheduler.stats import objective_words
from scheduler.stats.reasons import RecommendationInput
from scheduler.stats.verdict import SplitJudgement

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def write_headline(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    """Return the decision as text.

    The text begins with the objective where that is not the weighted mean of all loads.

    Args:
        case: The sweep and its points.
        found: The best split and its verdict.
        decision: The decision to describe.
    """
    sentence, title = (
        _decision_sentence(case, found, decision),
        objective_words.format_objective(case.objective, case.cells.kinds),
    )
    return f"{title}: {sentence[:1].lower()}{sentence[1:]}" if title else sentence


def _decision_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    match decision.kind:
        case DecisionKind.UNKNOWN:
            return _unknown_gain_sentence(case, found, decision)
        case DecisionKind.STAY if decision.missing:
            return f"Keep the original settings. The split has no effect: {decision.missing}."
        case _ if decision.purpose is SweepPurpose.DIVIDE:
            return _divide_sentence(case, found, decision)
        case DecisionKind.CHANGE:
            return _change_sentence(case, found, decision)
        case DecisionKind.STAY:
            return _keep_sentence(case, found, decision)
        case DecisionKind.NOT_YET:
            return _not_yet_sentence(case, decision)


def _change_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    start = f"Change to {decision.label}: {_gain_words(decision)} over the original settings"
    return f"{start}{objective_words.describe_gain_scope(case.objective)}.{_equals_sentence(found)}"


def _keep_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    span = _interval_words(decision)
    best = f"the best, {decision.label}: {span}" if span else f"the best is {decision.label}"
    where = objective_words.describe_gain_scope(case.objective)
    start = (
        f"Keep the original settings: no split gains {format_percent(decision.worth_frac)} over the original "
        f"settings{where} ({best})."
    )
    if case.spec.mode is not Mode.CAPS or found.verdict is SplitVerdict.NONE or decision.gain_frac is None:
        return start
    if decision.gain_frac >= 0:
        return start
    return f"{start} To divide the CPU anyway, use {decision.label}, which costs {format_percent(-decision.gain_frac)}."


def _not_yet_sentence(case: RecommendationInput, decision: SweepDecision) -> str:
    where = objective_words.describe_gain_scope(case.objective)
    if decision.missing:
        return f"Keep the original settings for now: {decision.missing}."
    if decision.gain_ci95_frac is None:
        return f"Keep the original settings for now: too few trials show the gain of {decision.label}{where}."
    low, high = decision.gain_ci95_frac
    worth = format_percent(decision.worth_frac)
    if not is_interval_known(low, high):
        may = f"the trials differ too much to estimate the gain of {decision.label}"
    elif low >= 0:
        may = f"{decision.label} gains {format_interval(low, high)}, and {worth} is worth a change"
    elif high <= 0 or high < decision.worth_frac:
        may = f"{decision.label} does not gain {worth}, another split may"
    else:
        may = f"{decision.label} may gain up to {format_percent(high)} or lose {format_percent(-low)}"
    return f"Keep the original settings for now: {may}{where}.{_time_words(decision)}"


def _divide_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    cost = _cost_words(decision, objective_words.describe_gain_scope(case.objective))
    if decision.kind is DecisionKind.CHANGE:
        return f"Divide the CPU {decision.label}.{_equals_sentence(found)} {cost}"
    return f"Not decided yet: {decision.label} looks best so far. {cost}{_time_words(decision)}"


def _unknown_gain_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    count = len(case.cells.labels)
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    so_far = "Best so far" if found.verdict is SplitVerdict.NONE else "Best"
    missing = f": {decision.missing}" if decision.missing else ""
    gain = f"The gain of {decision.label} over the original settings was not measured{missing}."
    if count == 1:
        return f"Only {decision.label} was measured. {gain}"
    return f"{so_far} of the {number}: {decision.label}.{_equals_sentence(found)} {gain}"


def _equals_sentence(found: SplitJudgement) -> str:
    """Return a sentence about the splits that are or may be as good; else empty."""
    others = found.members[1:]
    if not others or found.verdict is SplitVerdict.NONE:
        return ""
    if not found.proven:
        return f" {join_names(others)} may be as good."
    be = "is" if len(others) == 1 else "are"
    return f" {join_names(others)} {be} as good, within {format_percent(found.against.tolerance_frac)}."


def _gain_words(decision: SweepDecision) -> str:
    gain = format_signed_percent(decision.gain_frac or 0.0)
    if decision.gain_ci95_frac is None:
        return gain
    return f"{gain} ({format_interval(*decision.gain_ci95_frac)})"


def _interval_words(decision: SweepDecision) -> str:
    return format_interval(*decision.gain_ci95_frac) if decision.gain_ci95_frac is not None else ""


def _cost_words(decision: SweepDecision, where: str) -> str:
    if decision.gain_frac is None:
        return "Its cost against the original settings was not measured."
    low, high = decision.gain_ci95_frac or (decision.gain_frac, decision.gain_frac)
    if not is_interval_known(low, high):
        return f"Its cost against the original settings is not known: the trials differ too much{where}."
    if high <= 0:
        span = f" ({format_interval(-high, -low)})" if decision.gain_ci95_frac else ""
        return f"It costs {format_percent(-decision.gain_frac)}{span} against the original settings{where}."
    if low >= 0:
        span = f" ({format_interval(low, high)})" if decision.gain_ci95_frac else ""
        return f"It gains {format_percent(decision.gain_frac)}{span} over the original settings{where}."
    return (
        f"Against the original settings it may cost up to {format_percent(-low)} or gain {format_percent(high)}{where}."
    )


def _time_words(decision: SweepDecision) -> str:
    if decision.minutes_left is None:
        return ""
    return f" About {format_about_minutes(decision.minutes_left)} more would probably decide."
