"""The sentence on weights set in the window: at the top of every export whose weights are not the plan's."""

from scheduler.model.number_texts import percent
from scheduler.model.results import Results
from scheduler.model.words import listing, load_title


def weights_remark(results: Results) -> str:
    """Name the weights shown in the window and those of the plan; empty where both are the same."""
    planned = results.planned_weights
    if not planned:
        return ""
    shown = [f"{load_title(kind)} {percent(weight)}" for kind, weight in results.recommendation.weights.items()]
    return f"Weights as shown in the window: {', '.join(shown)}. The plan's: {listing(map(percent, planned.values()))}."
