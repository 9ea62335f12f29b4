"""Texts for splits and decisions, the same in plot, list, table and dialogs.

Each function reads only the decision, or the rank that follows from the decision. The module imports no drawing code.
"""

from app.display_texts import format_interval, format_rough_duration, format_signed_percent
from scheduler.model.decision import DecisionKind, SplitRank, SweepDecision, SweepPurpose
from scheduler.model.results import Recommendation
from scheduler.model.studies import Setting
from scheduler.translation import _


def rank_words(answer: Recommendation, setting: Setting | None) -> str:
    """Return the rank of a split in a few words; empty for a worse split.

    Args:
        answer: Recommendation with the ranks.
        setting: Setting of the split; None for the baseline.
    """
    return {
        SplitRank.ORDERED: _order_text(answer.decision),
        SplitRank.BEST: _("best"),
        SplitRank.BEST_SO_FAR: _("best so far"),
        SplitRank.AS_GOOD: _("equally good"),
        SplitRank.MAY_BE_AS_GOOD: _("may be equal"),
        SplitRank.OTHER: "",
    }[answer.rank_of(setting)]


def ranks_of(answer: Recommendation) -> str:
    """Return a sentence with all ranked splits: `2:5: best; 1:2: may be as good.`."""
    settings = dict.fromkeys(each for each in (answer.setting, *answer.equivalent, *answer.possible) if each)
    ranked = [(setting.label, rank_words(answer, setting)) for setting in settings]
    parts = [words if label in words else f"{label}: {words}" for label, words in ranked]
    return f"{'; '.join(parts)}." if parts else ""


def _order_text(decision: SweepDecision) -> str:
    order = _("divide {split}") if decision.purpose is SweepPurpose.DIVIDE else _("change to {split}")
    return order.format(split=decision.label)


def list_words(decision: SweepDecision) -> tuple[str, str]:
    """Return the decision for the list of sweeps, and a second line.

    The second line is the gain, or the time that the decision still needs.
    """
    split = decision.label
    match decision.kind:
        case DecisionKind.CHANGE:
            return _order_text(decision), _gain_text(decision)
        case DecisionKind.STAY:
            return _("change nothing"), _("{split}: {gain}").format(split=split, gain=_gain_text(decision))
        case DecisionKind.NOT_YET:
            return _("undecided"), minutes_words(decision)
        case DecisionKind.UNKNOWN:
            return (_("gain not measured"), "") if split else (_("no answer"), "")


def minutes_words(decision: SweepDecision) -> str:
    """Return the time that a decision probably still needs; empty when unknown."""
    if decision.minutes_left is None:
        return ""
    return _("about {time} more").format(time=format_rough_duration(60 * max(1.0, decision.minutes_left)))


def doubt_words(decision: SweepDecision) -> str:
    """Return the reason against a decision's split; empty if the split is ordered."""
    split = decision.label
    match decision.kind:
        case DecisionKind.CHANGE:
            return ""
        case DecisionKind.STAY if _is_loss(decision):
            words = _("This costs throughput: {split} gives {gain} compared with the original settings.")
            return words.format(split=split, gain=_gain_text(decision))
        case DecisionKind.STAY:
            words = _("This is not worth a change: {split} gives {gain} compared with the original settings.")
            return words.format(split=split, gain=_gain_text(decision))
        case DecisionKind.NOT_YET:
            return _("The gain is uncertain: {why}.").format(why=_undecided_reason(decision))
        case DecisionKind.UNKNOWN:
            words = _("The gain of {split} over the original settings was not measured.").format(split=split)
            return f"{words[:-1]}: {decision.missing}." if decision.missing else words


def _is_loss(decision: SweepDecision) -> bool:
    """Return True when the whole interval of the gain is below 0."""
    gain_frac = decision.gain_frac or 0.0
    return (decision.gain_ci95_frac or (gain_frac, gain_frac))[1] < 0


def _undecided_reason(decision: SweepDecision) -> str:
    if decision.missing:
        return decision.missing
    if decision.gain_ci95_frac is None:
        return _("too few trials for the gain of {split} over the original settings").format(split=decision.label)
    words = _("{split} gives {gain} compared with the original settings, which is not conclusive yet")
    return words.format(split=decision.label, gain=_gain_text(decision))


def _gain_text(decision: SweepDecision) -> str:
    """Return the gain with its 95 % interval, `+9 % (5 to 13 %)`; empty if unknown."""
    if decision.gain_frac is None:
        return ""
    gain = format_signed_percent(decision.gain_frac)
    if decision.gain_ci95_frac is None:
        return gain
    return f"{gain} ({format_interval(*decision.gain_ci95_frac)})"
