"""Texts and styles for the rank of a split, in all parts of an export."""

from scheduler.model.decision import DecisionKind, SplitRank
from scheduler.model.results import Answer
from scheduler.model.studies import Setting
from scheduler.translation import _

RANK_WORDS = {
    SplitRank.ORDERED: "advised",
    SplitRank.BEST: _("best split"),
    SplitRank.BEST_SO_FAR: _("best so far"),
    SplitRank.AS_GOOD: _("as good"),
    SplitRank.MAY_BE_AS_GOOD: _("may be as good"),
    SplitRank.OTHER: "",
}

DECISION_WORDS = {
    DecisionKind.CHANGE: "change",
    DecisionKind.STAY: _("change nothing"),
    DecisionKind.NOT_YET: _("change nothing yet"),
    DecisionKind.UNKNOWN: _("gain not measured"),
}

_STYLES = {SplitRank.ORDERED: "named", SplitRank.BEST: "level", SplitRank.AS_GOOD: "level"}


def rank_words(answer: Answer, setting: Setting | None) -> str:
    """Return the rank of a split as text; empty for a split worse than the best.

    Args:
        answer: The answer of a run.
        setting: The split; None for the original settings.
    """
    return RANK_WORDS[answer.rank_of(setting)]


def rank_style(answer: Answer, setting: Setting | None) -> str:
    """Return the CSS class that marks a split; empty for a split without a mark.

    Args:
        answer: The answer of a run.
        setting: The split; None for the original settings.
    """
    return _STYLES.get(answer.rank_of(setting), "")
