"""Words on screen: numbers, durations, clock times. The glossary of domain words is `app.glossary`.

In prose a number has at most three significant digits; tables show it in full.
"""

import datetime
import math
import re
import time
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

_CONTEXT = "words"
_STEPS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NO-BREAK SPACE}"
_HYPHEN = re.compile(r"(?<![\w-])-(?=\d)")
_UNIT = re.compile(r"(?<=\d) (?=%)")
_MICROSECONDS = re.compile(r"\b(\d+) us\b")  # as the core writes a value of the toolstack's


def _tr(text: str) -> str:
    return QCoreApplication.translate(_CONTEXT, text)


def typeset(text: str) -> str:
    """Return plain text of the core as a page shows it: minus signs, and no line break between number and percent."""
    return parameter(_UNIT.sub(NARROW, _HYPHEN.sub(MINUS, text)))


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
    """Return `value` with at most three significant digits and no exponent (`0.0123`, `9.87`, `123`, `12400`)."""
    if not math.isfinite(value):
        return "\N{EM DASH}"
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    return f"{rounded:.{max(0, min(digits, 12))}f}".replace("-", MINUS)


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _with_prefix(value: float) -> tuple[str, str]:
    for step, prefix in _STEPS:
        if abs(value) >= step * 0.9995:
            return three_digits(value / step), prefix
    return three_digits(value), ""


def short(value: float) -> str:
    """Return `value` with at most three significant digits and a prefix (`11.8k`, `999`, `1.2M`)."""
    digits, prefix = _with_prefix(value)
    return _trimmed(digits) + prefix


def rate(value_tps: float | None, unit: str = "tuples/s") -> str:
    """Return a measured throughput, `11.8k tuples/s`, its zeros with it (`7.00k`); a dash for None."""
    if value_tps is None:
        return "\N{EM DASH}"
    return _tr("{number} {unit}").format(number="".join(_with_prefix(value_tps)), unit=unit)


def percent(value_frac: float | None) -> str:
    """Return a fraction as a percentage, `38 %`; a dash for None."""
    if value_frac is None:
        return "\N{EM DASH}"
    return f"{percent_digits(value_frac)}{NARROW}%"


def signed_percent(value_frac: float | None) -> str:
    """Return a change, `+38 %` or `\N{MINUS SIGN}4 %`; a dash for None."""
    if value_frac is None:
        return "\N{EM DASH}"
    digits = percent_digits(value_frac)
    sign = "+" if value_frac > 0 and digits != "0" else ""  # a gain that rounds to 0 has no sign
    return f"{sign}{digits}{NARROW}%"


def plus_minus(value_frac: float | None) -> str:
    """Return a half width, `± 3 %`; empty for None."""
    return "" if value_frac is None else f"±{NARROW}{percent_digits(abs(value_frac))}{NARROW}%"


def percent_digits(value_frac: float) -> str:
    """Return whole percents from 10 on, one decimal below: half a percent matters only near zero."""
    value = value_frac * 100
    if not math.isfinite(value):
        return "\N{EM DASH}"
    text = f"{value:.0f}" if abs(value) >= 9.95 or value == 0 else _trimmed(f"{value:.1f}")
    return "0" if text in {"-0", "0"} else text.replace("-", MINUS)


def interval(low: float, high: float, mean: float) -> str:
    """Return an interval as its half width beside the mean, `± 3 %`; empty where the mean is 0."""
    return plus_minus((high - low) / 2 / mean) if mean else ""


def duration(seconds_s: float) -> str:
    """Return a duration, `45 s`, `3 min 20 s`, `12 min`, `2 h 5 min`, `3 days 4 h`."""
    whole = max(0, round(seconds_s))
    if whole < 60:
        return _tr("{s} s").format(s=whole)
    if whole < 600:
        minutes, rest = divmod(whole, 60)
        return _tr("{m} min {s} s").format(m=minutes, s=rest) if rest else _tr("{m} min").format(m=minutes)
    minutes = round(whole / 60)
    if minutes < 60:
        return _tr("{m} min").format(m=minutes)
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return _tr("{h} h {m} min").format(h=hours, m=minutes) if minutes else _tr("{h} h").format(h=hours)
    days, hours = divmod(hours, 24)
    unit = _tr("{d} day") if days == 1 else _tr("{d} days")
    return unit.format(d=days) + (" " + _tr("{h} h").format(h=hours) if hours else "")


def about(seconds_s: float) -> str:
    """Return a duration that is only roughly known: whole minutes, and tens of them from an hour and a half on."""
    minutes = seconds_s / 60
    if minutes < 1:
        return duration(seconds_s)
    return duration(60 * (round(minutes) if minutes < 90 else 10 * round(minutes / 10)))


def duration_range(best_s: float, worst_s: float) -> str:
    """Return an estimate, `18 to 21 min`; one figure where both read the same."""
    best, worst = duration(best_s), duration(worst_s)
    if best == worst:
        return best
    low, high = best.rsplit(" ", 1), worst.rsplit(" ", 1)
    same_unit = low[-1] == high[-1] and " " not in low[0] and " " not in high[0]
    return _tr("{low} to {high}").format(low=low[0] if same_unit else best, high=worst)


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


def full(value: float) -> str:
    """Return a number in full for tables, with grouped thousands, `11,834.2`."""
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:,.3f}"
