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
from scheduler.stats.whole_cpus import describe_own_cpus, format_cpu_counts, grants_cpus, has_neighbours, name_split
from scheduler.translation import _, ngettext

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
            return _("Keep the original settings. The {thing} has no effect: {missing}.").format(
                thing=_thing(case), missing=decision.missing
            )
        case _ if decision.purpose is SweepPurpose.DIVIDE:
            return _divide_sentence(case, found, decision)
        case DecisionKind.CHANGE:
            return _change_sentence(case, found, decision)
        case DecisionKind.STAY:
            return _keep_sentence(case, found, decision)
        case DecisionKind.NOT_YET:
            return _not_yet_sentence(case, decision)


def _change_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    order = (
        _("Give {own_cpus}").format(own_cpus=describe_own_cpus(case, decision.label))
        if grants_cpus(case)
        else _("Change to {label}").format(label=decision.label)
    )
    start = _("{order}: {gain_words} over the original settings").format(order=order, gain_words=_gain_words(decision))
    return f"{start}{objective_words.describe_gain_scope(case.objective)}.{_equals_sentence(case, found)}"


def _keep_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    span = _interval_words(decision)
    named = name_split(case, decision.label)
    best = (
        _("the best, {named}: {span}").format(named=named, span=span)
        if span
        else _("the best is {named}").format(named=named)
    )
    where = objective_words.describe_gain_scope(case.objective)
    number = "number" if has_neighbours(case, decision.label) else _("measured number")
    none = (
        _("Leave it: no {number} of CPUs").format(number=number)
        if grants_cpus(case)
        else _("Keep the original settings: no split")
    )
    start = _("{none} gains {worth_frac} over the original settings{where} ({best}).").format(
        none=none, worth_frac=format_percent(decision.worth_frac), where=where, best=best
    )
    if case.spec.mode is not Mode.CAPS or found.verdict is SplitVerdict.NONE or decision.gain_frac is None:
        return start
    if decision.gain_frac >= 0:
        return start
    return _("{start} To divide the CPU anyway, use {label}, which costs {gain_frac}.").format(
        start=start, label=decision.label, gain_frac=format_percent(-decision.gain_frac)
    )


def _not_yet_sentence(case: RecommendationInput, decision: SweepDecision) -> str:
    where = objective_words.describe_gain_scope(case.objective)
    if decision.missing:
        return _("Keep the original settings for now: {missing}.").format(missing=decision.missing)
    named = name_split(case, decision.label)
    verb = "gain" if named.endswith("CPUs") else "gains"
    if decision.gain_ci95_frac is None:
        return _("Keep the original settings for now: too few trials show the gain of {named}{where}.").format(
            named=named, where=where
        )
    low, high = decision.gain_ci95_frac
    worth = format_percent(decision.worth_frac)
    if not is_interval_known(low, high):
        may = _("the trials differ too much to estimate the gain of {named}").format(named=named)
    elif low >= 0:
        may = _("{named} {verb} {low}, and {worth} is worth a change").format(
            named=named, verb=verb, low=format_interval(low, high), worth=worth
        )
    elif high <= 0 or high < decision.worth_frac:
        may = _("{named} {value} not gain {worth}, another {thing} may").format(
            named=named, value="do" if verb == "gain" else "does", worth=worth, thing=_thing(case)
        )
    else:
        may = _("{named} may gain up to {high} or lose {low}").format(
            named=named, high=format_percent(high), low=format_percent(-low)
        )
    return _("Keep the original settings for now: {may}{where}.{time_words}").format(
        may=may, where=where, time_words=_time_words(decision)
    )


def _divide_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    cost = _cost_words(decision, objective_words.describe_gain_scope(case.objective))
    named = name_split(case, decision.label)
    if decision.kind is DecisionKind.CHANGE:
        order = (
            _("Give {own_cpus}").format(own_cpus=describe_own_cpus(case, decision.label))
            if grants_cpus(case)
            else _("Divide the CPU {named}").format(named=named)
        )
        return f"{order}.{_equals_sentence(case, found)} {cost}"
    looks = "look" if named.endswith("CPUs") else "looks"
    return _("Not decided yet: {named} {looks} best so far. {cost}{time_words}").format(
        named=named, looks=looks, cost=cost, time_words=_time_words(decision)
    )


def _unknown_gain_sentence(case: RecommendationInput, found: SplitJudgement, decision: SweepDecision) -> str:
    count = len(case.cells.labels)
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    so_far = _("Best so far") if found.verdict is SplitVerdict.NONE else "Best"
    missing = f": {decision.missing}" if decision.missing else ""
    named = name_split(case, decision.label)
    gain = _("The gain of {named} over the original settings was not measured{missing}.").format(
        named=named, missing=missing
    )
    if count == 1:
        return _("Only {label} was measured. {gain}").format(label=decision.label, gain=gain)
    return _("{so_far} of the {number}: {named}.{equals_sentence} {gain}").format(
        so_far=so_far, number=number, named=named, equals_sentence=_equals_sentence(case, found), gain=gain
    )


def _thing(case: RecommendationInput) -> str:
    """Return the word for a setting, after `another`."""
    return _("number of CPUs") if grants_cpus(case) else "split"


def _equals_sentence(case: RecommendationInput, found: SplitJudgement) -> str:
    """Return a sentence about the splits that are or may be as good; else empty."""
    others = found.members[1:]
    if not others or found.verdict is SplitVerdict.NONE:
        return ""
    names = format_cpu_counts(case, others) if grants_cpus(case) else join_names(others)
    if not found.proven:
        return _(" {names} may be as good.").format(names=names)
    text = ngettext(
        " {splits} is as good, within {tolerance}.", " {splits} are as good, within {tolerance}.", len(others)
    )
    return text.format(splits=names, tolerance=format_percent(found.against.tolerance_frac))


def _gain_words(decision: SweepDecision) -> str:
    gain = format_signed_percent(decision.gain_frac or 0.0)
    if decision.gain_ci95_frac is None:
        return gain
    return f"{gain} ({format_interval(*decision.gain_ci95_frac)})"


def _interval_words(decision: SweepDecision) -> str:
    return format_interval(*decision.gain_ci95_frac) if decision.gain_ci95_frac is not None else ""


def _cost_words(decision: SweepDecision, where: str) -> str:
    if decision.gain_frac is None:
        return _("Its cost against the original settings was not measured.")
    low, high = decision.gain_ci95_frac or (decision.gain_frac, decision.gain_frac)
    if not is_interval_known(low, high):
        return _("Its cost against the original settings is not known: the trials differ too much{where}.").format(
            where=where
        )
    if high <= 0:
        span = f" ({format_interval(-high, -low)})" if decision.gain_ci95_frac else ""
        return _("It costs {gain_frac}{span} against the original settings{where}.").format(
            gain_frac=format_percent(-decision.gain_frac), span=span, where=where
        )
    if low >= 0:
        span = f" ({format_interval(low, high)})" if decision.gain_ci95_frac else ""
        return _("It gains {gain_frac}{span} over the original settings{where}.").format(
            gain_frac=format_percent(decision.gain_frac), span=span, where=where
        )
    return _("Against the original settings it may cost up to {low} or gain {high}{where}.").format(
        low=format_percent(-low), high=format_percent(high), where=where
    )


def _time_words(decision: SweepDecision) -> str:
    if decision.minutes_left is None:
        return ""
    return _(" About {minutes_left} more would probably decide.").format(
        minutes_left=format_about_minutes(decision.minutes_left)
    )
