"""Typeset words on screen: numbers, durations, clock times. The glossary of domain words is `app.glossary`.

`scheduler.model.number_texts` rounds and writes every number; the functions here only typeset its text.
"""

import datetime
import re
import time
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

from scheduler.model import number_texts

_CONTEXT = "words"
MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NO-BREAK SPACE}"
_HYPHEN = re.compile(r"(?<![\w-])-(?=\d)")
_UNIT = re.compile(r"(?<=\d) (?=%)|(?<=\N{PLUS-MINUS SIGN}) (?=\d)")
_MICROSECONDS = re.compile(r"\b(\d+) us\b")  # as the core writes a value of the toolstack's


def _tr(text: str) -> str:
    return QCoreApplication.translate(_CONTEXT, text)


def typeset_text(text: str) -> str:
    """Return plain text of the core as a page shows it: minus signs, and no line break between number and percent."""
    return format_parameter(_UNIT.sub(NARROW, _HYPHEN.sub(MINUS, text.replace("+/-", "\N{PLUS-MINUS SIGN}"))))


def format_parameter(text: str) -> str:
    """Return a parameter's value as people read it: `100,000\N{NO-BREAK SPACE}µs` for the core's `100000 us`."""
    return _MICROSECONDS.sub(lambda found: f"{int(found[1]):,}{NARROW}\N{MICRO SIGN}s", text)


def join_list(items: Sequence[str]) -> str:
    """Return `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return _tr("{most} and {last}").format(most=", ".join(items[:-1]), last=items[-1])


def capitalise_first(text: str) -> str:
    """Return a text of the core as a sentence begins: only its first letter changes."""
    return text[:1].upper() + text[1:]


def escape_mnemonics(name: str) -> str:
    """Return a name for a button: there Qt takes what follows an `&` for a key."""
    return name.replace("&", "&&")


def shorten_name(name: str, letters: int = 36) -> str:
    """Return a name or URL that fits on a button: it begins like many others, and its end tells it from them."""
    if len(name) <= letters:
        return name
    end = letters // 2
    return f"{name[: letters - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


def first_line(text: str) -> tuple[str, str]:
    """Return the first line, which says what happened, and the lines after it, which are details."""
    line, _, rest = text.strip().partition("\n")
    return line.rstrip(), rest.strip()


def format_three_digits(value: float) -> str:
    """Return `value` with three significant digits and no exponent (`0.0123`, `9.87`, `123`, `12400`)."""
    return _typeset_number(number_texts.format_significant(value))


def format_short(value: float) -> str:
    """Return `value` with at most three significant digits and a prefix (`11.8k`, `999`, `1.2M`)."""
    return _typeset_number(number_texts.format_short(value))


def format_rate(value_tps: float | None, unit: str = "tuples/s") -> str:
    """Return a measured throughput, `11.8k tuples/s`, its zeros with it (`7.00k`); a dash for None."""
    return _typeset_number(number_texts.format_rate(value_tps, unit))


def format_percent(value_frac: float | None) -> str:
    """Return a fraction as a percentage, `38 %`; a dash for None."""
    return _typeset_number(number_texts.format_percent(value_frac))


def format_signed_percent(value_frac: float | None) -> str:
    """Return a change, `+38 %` or `\N{MINUS SIGN}4 %`; a dash for None."""
    return _typeset_number(number_texts.format_signed_percent(value_frac))


def format_full_percent(value_frac: float | None) -> str:
    """Return a fraction as a percentage for a table, always with one decimal, `16.6 %`; a dash for None."""
    return _typeset_number(number_texts.format_table_percent(value_frac))


def format_error_percent(value_frac: float) -> str:
    """Return a small error as percent with two significant digits, so that none reads 0: `0.0075 %`."""
    return _typeset_number(number_texts.format_error_percent(value_frac))


def format_percent_digits(value_frac: float) -> str:
    """Return a fraction in percent without its unit."""
    return _typeset_number(number_texts.format_percent_digits(value_frac))


def format_confidence(prob: float) -> str:
    """Return a probability near 1 as percent, `99.96 %`: with four digits, for whole percents would say 100."""
    return _typeset_number(number_texts.format_confidence(prob))


def format_interval(low_frac: float, high_frac: float) -> str:
    """Return an interval of fractions, `5 to 13 %`; `not known` when it is wider than \N{PLUS-MINUS SIGN} 100 %."""
    return _typeset_number(number_texts.format_interval(low_frac, high_frac))


def format_half_width(low: float, high: float, mean: float) -> str:
    """Return an interval as its half width relative to the mean, `\N{PLUS-MINUS SIGN} 3 %`; empty for a mean of 0."""
    return _typeset_number(number_texts.format_plus_minus(low, high, mean))


def format_full(value: float | None, decimals: int | None = None) -> str:
    """Return a number for a table, with grouped thousands, `11,834`; see `number_texts.full`."""
    return _typeset_number(number_texts.format_table_number(value, decimals))


def format_duration(seconds_s: float) -> str:
    """Return a duration, `45 s`, `3 min 20 s`, `12 min`, `2 h 5 min`, `3 days 4 h`."""
    units = {"s": _tr("{n} s"), "min": _tr("{n} min"), "h": _tr("{n} h"), "day": _tr("{n} day")}
    parts = number_texts.split_duration(seconds_s)
    texts = ((number, _tr("{n} days") if unit == "day" and number > 1 else units[unit]) for number, unit in parts)
    return " ".join(text.format(n=number) for number, text in texts)


def format_rough_duration(seconds_s: float) -> str:
    """Return a duration that is only roughly known: whole minutes, and tens of them from an hour and a half on."""
    return format_duration(number_texts.round_about_s(seconds_s))


def format_duration_range(best_s: float, worst_s: float) -> str:
    """Return an estimate, `18 to 21 min`; one figure where both read the same."""
    return number_texts.join_range(format_duration(best_s), format_duration(worst_s), _tr("to"))


def _typeset_number(text: str) -> str:
    """Return a number of the core typeset: a dash where there is none."""
    return "\N{EM DASH}" if text == number_texts.NOTHING else typeset_text(text)


def format_clock(unix_s: float, *, now_unix_s: float | None = None) -> str:
    """Return a clock time for people, in the computer's zone: `17:02`, `Friday 17:02`, `3 Mar 2026 17:02`.

    Args:
        unix_s: Seconds since 1970.
        now_unix_s: The present, for tests; the clock's time when None.
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
