"""Write the decision as one sentence or two."""

from scheduler.model.decision import Decision, DecisionKind, Purpose
from scheduler.model.number_texts import about_minutes, interval, is_known, percent, signed_percent
from scheduler.model.results import Verdict
from scheduler.model.spec import Mode
from scheduler.model.words import listing
from scheduler.stats import aims
from scheduler.stats.reasons import Case
from scheduler.stats.verdict import Judgement

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def headline(case: Case, found: Judgement, decision: Decision) -> str:
    """Return the decision in words, the objective first where it is not the weighted mean of all loads."""
    sentence, title = _sentence(case, found, decision), aims.title(case.objective, case.cells.kinds)
    return f"{title}: {sentence[:1].lower()}{sentence[1:]}" if title else sentence


def _sentence(case: Case, found: Judgement, decision: Decision) -> str:
    match decision.kind:
        case DecisionKind.UNKNOWN:
            return _without_gain(case, found, decision)
        case DecisionKind.STAY if decision.missing:
            return f"It does not matter which split you set: {decision.missing}. Change nothing."
        case _ if decision.purpose is Purpose.DIVIDE:
            return _divide(case, found, decision)
        case DecisionKind.CHANGE:
            return _change(case, found, decision)
        case DecisionKind.STAY:
            return _stay(case, found, decision)
        case DecisionKind.NOT_YET:
            return _not_yet(case, decision)


def _change(case: Case, found: Judgement, decision: Decision) -> str:
    start = f"Change to {decision.split}: {_gain_words(decision)} over the original settings"
    return f"{start}{aims.where(case.objective)}.{_equals(found)}"


def _stay(case: Case, found: Judgement, decision: Decision) -> str:
    span = _span(decision)
    best = f"the best, {decision.split}: {span}" if span else f"the best is {decision.split}"
    where = aims.where(case.objective)
    start = f"Change nothing: no split gains {percent(decision.worth_frac)} over the original settings{where} ({best})."
    if case.spec.mode is not Mode.PARTITION or found.verdict is Verdict.NONE or decision.gain_frac is None:
        return start
    if decision.gain_frac >= 0:
        return start
    return f"{start} If you must divide the CPU, take {decision.split}: it costs {percent(-decision.gain_frac)}."


def _not_yet(case: Case, decision: Decision) -> str:
    where = aims.where(case.objective)
    if decision.missing:
        return f"Change nothing yet: {decision.missing}."
    if decision.gain_ci95_frac is None:
        return f"Change nothing yet: too few trials show what {decision.split} gains{where}."
    low, high = decision.gain_ci95_frac
    worth = percent(decision.worth_frac)
    if not is_known(low, high):
        may = f"the trials differ too much to tell what {decision.split} gains"
    elif low >= 0:
        may = f"{decision.split} gains {interval(low, high)}, and {worth} is worth a change"
    elif high <= 0 or high < decision.worth_frac:
        may = f"{decision.split} does not gain {worth}, another split may"
    else:
        may = f"{decision.split} may gain up to {percent(high)} or lose {percent(-low)}"
    return f"Change nothing yet: {may}{where}.{_time_words(decision)}"


def _divide(case: Case, found: Judgement, decision: Decision) -> str:
    cost = _cost_words(decision, aims.where(case.objective))
    if decision.kind is DecisionKind.CHANGE:
        return f"Divide the CPU {decision.split}.{_equals(found)} {cost}"
    return f"Not decided yet: {decision.split} looks best so far. {cost}{_time_words(decision)}"


def _without_gain(case: Case, found: Judgement, decision: Decision) -> str:
    count = len(case.cells.labels)
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    so_far = "Best so far" if found.verdict is Verdict.NONE else "Best"
    missing = f": {decision.missing}" if decision.missing else ""
    gain = f"The gain of {decision.split} over the original settings was not measured{missing}."
    if count == 1:
        return f"Only {decision.split} was measured. {gain}"
    return f"{so_far} of the {number}: {decision.split}.{_equals(found)} {gain}"


def _equals(found: Judgement) -> str:
    """Return a sentence about the splits that are, or may be, as good; empty without any."""
    others = found.members[1:]
    if not others or found.verdict is Verdict.NONE:
        return ""
    if not found.proven:
        return f" {listing(others)} may be as good."
    be = "is" if len(others) == 1 else "are"
    return f" {listing(others)} {be} as good, within {percent(found.against.zone_frac)}."


def _gain_words(decision: Decision) -> str:
    gain = signed_percent(decision.gain_frac or 0.0)
    if decision.gain_ci95_frac is None:
        return gain
    return f"{gain} ({interval(*decision.gain_ci95_frac)})"


def _span(decision: Decision) -> str:
    return interval(*decision.gain_ci95_frac) if decision.gain_ci95_frac is not None else ""


def _cost_words(decision: Decision, where: str) -> str:
    if decision.gain_frac is None:
        return "Its cost against the original settings was not measured."
    low, high = decision.gain_ci95_frac or (decision.gain_frac, decision.gain_frac)
    if not is_known(low, high):
        return f"Its cost against the original settings is not known: the trials differ too much{where}."
    if high <= 0:
        span = f" ({interval(-high, -low)})" if decision.gain_ci95_frac else ""
        return f"It costs {percent(-decision.gain_frac)}{span} against the original settings{where}."
    if low >= 0:
        span = f" ({interval(low, high)})" if decision.gain_ci95_frac else ""
        return f"It gains {percent(decision.gain_frac)}{span} over the original settings{where}."
    return f"Against the original settings it may cost up to {percent(-low)} or gain {percent(high)}{where}."


def _time_words(decision: Decision) -> str:
    if decision.minutes_left is None:
        return ""
    return f" About {about_minutes(decision.minutes_left)} more would probably decide."
