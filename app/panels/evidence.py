"""The three short lines under the answer: gain against now, certainty, what each load pays."""

from PySide6.QtCore import QCoreApplication

from app.load_words import load_name, unit_of
from app.words import confidence, interval, percent, plus_minus, rate, signed_percent
from scheduler.model.decision import DecisionKind
from scheduler.model.objective import LIMITED, WEIGHTED, WORST_CASE
from scheduler.model.results import Recommendation, Verdict

_CLAIMED_FRAC = 0.945  # rounds to 95 %, which is claimed once enough visits bear it
_SURE_FRAC = 0.995  # from here on, percents would claim more digits than the model has


def _tr(text: str) -> str:
    return QCoreApplication.translate("evidence", text)


def gain_line(answer: Recommendation) -> str:
    """Return the gain against the original settings."""
    if answer.gain_frac is None:
        if answer.objective.name == LIMITED:
            return _tr("No gain is stated: the original settings break the limit, or lack a load.")
        return _tr("No gain is stated: the original settings were not measured under every load.")
    texts = {
        WEIGHTED: _tr("{gain} throughput against the original settings"),
        WORST_CASE: _tr("{gain} for the load that suffers most, against the original settings"),
        LIMITED: _tr("{gain} {load} throughput against the original settings"),
    }
    words = texts[answer.objective.name].format(
        gain=signed_percent(answer.gain_frac), load=load_name(answer.objective.load)
    )
    if answer.gain_ci95_frac is None:
        return _tr("{words}; no interval: too few trials").format(words=words)
    return _tr("{words}; 95 % interval {span}").format(words=words, span=interval(*answer.gain_ci95_frac))


def sure_line(answer: Recommendation) -> str:
    """Return how certain the answer is."""
    zone = percent(answer.indifference_frac)
    if not answer.split:
        return _tr("Nothing can be said yet.")
    if answer.verdict is Verdict.EQUIVALENT and answer.loss_bound_frac is not None:
        words = _tr("95 % certain that {split} loses at most {loss} against any other split")
        return words.format(split=answer.split, loss=percent(answer.loss_bound_frac))
    if answer.confidence <= 0:
        return _tr("No certainty can be stated: there is nothing to compare with.")
    sure = answer.confidence >= _SURE_FRAC
    much = _tr("More than 99 %") if sure else percent(answer.confidence)
    if answer.verdict is Verdict.NONE and answer.decision.kind is not DecisionKind.STAY:
        return _not_sure(answer).format(much=much, split=answer.split, zone=zone)
    return _tr("{much} certain that no other split is better by more than {zone}").format(much=much, zone=zone)


def _not_sure(answer: Recommendation) -> str:
    """Return why that much is not enough; how much is, depends on how far visits vary (`scheduler.stats.doubt`)."""
    if answer.confidence < answer.needed_confidence < 1:
        needed = confidence(answer.needed_confidence)
        words = _tr("{much} certain that nothing is better than {split} by more than {zone}; {needed} needed")
        return words.replace("{needed}", needed)
    if answer.confidence >= _CLAIMED_FRAC:
        return _tr("{much} certain that nothing is better than {split} by over {zone}: too few trials to say so")
    return _tr("{much} certain that nothing is better than {split} by more than {zone}: not enough")


def cost_line(answer: Recommendation) -> str:
    """Return what each load gets, and loses against the split that would be best for it."""
    row = next((row for row in answer.regret if row.split == answer.split), None)
    parts = [_cost(answer, row.loss_frac.get(kind) if row else None, kind) for kind in answer.expected_tps]
    return "; ".join(parts) if parts else _tr("No load was measured at every split.")


def _cost(answer: Recommendation, loss_frac: float | None, kind: str) -> str:
    tps = answer.expected_tps[kind]
    low_high = answer.ci95_tps.get(kind)
    half = f" {plus_minus(*low_high, tps)}" if low_high else ""
    words = f"{load_name(kind)} {rate(tps, unit_of([kind], answer.units))}{half}"
    if loss_frac is None:
        return words
    if loss_frac <= 0:
        return _tr("{words}, its best").format(words=words)
    return _tr("{words}, {loss} below its own best").format(words=words, loss=percent(loss_frac))
