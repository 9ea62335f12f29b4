"""Words on screen: numbers, durations, clock times, and the glossary.

In prose a number has at most three significant digits; tables show it in full.
"""

import datetime
import math

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

_CONTEXT = "words"
_STEPS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NO-BREAK SPACE}"


def _tr(text: str) -> str:
    return QCoreApplication.translate(_CONTEXT, text)


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


def short(value: float) -> str:
    """Return `value` with at most three significant digits and a prefix (`11.8k`, `999`, `1.2M`)."""
    for step, prefix in _STEPS:
        if abs(value) >= step * 0.9995:
            return _trimmed(three_digits(value / step)) + prefix
    return _trimmed(three_digits(value))


def rate(value_tps: float | None) -> str:
    """Return a throughput for prose, `11.8k tuples/s`; a dash for None."""
    return "\N{EM DASH}" if value_tps is None else _tr("{number} tuples/s").format(number=short(value_tps))


def percent(value_frac: float | None) -> str:
    """Return a fraction as a percentage, `38 %`; a dash for None."""
    if value_frac is None:
        return "\N{EM DASH}"
    return f"{_percent_digits(value_frac)}{NARROW}%"


def signed_percent(value_frac: float | None) -> str:
    """Return a change, `+38 %` or `\N{MINUS SIGN}4 %`; a dash for None."""
    if value_frac is None:
        return "\N{EM DASH}"
    sign = "+" if value_frac > 0 else ""
    return f"{sign}{_percent_digits(value_frac)}{NARROW}%"


def plus_minus(value_frac: float | None) -> str:
    """Return a half width, `± 3 %`; empty for None."""
    return "" if value_frac is None else f"±{NARROW}{_percent_digits(abs(value_frac))}{NARROW}%"


def _percent_digits(value_frac: float) -> str:
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
    when = datetime.datetime.fromtimestamp(unix_s).astimezone()
    now = datetime.datetime.now().astimezone() if now_unix_s is None else datetime.datetime.fromtimestamp(now_unix_s)
    time = f"{when:%H:%M}"
    days = (when.date() - now.date()).days
    if days == 0:
        return time
    locale = QLocale()
    if abs(days) < 7:
        return f"{locale.dayName(when.isoweekday())} {time}"
    return f"{when.day} {locale.monthName(when.month, QLocale.FormatType.ShortFormat)} {when.year} {time}"


def full(value: float) -> str:
    """Return a number in full for tables, with grouped thousands, `11,834.2`."""
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:,.3f}"


GLOSSARY: dict[str, tuple[str, str]] = {
    "split": (
        QT_TRANSLATE_NOOP("words", "Split"),
        QT_TRANSLATE_NOOP(
            "words",
            "How the CPU time that both domains compete for is divided, written I/O domain : guest. "
            "1:2 gives the I/O domain one third.",
        ),
    ),
    "io-domain": (
        QT_TRANSLATE_NOOP("words", "I/O domain"),
        QT_TRANSLATE_NOOP(
            "words",
            "The domain through which the guest's network and disk traffic passes: Dom0 on Xen, a driver "
            "domain, or the relay process on this computer.",
        ),
    ),
    "guest": (
        QT_TRANSLATE_NOOP("words", "Guest"),
        QT_TRANSLATE_NOOP("words", "The domain that runs the database (DomU on Xen)."),
    ),
    "share-mode": (
        QT_TRANSLATE_NOOP("words", "Share mode"),
        QT_TRANSLATE_NOOP(
            "words", "Weights: under contention each domain gets its share, and may use what the other leaves."
        ),
    ),
    "partition-mode": (
        QT_TRANSLATE_NOOP("words", "Partition mode"),
        QT_TRANSLATE_NOOP(
            "words",
            "Caps or quotas: each domain gets its share and never more; what one leaves stays idle. "
            "This is what the 2007 paper measured.",
        ),
    ),
    "cap": (
        QT_TRANSLATE_NOOP("words", "Cap"),
        QT_TRANSLATE_NOOP("words", "The most CPU time a domain may use, even when the CPU is otherwise idle."),
    ),
    "weight": (
        QT_TRANSLATE_NOOP("words", "Weight"),
        QT_TRANSLATE_NOOP("words", "A domain's claim relative to the others while they compete; no limit by itself."),
    ),
    "quota": (
        QT_TRANSLATE_NOOP("words", "Quota and period"),
        QT_TRANSLATE_NOOP(
            "words", "A domain may run for the quota in every period, then it is held back until the next one begins."
        ),
    ),
    "delivered-share": (
        QT_TRANSLATE_NOOP("words", "Delivered share"),
        QT_TRANSLATE_NOOP(
            "words",
            "The CPU time that a domain really received, as a part of one CPU; beside it stands what was configured.",
        ),
    ),
    "throttled": (
        QT_TRANSLATE_NOOP("words", "Held back"),
        QT_TRANSLATE_NOOP("words", "Part of the time in which a domain wanted to run but had used its quota up."),
    ),
    "visit": (
        QT_TRANSLATE_NOOP("words", "Visit"),
        QT_TRANSLATE_NOOP(
            "words", "One stay at one split under one load: a few seconds to settle, then the seconds that count."
        ),
    ),
    "block": (
        QT_TRANSLATE_NOOP("words", "Block"),
        QT_TRANSLATE_NOOP(
            "words",
            "One round through all splits in random order. Visits of one block are compared with each other, "
            "so that slow drifts of the host cancel out.",
        ),
    ),
    "settling": (
        QT_TRANSLATE_NOOP("words", "Settling"),
        QT_TRANSLATE_NOOP("words", "The first seconds after a change; they are shown but not counted."),
    ),
    "baseline": (
        QT_TRANSLATE_NOOP("words", "Baseline"),
        QT_TRANSLATE_NOOP("words", "The host as it was found, measured at the beginning and at the end."),
    ),
    "sweep": (
        QT_TRANSLATE_NOOP("words", "Sweep"),
        QT_TRANSLATE_NOOP("words", "Measuring all chosen splits, each several times, and putting the host back."),
    ),
    "load": (
        QT_TRANSLATE_NOOP("words", "Load"),
        QT_TRANSLATE_NOOP("words", "What the users do: IR reads many rows, OLTP runs short transactions."),
    ),
    "ir": (
        QT_TRANSLATE_NOOP("words", "IR"),
        QT_TRANSLATE_NOOP("words", "Information retrieval: users who read rows by key, as fast as they are answered."),
    ),
    "oltp": (
        QT_TRANSLATE_NOOP("words", "OLTP"),
        QT_TRANSLATE_NOOP("words", "Online transactions: users who change rows and commit, as fast as they are answered."),
    ),
    "user": (
        QT_TRANSLATE_NOOP("words", "User"),
        QT_TRANSLATE_NOOP("words", "A client that sends its next request as soon as the last one is answered."),
    ),
    "throughput": (
        QT_TRANSLATE_NOOP("words", "Throughput"),
        QT_TRANSLATE_NOOP("words", "Tuples per second, all users together: rows read or changed and committed."),
    ),
    "service-time": (
        QT_TRANSLATE_NOOP("words", "Service time"),
        QT_TRANSLATE_NOOP("words", "From sending a request to its answer. p95: 95 of 100 requests were faster."),
    ),
    "interval": (
        QT_TRANSLATE_NOOP("words", "95 % interval"),
        QT_TRANSLATE_NOOP(
            "words", "Where the true mean lies with 95 % certainty, judged by how much the visits differ."
        ),
    ),
    "cv": (
        QT_TRANSLATE_NOOP("words", "Variation (CV)"),
        QT_TRANSLATE_NOOP("words", "Standard deviation of the visits as a part of their mean."),
    ),
    "regret": (
        QT_TRANSLATE_NOOP("words", "Regret"),
        QT_TRANSLATE_NOOP("words", "What a load loses at a split, against the split that would be best for that load."),
    ),
    "objective": (
        QT_TRANSLATE_NOOP("words", "Objective"),
        QT_TRANSLATE_NOOP(
            "words", "What best means: how much each load counts. The score is the weighted geometric mean."
        ),
    ),
    "confidence": (
        QT_TRANSLATE_NOOP("words", "Certainty"),
        QT_TRANSLATE_NOOP("words", "The probability that no other split is better by more than what counts as equal."),
    ),
    "indifference": (
        QT_TRANSLATE_NOOP("words", "Equally good"),
        QT_TRANSLATE_NOOP("words", "Differences this small do not matter; splits within them are called equally good."),
    ),
    "bottleneck": (
        QT_TRANSLATE_NOOP("words", "Bottleneck"),
        QT_TRANSLATE_NOOP("words", "What limited the throughput: the I/O domain, the guest, or the clients."),
    ),
    "protocol": (
        QT_TRANSLATE_NOOP("words", "Protocol"),
        QT_TRANSLATE_NOOP("words", "How long and how often each split is measured."),
    ),
    "ledger": (
        QT_TRANSLATE_NOOP("words", "Ledger"),
        QT_TRANSLATE_NOOP("words", "Every line that the host was told, and what it answered."),
    ),
    "preflight": (
        QT_TRANSLATE_NOOP("words", "Preflight"),
        QT_TRANSLATE_NOOP("words", "Checks made before anything is touched."),
    ),
    "undo-record": (
        QT_TRANSLATE_NOOP("words", "Undo record"),
        QT_TRANSLATE_NOOP(
            "words", "The host's own settings, written to disk before the first change; from it the host is put back."
        ),
    ),
    "simulated": (
        QT_TRANSLATE_NOOP("words", "Simulated"),
        QT_TRANSLATE_NOOP("words", "Nothing here was measured on a machine."),
    ),
}


def term(key: str) -> tuple[str, str]:
    """Return a domain word and its explanation; raises KeyError for a word without an entry."""
    word, meaning = GLOSSARY[key]
    return _tr(word), _tr(meaning)
