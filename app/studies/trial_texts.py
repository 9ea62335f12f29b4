"""Texts about the order and the seconds of trials, for the wizard and all studies."""

from app.display_texts import MINUS
from scheduler.translation import _


def format_seed(seed: int) -> str:
    """Return the seed of the random order, as text."""
    return str(seed).replace("-", MINUS)


def settling_sentence(settle_s: float, measure_s: float, load_settle_s: float | None = None) -> str:
    """Return the excluded and the counted seconds of each trial as a sentence.

    Args:
        settle_s: Excluded seconds after a change of the setting.
        measure_s: Counted seconds.
        load_settle_s: Excluded seconds after a change of the load; None if `settle_s` holds for it.
    """
    text = _("Each trial has {settle} s to settle, then {measure} s that count.")
    if load_settle_s is not None:
        text = _(
            "Each trial has {settle} s to settle ({load_settle} s after a change of the load), then {measure} s that "
            "count."
        )
    return text.format(settle=settle_s, measure=measure_s, load_settle=load_settle_s)
