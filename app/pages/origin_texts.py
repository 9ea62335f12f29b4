"""Texts about the origin of a run that was imported from a run file."""

from collections.abc import Mapping

from app.display_texts import format_clock, format_percent
from app.load_texts import load_name
from scheduler.model.terminal_text import to_single_line
from scheduler.store.run_entries import RunOrigin
from scheduler.translation import _


def origin_words(origin: RunOrigin) -> tuple[str, str]:
    """Return a sentence about the file, and one about the weights that its sender saw.

    The second sentence is empty if the sender saw the plan's weights.
    """
    words = _("From elsewhere: imported from {file} ({when}).")
    if origin.computer:
        words = _("From elsewhere: imported from {file}, written on {computer} ({when}).")
    text = words.format(
        file=to_single_line(origin.file),
        computer=to_single_line(origin.computer),
        when=format_clock(origin.imported_unix_s),
    )
    if not origin.shown_weights:
        return text, ""
    words = _("Its sender saw the weights {shown}. The answer below is for those of the plan: {planned}.")
    return text, words.format(shown=_weights_text(origin.shown_weights), planned=_weights_text(origin.planned_weights))


def _weights_text(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{load_name(to_single_line(load))} {format_percent(weight)}" for load, weight in weights.items())
