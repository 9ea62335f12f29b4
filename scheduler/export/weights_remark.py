"""Remark on weights set in the window, for every export with such weights."""

from scheduler.model.number_texts import format_percent
from scheduler.model.results import Results
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.model.spec import RunSpec
from scheduler.translation import _


def weights_remark(results: Results, spec: RunSpec) -> str:
    """Return a sentence with the window's and the plan's weights; empty if equal.

    Args:
        results: The results.
        spec: The plan.
    """
    planned, split = results.planned_weights, results.answer.recommendation
    if not planned or split is None:
        return ""
    shown = [f"{load_title(spec.load_of(key).name)} {format_percent(weight)}" for key, weight in split.weights.items()]
    return _("Weights as shown in the window: {shown}. The plan's: {planned}.").format(
        shown=", ".join(shown), planned=join_names(map(format_percent, planned.values()))
    )
