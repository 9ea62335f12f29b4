"""Reasons why a measured split is excluded from the comparison."""

from collections.abc import Sequence

from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.translation import _


def explain_unresponsive(points: Sequence[MeasuredPoint]) -> str:
    """Return why a split that became unresponsive is excluded."""
    return "; ".join(
        _("under {load} it {reason}").format(load=load_title(point.load), reason=point.reason)
        for point in points
        if not point.responsive
    )


def explain_unjudged(points: Sequence[MeasuredPoint]) -> str:
    """Return why a split is excluded, from its points under the loads with weight."""
    bad = [point for point in points if not point.valid]
    if bad:
        return "; ".join(
            _("every trial under {load} failed ({reason})").format(load=load_title(point.load), reason=point.reason)
            for point in bad
        )
    idle = [load_title(point.load) for point in points if not any(point.trial_tps)]
    return (
        _("no operation completed under {idle}").format(idle=join_names(idle))
        if idle
        else _("its loads were never measured in one block")
    )
