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
from scheduler.translation import _

_MOST_NAMED = 4  # largest number of settings that a sentence lists by name
_ORIGINAL = _("the original settings")


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
        gain = "" if decision.gain_frac is None else _(", and it {gain_words}").format(gain_words=_gain_words(answer))
        compared, under = len(answer.regret), _(" under every load") if len(spec.loads) > 1 else ""
        if compared < 2:
            best = _("{label} is the only split that was measured{under}").format(label=decision.label, under=under)
        else:
            best = _("{label} is the best of {compared} splits that were measured{under}").format(
                label=decision.label, compared=compared, under=under
            )
        return _("{best}{gain}. Not decided: {unmeasured_words}.").format(
            best=best, gain=gain, unmeasured_words=_unmeasured_words(unmeasured)
        )
    known = answer.verdict is not SplitVerdict.NONE and not spec.adapts  # a race ends once the best split is known
    missing = _describe_missing(answer) or ("" if known else _("More trials follow until the sweep is certain."))
    return f"{_describe_best(answer, known=known)} {missing}".strip()


def _describe_best(answer: Recommendation, *, known: bool) -> str:
    decision = answer.decision
    split = decision.label
    if decision.purpose is SweepPurpose.DIVIDE or decision.gain_frac is None:
        rank = _("is the best split") if known else _("looks best")
        gain = "" if decision.gain_frac is None else _("; it {gain_words}").format(gain_words=_gain_words(answer))
        return f"{split} {rank}{gain}."
    if decision.kind is DecisionKind.STAY:
        return _("no split gains {worth_frac}: the best, {split}, {gain_words}.").format(
            worth_frac=format_percent(decision.worth_frac), split=split, gain_words=_gain_words(answer)
        )
    return f"{split} {_gain_words(answer)}."


def _describe_missing(answer: Recommendation) -> str:
    """Return what a decision still needs; empty when it is made."""
    decision = answer.decision
    match decision.kind:
        case DecisionKind.UNKNOWN:
            missing = f": {decision.missing}" if decision.missing else ""
            return _("Its gain over {original} is not known{missing}.").format(original=_ORIGINAL, missing=missing)
        case DecisionKind.NOT_YET if decision.missing:
            return _("Not decided: {missing}.").format(missing=decision.missing)
        case DecisionKind.NOT_YET if decision.minutes_left is not None:
            return _("Not decided: at least about {minutes_left} more.").format(
                minutes_left=format_about_minutes(decision.minutes_left)
            )
        case DecisionKind.NOT_YET:
            return _("Not decided: more trials are needed.")
        case _:
            return ""


def _gain_words(answer: Recommendation) -> str:
    """Return a gain or a loss as a predicate: `gains 6 % (-1 to +13 %) over ...`."""
    decision = answer.decision
    frac, ends = decision.gain_frac or 0.0, decision.gain_ci95_frac
    where = objective_words.describe_gain_scope(answer.objective)
    if ends is not None and not is_interval_known(*ends):
        return _("has no known gain over {original}{where}, since the trials differ too much").format(
            original=_ORIGINAL, where=where
        )
    span, when = (" ", _(" in the first trials")) if ends is None else (f" ({format_interval(*ends)}) ", "")
    if frac < 0:
        return _("loses {frac}{span}against {original}{where}{when}").format(
            frac=format_percent(-frac), span=span, original=_ORIGINAL, where=where, when=when
        )
    return _("gains {frac}{span}over {original}{where}{when}").format(
        frac=format_percent(frac), span=span, original=_ORIGINAL, where=where, when=when
    )


def _describe_first_trials(spec: RunSpec, points: Mapping[tuple[str, str], MeasuredPoint]) -> str:
    """Return the result of the first trials under one load.

    Used while no split was measured under every load.
    """
    rates = {load.name: _mean_rates(load.name, points) for load in spec.loads}
    name = max(rates, key=lambda load: len(rates[load]))
    measured = rates[name]
    if not measured:
        return _("no trial is valid yet.")
    best, *rest = sorted(measured, key=lambda label: -measured[label])
    others = [load_title(load.name) for load in spec.loads if load.name != name and spec.weight_of(load.name) > 0]
    missing = [label for label in map(label_of, spec.sides) if label not in measured]
    need = _("Not decided: {unmeasured_words}.").format(unmeasured_words=_unmeasured_words(missing, others))
    under = _("under {load}").format(load=load_title(name))
    if not rest:
        return _("one trial, of {setting} {under}. {need}").format(setting=_setting_title(best), under=under, need=need)
    second = BASELINE if BASELINE in rest else rest[0]
    ahead = format_percent(measured[best] / measured[second] - 1)
    be, fastest = ("are" if best == BASELINE else "is"), ("fastest" if len(rest) > 1 else "faster")
    return _("{under} {setting} {be} {fastest}, {ahead} ahead of {setting_2} in one trial each. {need}").format(
        under=under,
        setting=_setting_title(best),
        be=be,
        fastest=fastest,
        ahead=ahead,
        setting_2=_setting_title(second),
        need=need,
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
    named = splits if len(splits) <= _MOST_NAMED else [_("{count} splits").format(count=len(splits))]
    subject = [*([_ORIGINAL] if BASELINE in labels else []), *named, *loads]
    be = "is" if len(subject) == 1 and BASELINE not in labels and len(splits) <= 1 else "are"
    return _("{subject} {be} not measured yet").format(subject=join_names(subject), be=be)


def _setting_title(label: str) -> str:
    return _ORIGINAL if label == BASELINE else label
