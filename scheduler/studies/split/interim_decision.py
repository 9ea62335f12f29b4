"""Interim decision of a sweep that is still measuring, as sentences.

No sentence asks for a change.
"""

from collections.abc import Mapping, Sequence

from scheduler.model.decision import DecisionKind, SweepPurpose
from scheduler.model.number_texts import format_about_minutes, format_interval, format_percent, is_interval_known
from scheduler.model.results import MeasuredPoint, Recommendation, SplitVerdict
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.model.setting import BASELINE, label_of
from scheduler.model.spec import RunSpec
from scheduler.stats import objective_words

_MOST_NAMED = 4  # largest number of settings that a sentence lists by name
_ORIGINAL = "the original settings"


def describe_so_far(answer: Recommendation, spec: RunSpec, points: Mapping[tuple[str, str], MeasuredPoint]) -> str:
    """Return the result of the trials so far, and the trials that are still missing.

    Args:
        answer: Recommendation from the trials so far.
        spec: The plan.
        points: (label, load) to point, original settings included.
    """
    decision = answer.decision
    if not decision.label:
        return _describe_first_trials(spec, points)
    unmeasured = _list_unmeasured(spec, points)
    if unmeasured:
        gain = "" if decision.gain_frac is None else f", and it {_gain_words(answer)}"
        compared, under = len(answer.regret), " under every load" if len(spec.loads) > 1 else ""
        if compared < 2:
            best = f"{decision.label} is the only split that was measured{under}"
        else:
            best = f"{decision.label} is the best of {compared} splits that were measured{under}"
        return f"{best}{gain}. Not decided: {_unmeasured_words(unmeasured)}."
    known = answer.verdict is not SplitVerdict.NONE and not spec.adapts  # a race ends once the best split is known
    missing = _describe_missing(answer) or ("" if known else "More trials follow until the sweep is certain.")
    return f"{_describe_best(answer, known=known)} {missing}".strip()


def _describe_best(answer: Recommendation, *, known: bool) -> str:
    decision = answer.decision
    split = decision.label
    if decision.purpose is SweepPurpose.DIVIDE or decision.gain_frac is None:
        rank = "is the best split" if known else "looks best"
        gain = "" if decision.gain_frac is None else f"; it {_gain_words(answer)}"
        return f"{split} {rank}{gain}."
    if decision.kind is DecisionKind.STAY:
        return f"no split gains {format_percent(decision.worth_frac)}: the best, {split}, {_gain_words(answer)}."
    return f"{split} {_gain_words(answer)}."


def _describe_missing(answer: Recommendation) -> str:
    """Return what a decision still needs; empty when it is made."""
    decision = answer.decision
    match decision.kind:
        case DecisionKind.UNKNOWN:
            missing = f": {decision.missing}" if decision.missing else ""
            return f"Its gain over {_ORIGINAL} is not known{missing}."
        case DecisionKind.NOT_YET if decision.missing:
            return f"Not decided: {decision.missing}."
        case DecisionKind.NOT_YET if decision.minutes_left is not None:
            return f"Not decided: at least about {format_about_minutes(decision.minutes_left)} more."
        case DecisionKind.NOT_YET:
            return "Not decided: more trials are needed."
        case _:
            return ""


def _gain_words(answer: Recommendation) -> str:
    """Return a gain or a loss as a predicate: `gains 6 % (-1 to +13 %) over ...`."""
    decision = answer.decision
    frac, ends = decision.gain_frac or 0.0, decision.gain_ci95_frac
    where = objective_words.describe_gain_scope(answer.objective)
    if ends is not None and not is_interval_known(*ends):
        return f"has no known gain over {_ORIGINAL}{where}, since the trials differ too much"
    span, when = (" ", " in the first trials") if ends is None else (f" ({format_interval(*ends)}) ", "")
    if frac < 0:
        return f"loses {format_percent(-frac)}{span}against {_ORIGINAL}{where}{when}"
    return f"gains {format_percent(frac)}{span}over {_ORIGINAL}{where}{when}"


def _describe_first_trials(spec: RunSpec, points: Mapping[tuple[str, str], MeasuredPoint]) -> str:
    """Return the result of the first trials under one load.

    Used while no split was measured under every load.
    """
    rates = {load.name: _mean_rates(load.name, points) for load in spec.loads}
    name = max(rates, key=lambda load: len(rates[load]))
    measured = rates[name]
    if not measured:
        return "no trial is valid yet."
    best, *rest = sorted(measured, key=lambda label: -measured[label])
    others = [load_title(load.name) for load in spec.loads if load.name != name and spec.weight_of(load.name) > 0]
    missing = [label for label in map(label_of, spec.sides) if label not in measured]
    need = f"Not decided: {_unmeasured_words(missing, others)}."
    under = f"under {load_title(name)}"
    if not rest:
        return f"one trial, of {_setting_title(best)} {under}. {need}"
    second = BASELINE if BASELINE in rest else rest[0]
    ahead = format_percent(measured[best] / measured[second] - 1)
    be, fastest = ("are" if best == BASELINE else "is"), ("fastest" if len(rest) > 1 else "faster")
    return (
        f"{under} {_setting_title(best)} {be} {fastest}, {ahead} ahead of {_setting_title(second)} in "
        f"one trial each. {need}"
    )


def _mean_rates(load: str, points: Mapping[tuple[str, str], MeasuredPoint]) -> dict[str, float]:
    return {label: point.mean_tps for (label, name), point in points.items() if name == load and point.mean_tps}


def _list_unmeasured(spec: RunSpec, points: Mapping[tuple[str, str], MeasuredPoint]) -> list[str]:
    """Return the settings without any trial under some load that counts.

    A failed trial counts as a trial.
    """
    loads = [load.name for load in spec.loads if spec.weight_of(load.name) > 0]
    unresponsive = {label for (label, _), point in points.items() if not point.responsive}
    wanted = [label for label in map(label_of, spec.sides) if label not in unresponsive]
    return [label for label in wanted if any((label, load) not in points for load in loads)]


def _unmeasured_words(labels: Sequence[str], loads: Sequence[str] = ()) -> str:
    """Return `the original settings, five splits and OLTP are not measured yet`.

    A few splits are listed by name.
    """
    splits = [label for label in labels if label != BASELINE]
    named = splits if len(splits) <= _MOST_NAMED else [f"{len(splits)} splits"]
    subject = [*([_ORIGINAL] if BASELINE in labels else []), *named, *loads]
    be = "is" if len(subject) == 1 and BASELINE not in labels and len(splits) <= 1 else "are"
    return f"{join_names(subject)} {be} not measured yet"


def _setting_title(label: str) -> str:
    return _ORIGINAL if label == BASELINE else label
