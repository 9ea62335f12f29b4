"""Typesetting of text, numbers, durations and clock times for the window.

`scheduler.model.number_texts` rounds and formats every number; this module only typesets the result. The glossary is
`app.glossary`.
"""

import datetime
import re
import time
from collections.abc import Sequence

from PySide6.QtCore import QLocale

from scheduler.model import number_texts
from scheduler.model.host_kinds import is_this_computer
from scheduler.model.urls import redact_url
from scheduler.translation import _

_CONTEXT = "words"
MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NO-BREAK SPACE}"
_HYPHEN = re.compile(r"(?<![\w-])-(?=\d)")
_UNIT = re.compile(r"(?<=\d) (?=%)|(?<=\N{PLUS-MINUS SIGN}) (?=\d)")
_MICROSECONDS = re.compile(r"\b(\d+) us\b")  # the core's format of a toolstack value


def typeset_text(text: str) -> str:
    """Return a text of the core with typographic minus signs and unbroken percentages."""
    return format_parameter(_UNIT.sub(NARROW, _HYPHEN.sub(MINUS, text.replace("+/-", "\N{PLUS-MINUS SIGN}"))))


def format_parameter(text: str) -> str:
    """Return a parameter's value for display: `100,000 µs` for the core's `100000 us`."""
    return _MICROSECONDS.sub(lambda found: f"{int(found[1]):,}{NARROW}\N{MICRO SIGN}s", text)


def join_list(items: Sequence[str]) -> str:
    """Return a list as text: `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return _("{most} and {last}").format(most=", ".join(items[:-1]), last=items[-1])


def name_host(url: str) -> str:
    """Return a host for a sentence: its URL without a password, or this computer."""
    return _("this computer") if is_this_computer(url) else redact_url(url)


def capitalise_first(text: str) -> str:
    """Return a text with a capital first letter; the rest stays unchanged."""
    return text[:1].upper() + text[1:]


def escape_mnemonics(name: str) -> str:
    """Return a name for a button, with each `&` doubled against Qt's mnemonics."""
    return name.replace("&", "&&")


def shorten_name(name: str, letters: int = 36) -> str:
    """Return a name or URL with an ellipsis in its middle, short enough for a button.

    The end stays, because many names have the same beginning.

    Args:
        name: Name or URL.
        letters: Maximum number of characters, >= 3.
    """
    if len(name) <= letters:
        return name
    end = letters // 2
    return f"{name[: letters - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


def first_line(text: str) -> tuple[str, str]:
    """Return the first line of a text (the message) and the other lines (the details)."""
    line, _, rest = text.strip().partition("\n")
    return line.rstrip(), rest.strip()


def format_short(value: float) -> str:
    """Return up to three significant digits with a prefix (`11.8k`, `999`, `1.2M`)."""
    return _typeset_number(number_texts.format_short(value))


def format_rate(value_tps: float | None, unit: str = "tuples/s") -> str:
    """Return a throughput with three digits, `11.8k tuples/s` or `7.00k tuples/s`.

    Args:
        value_tps: Rate per second; None gives a dash.
        unit: Unit of the rate.
    """
    return _typeset_number(number_texts.format_rate(value_tps, unit))


def format_percent(value_frac: float | None) -> str:
    """Return a fraction as a percentage, `38 %`; a dash for None."""
    return _typeset_number(number_texts.format_percent(value_frac))


def format_signed_percent(value_frac: float | None) -> str:
    """Return a change, `+38 %` or `\N{MINUS SIGN}4 %`; a dash for None."""
    return _typeset_number(number_texts.format_signed_percent(value_frac))


def format_error_percent(value_frac: float) -> str:
    """Return a small error with two significant digits, `0.0075 %`."""
    return _typeset_number(number_texts.format_error_percent(value_frac))


def format_percent_digits(value_frac: float) -> str:
    """Return a fraction in percent without the percent sign."""
    return _typeset_number(number_texts.format_percent_digits(value_frac))


def format_confidence(prob: float) -> str:
    """Return a probability near 1 with up to four digits, `99.96 %`."""
    return _typeset_number(number_texts.format_confidence(prob))


def format_interval(low_frac: float, high_frac: float) -> str:
    """Return an interval of fractions, `5 to 13 %`; `not known` if wider than ± 100 %.

    Args:
        low_frac: Lower end, a fraction.
        high_frac: Upper end, a fraction.
    """
    return _typeset_number(number_texts.format_interval(low_frac, high_frac))


def format_half_width(low: float, high: float, mean: float) -> str:
    """Return half the width of an interval relative to the mean, `± 3 %`.

    Args:
        low: Lower end, in the unit of `mean`.
        high: Upper end, in the unit of `mean`.
        mean: Mean, in any unit; 0 gives an empty text.
    """
    return _typeset_number(number_texts.format_plus_minus(low, high, mean))


def format_full(value: float | None, decimals: int | None = None) -> str:
    """Return a number for a table with grouped thousands, `11,834`.

    Args:
        value: Number; None gives a dash.
        decimals: Number of decimals, >= 0; None for a number that depends on the size of the value.
    """
    return _typeset_number(number_texts.format_table_number(value, decimals))


def format_duration(seconds_s: float) -> str:
    """Return a duration, `45 s`, `3 min 20 s`, `12 min`, `2 h 5 min`, `3 days 4 h`."""
    units = {"s": _("{n} s"), "min": _("{n} min"), "h": _("{n} h"), "day": _("{n} day")}
    parts = number_texts.split_duration(seconds_s)
    texts = ((number, _("{n} days") if unit == "day" and number > 1 else units[unit]) for number, unit in parts)
    return " ".join(text.format(n=number) for number, text in texts)


def format_rough_duration(seconds_s: float) -> str:
    """Return an approximate duration in minutes, rounded to tens from 90 minutes on."""
    return format_duration(number_texts.round_about_s(seconds_s))


def format_duration_range(best_s: float, worst_s: float) -> str:
    """Return an estimate, `18 to 21 min`; a single value if both ends read the same.

    Args:
        best_s: Shortest duration, seconds.
        worst_s: Longest duration, seconds.
    """
    return number_texts.join_range(format_duration(best_s), format_duration(worst_s), _("to"))


def _typeset_number(text: str) -> str:
    """Return a typeset number of the core; a dash for an empty text."""
    return "\N{EM DASH}" if text == number_texts.NOTHING else typeset_text(text)


def format_clock(unix_s: float, *, now_unix_s: float | None = None) -> str:
    """Return a local clock time: `17:02`, `Friday 17:02`, `3 Mar 2026 17:02`.

    Args:
        unix_s: Seconds since 1970.
        now_unix_s: Current time for tests, seconds since 1970; None for the clock.
    """
    when = _local_time(unix_s)
    now = _local_time(time.time() if now_unix_s is None else now_unix_s)
    hour = f"{when:%H:%M}"
    days = (when.date() - now.date()).days
    if days == 0:
        return hour
    locale = QLocale()
    if abs(days) < 7:
        return f"{locale.dayName(when.isoweekday())} {hour}"
    return f"{when.day} {locale.monthName(when.month, QLocale.FormatType.ShortFormat)} {when.year} {hour}"


def _local_time(unix_s: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(unix_s, datetime.UTC).astimezone()
