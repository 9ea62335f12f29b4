"""Checks of the values of a plan."""

from collections.abc import Mapping

from scheduler.errors import SpecError
from scheduler.translation import _


def check_range(field: str, value: int, allowed: tuple[int, int]) -> None:
    """Refuse a value outside a range.

    Args:
        field: Path of the key, for the error.
        value: The value.
        allowed: Lowest and highest value, both included.

    Raises:
        SpecError: The value is outside the range.
    """
    low, high = allowed
    if not low <= value <= high:
        raise SpecError(
            field,
            _("{value} is outside {low}..{high}").format(value=value, low=low, high=high),
            hint=_("Use a value from {low} to {high}.").format(low=low, high=high),
        )


def check_unique(field: str, labels: list[str]) -> None:
    """Refuse an empty list, and labels that occur more than once.

    Args:
        field: Path of the key, for the error.
        labels: The labels.

    Raises:
        SpecError: The list is empty, or a label occurs more than once.
    """
    if not labels:
        raise SpecError(field, _("none given"), hint=_("Give at least one."))
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise SpecError(
            field, _("{twice} given more than once").format(twice=", ".join(twice)), hint=_("Give each once.")
        )


def check_weights(weights: Mapping[str, float], kinds: set[str]) -> None:
    """Refuse weights that do not fit the loads of a sweep.

    Args:
        weights: Load kind to weight, 0..1000000.
        kinds: The loads of the sweep.

    Raises:
        SpecError: A load is unknown, a weight is negative or NaN, or all weights are 0.
    """
    for kind, weight in weights.items():
        if kind not in kinds:
            raise SpecError(
                "objective.weights",
                _("{kind!r} is not a load of this sweep").format(kind=kind),
                hint=_("Its loads: {kinds}.").format(kinds=", ".join(sorted(kinds))),
            )
        if not 0 <= weight <= 1e6:  # also false for NaN
            raise SpecError(
                "objective.weights",
                _("{kind} = {weight} is outside 0..1000000").format(kind=kind, weight=weight),
                hint=_("1 for each load is a good start."),
            )
    if weights and not sum(weights.values()) > 0:
        raise SpecError("objective.weights", _("all weights are 0"), hint=_("Give one load a weight above 0."))
