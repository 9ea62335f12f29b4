"""Durations as people write them: `90s`, `5m`, `24h`, `7d`."""

import re

from scheduler.errors import SpecError
from scheduler.translation import _

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_SPAN = re.compile(r"([0-9]{1,7}(?:\.[0-9]{1,3})?)([smhd])")


def parse_duration_s(text: str, field: str, least: str, most: str) -> float:
    """Return a duration in seconds.

    Args:
        text: The duration, for example `5m`.
        field: Name of the key or option, for the error.
        least: Shortest allowed duration, in the same form.
        most: Longest allowed duration, in the same form.

    Raises:
        SpecError: The text is no duration, or outside that range.
    """
    span_s = _to_seconds(text)
    if span_s is None or not (_to_seconds(least) or 0.0) <= span_s <= (_to_seconds(most) or 0.0):
        hint = _("Write a number and s, m, h or d, for example 5m.")
        raise SpecError(
            field,
            _("{text!r} is not a time from {least} to {most}").format(text=text, least=least, most=most),
            hint=hint,
        )
    return span_s


def _to_seconds(text: str) -> float | None:
    match = _SPAN.fullmatch(text.strip())
    return float(match[1]) * _SECONDS[match[2]] if match else None
