"""The three short lines under the answer: gain against now, certainty, what each load pays."""

from PySide6.QtCore import QCoreApplication

from app.display_texts import (
    format_confidence,
    format_half_width,
    format_interval,
    format_percent,
    format_rate,
    format_signed_percent,
)
from app.load_texts import load_name, unit_of
from scheduler.model.decision import DecisionKind
from scheduler.model.objective import LIMITED, WEIGHTED, WORST_CASE
from scheduler.model.results import Recommendation, SplitVerdict

_CLAIMED_FRAC = 0.945  # rounds to 95 %, which is claimed once enough trials bear it
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
        gain=format_signed_percent(answer.gain_frac), load=load_name(answer.objective.load)
    )
    if answer.gain_ci95_frac is None:
        return _tr("{words}; no interval: too few trials").format(words=words)
    return _tr("{words}; 95 % interval {span}").format(words=words, span=format_interval(*answer.gain_ci95_frac))


def sure_line(answer: Recommendation) -> str:
    """Return how certain the answer is."""
    zone = format_percent(answer.indifference_frac)
    if not answer.label:
        return _tr("Nothing can be said yet.")
    if answer.verdict is SplitVerdict.EQUIVALENT and answer.loss_bound_frac is not None:
        words = _tr("95 % certain that {split} loses at most {loss} against any other split")
        return words.format(split=answer.label, loss=format_percent(answer.loss_bound_frac))
    if answer.confidence <= 0:
        return _tr("No certainty can be stated: there is nothing to compare with.")
    sure = answer.confidence >= _SURE_FRAC
    much = _tr("More than 99 %") if sure else format_percent(answer.confidence)
    if answer.verdict is SplitVerdict.NONE and answer.decision.kind is not DecisionKind.STAY:
        return _uncertainty_text(answer).format(much=much, split=answer.label, zone=zone)
    return _tr("{much} certain that no other split is better by more than {zone}").format(much=much, zone=zone)


def _uncertainty_text(answer: Recommendation) -> str:
    """Return why the certainty reached is below the one needed (`scheduler.stats.decision_threshold`)."""
    if answer.confidence < answer.needed_confidence < 1:
        needed = format_confidence(answer.needed_confidence)
        words = _tr("{much} certain that nothing is better than {split} by more than {zone}; {needed} needed")
        return words.replace("{needed}", needed)
    if answer.confidence >= _CLAIMED_FRAC:
        return _tr("{much} certain that nothing is better than {split} by over {zone}: too few trials to say so")
    return _tr("{much} certain that nothing is better than {split} by more than {zone}: not enough")


def cost_line(answer: Recommendation) -> str:
    """Return what each load gets, and loses against the split that would be best for it."""
    row = next((row for row in answer.regret if row.label == answer.label), None)
    parts = [_load_cost(answer, row.loss_frac.get(kind) if row else None, kind) for kind in answer.expected_tps]
    return "; ".join(parts) if parts else _tr("No load was measured at every split.")


def _load_cost(answer: Recommendation, loss_frac: float | None, kind: str) -> str:
    tps = answer.expected_tps[kind]
    low_high = answer.ci95_tps.get(kind)
    half = f" {format_half_width(*low_high, tps)}" if low_high else ""
    words = f"{load_name(kind)} {format_rate(tps, unit_of([kind], answer.units))}{half}"
    if loss_frac is None:
        return words
    if loss_frac <= 0:
        return _tr("{words}, its best").format(words=words)
    return _tr("{words}, {loss} below its own best").format(words=words, loss=format_percent(loss_frac))
