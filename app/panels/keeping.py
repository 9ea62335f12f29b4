"""Whether there is anything to do at all; loads nothing that draws, for the list of sweeps asks it too."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.results import Recommendation, Verdict
from scheduler.store.entries import AnswerSummary


def keep(answer: Recommendation | AnswerSummary) -> bool:
    """Return whether the host as found is certainly faster than the split that is named: then nothing is to be done."""
    certain = answer.gain_ci95_frac is not None and answer.gain_ci95_frac[1] < 0
    return answer.verdict is not Verdict.NONE and certain


def mark_words(answer: Recommendation) -> str:
    """Return what a plot writes over the split that an answer names."""
    if keep(answer):
        return QCoreApplication.translate("result", "best split")
    words = {
        Verdict.RECOMMEND: QCoreApplication.translate("result", "recommended"),
        Verdict.EQUIVALENT: QCoreApplication.translate("result", "equally good"),
        Verdict.NONE: QCoreApplication.translate("result", "best so far"),
    }
    return words[answer.verdict]
