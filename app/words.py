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


def typeset(text: str) -> str:
    """Return plain text of the core as a page shows it: minus signs, and no line break between number and percent."""
    return parameter(_UNIT.sub(NARROW, _HYPHEN.sub(MINUS, text.replace("+/-", "\N{PLUS-MINUS SIGN}"))))


def parameter(text: str) -> str:
    """Return a parameter's value as people read it: `100,000\N{NO-BREAK SPACE}µs` for the core's `100000 us`."""
    return _MICROSECONDS.sub(lambda found: f"{int(found[1]):,}{NARROW}\N{MICRO SIGN}s", text)


def listed(items: Sequence[str]) -> str:
    """Return `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return _tr("{most} and {last}").format(most=", ".join(items[:-1]), last=items[-1])


def capital(text: str) -> str:
    """Return a text of the core as a sentence begins: only its first letter changes."""
    return text[:1].upper() + text[1:]


def unkeyed(name: str) -> str:
    """Return a name for a button: there Qt takes what follows an `&` for a key."""
    return name.replace("&", "&&")


def shortened(name: str, letters: int = 36) -> str:
    """Return a name or URL that fits on a button: it begins like many others, and its end tells it from them."""
    if len(name) <= letters:
        return name
    end = letters // 2
    return f"{name[: letters - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


def first_line(text: str) -> tuple[str, str]:
    """Return the first line, which says what happened, and the lines after it, which are details."""
    line, _, rest = text.strip().partition("\n")
    return line.rstrip(), rest.strip()


def three_digits(value: float) -> str:
    """Return `value` with three significant digits and no exponent (`0.0123`, `9.87`, `123`, `12400`)."""
    return _plain(number_texts.significant(value))


def short(value: float) -> str:
    """Return `value` with at most three significant digits and a prefix (`11.8k`, `999`, `1.2M`)."""
    return _plain(number_texts.short(value))


def rate(value_tps: float | None, unit: str = "tuples/s") -> str:
    """Return a measured throughput, `11.8k tuples/s`, its zeros with it (`7.00k`); a dash for None."""
    return _plain(number_texts.rate(value_tps, unit))


def percent(value_frac: float | None) -> str:
    """Return a fraction as a percentage, `38 %`; a dash for None."""
    return _plain(number_texts.percent(value_frac))


def signed_percent(value_frac: float | None) -> str:
    """Return a change, `+38 %` or `\N{MINUS SIGN}4 %`; a dash for None."""
    return _plain(number_texts.signed_percent(value_frac))


def percent_full(value_frac: float | None) -> str:
    """Return a fraction as a percentage for a table, always with one decimal, `16.6 %`; a dash for None."""
    return _plain(number_texts.percent_full(value_frac))


def error_percent(value_frac: float) -> str:
    """Return a small error as percent with two significant digits, so that none reads 0: `0.0075 %`."""
    return _plain(number_texts.error_percent(value_frac))


def percent_digits(value_frac: float) -> str:
    """Return a fraction in percent without its unit."""
    return _plain(number_texts.percent_digits(value_frac))


def confidence(prob: float) -> str:
    """Return a probability near 1 as percent, `99.96 %`: with four digits, for whole percents would say 100."""
    return _plain(number_texts.confidence(prob))


def interval(low_frac: float, high_frac: float) -> str:
    """Return an interval of fractions, `5 to 13 %`; `not known` when it is wider than \N{PLUS-MINUS SIGN} 100 %."""
    return _plain(number_texts.interval(low_frac, high_frac))


def plus_minus(low: float, high: float, mean: float) -> str:
    """Return an interval as its half width relative to the mean, `\N{PLUS-MINUS SIGN} 3 %`; empty for a mean of 0."""
    return _plain(number_texts.plus_minus(low, high, mean))


def full(value: float | None, decimals: int | None = None) -> str:
    """Return a number for a table, with grouped thousands, `11,834`; see `number_texts.full`."""
    return _plain(number_texts.full(value, decimals))


def duration(seconds_s: float) -> str:
    """Return a duration, `45 s`, `3 min 20 s`, `12 min`, `2 h 5 min`, `3 days 4 h`."""
    units = {"s": _tr("{n} s"), "min": _tr("{n} min"), "h": _tr("{n} h"), "day": _tr("{n} day")}
    parts = number_texts.duration_parts(seconds_s)
    texts = ((number, _tr("{n} days") if unit == "day" and number > 1 else units[unit]) for number, unit in parts)
    return " ".join(text.format(n=number) for number, text in texts)


def about(seconds_s: float) -> str:
    """Return a duration that is only roughly known: whole minutes, and tens of them from an hour and a half on."""
    return duration(number_texts.about_s(seconds_s))


def duration_range(best_s: float, worst_s: float) -> str:
    """Return an estimate, `18 to 21 min`; one figure where both read the same."""
    return number_texts.joined_range(duration(best_s), duration(worst_s), _tr("to"))


def _plain(text: str) -> str:
    """Return a number of the core typeset: a dash where there is none."""
    return "\N{EM DASH}" if text == number_texts.NOTHING else typeset(text)


def clock(unix_s: float, *, now_unix_s: float | None = None) -> str:
    """Return a clock time for people, in the computer's zone: `17:02`, `Friday 17:02`, `3 Mar 2026 17:02`.

    Args:
        unix_s: Seconds since 1970.
        now_unix_s: The present, for tests; the clock's time when None.
    """
    when = _local(unix_s)
    now = _local(time.time() if now_unix_s is None else now_unix_s)
    hour = f"{when:%H:%M}"
    days = (when.date() - now.date()).days
    if days == 0:
        return hour
    locale = QLocale()
    if abs(days) < 7:
        return f"{locale.dayName(when.isoweekday())} {hour}"
    return f"{when.day} {locale.monthName(when.month, QLocale.FormatType.ShortFormat)} {when.year} {hour}"


def _local(unix_s: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(unix_s, datetime.UTC).astimezone()
