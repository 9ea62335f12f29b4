"""Numbers as text: the only module that rounds numbers for people.

Window, command line and every export use this module. Prose has three significant digits at most, tables have all
digits that a measurement justifies. All text is plain ASCII; `app.display_texts` typesets the same text for the window.
"""

import math

from scheduler.translation import _, ngettext

NOT_KNOWN = _("not known")
NOTHING = "-"
"""Text of a figure that does not exist."""

MOST_HALF_WIDTH_FRAC = 1.0
"""Half width of a 95 % interval, as a fraction of the mean, above which the figure counts as not known. Chosen."""

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_ROUNDS_UP = 0.9995  # from this fraction of a prefix on, three digits would read 1000


def format_significant(value: float) -> str:
    """Return a number with three significant digits and no exponent.

    For example `0.0123`, `7.00`, `123`, `12400`.
    """
    if not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    if rounded and 2 - math.floor(math.log10(abs(rounded))) < digits:
        digits -= 1  # 9.999 reads 10.0, not 10.00
    return f"{rounded:.{max(0, min(digits, 12))}f}"


def format_short(value: float) -> str:
    """Return a number for a sentence, without trailing zeros: `7`, `12.3`, `11.8k`.

    Numbers from 1,000 on have a prefix.
    """
    number, prefix = _scale_to_prefix(value)
    return trim_zeros(number) + prefix


def format_rate(tps: float | None, unit: str) -> str:
    """Return a measured throughput with three digits: `7.00k tuples/s`.

    Args:
        tps: Throughput per second; None gives a dash.
        unit: Its unit.
    """
    return NOTHING if tps is None else f"{''.join(_scale_to_prefix(tps))} {unit}"


def format_table_number(value: float | None, decimals: int | None = None) -> str:
    """Return a number for a table, with grouped thousands: `11,834`, `523.4`, `3.142`.

    Args:
        value: Number; None gives a dash.
        decimals: Number of decimals of a whole column, >= 0; None chooses them by the size of the number.
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if decimals is None:
        decimals = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 3
    return f"{value:z,.{decimals}f}"


def format_four_digits(value: float) -> str:
    """Return a number with four significant digits: `12,350`, `1.235`, `0.000123`."""
    rounded = float(f"{value:.4g}")
    return format_count(rounded) if abs(rounded) >= 1000 else trim_zeros(f"{rounded:.6f}")


def format_count(number: float) -> str:
    """Return a whole number with grouped thousands: `1,000,000`."""
    return f"{number:,.0f}"


def format_users(number: float) -> str:
    """Return a number of users: `1 user`, `5 users`."""
    return ngettext("{n} user", "{n} users", number).format(n=number)


def format_trials(number: float) -> str:
    """Return a number of trials: `1 trial`, `5 trials`."""
    return ngettext("{n} trial", "{n} trials", number).format(n=number)


def format_blocks(number: float) -> str:
    """Return a number of blocks: `1 block`, `5 blocks`."""
    return ngettext("{n} block", "{n} blocks", number).format(n=number)


def format_more_trials(number: float) -> str:
    """Return a number of further trials: `1 more trial`, `5 more trials`."""
    return ngettext("{n} more trial", "{n} more trials", number).format(n=number)


def format_cpu_count(number: float) -> str:
    """Return a number of CPUs: `1 CPU`, `4 CPUs`."""
    return ngettext("{n} CPU", "{n} CPUs", number).format(n=number)


def format_vcpus(number: float) -> str:
    """Return a number of virtual CPUs: `1 vCPU`, `4 vCPUs`."""
    return ngettext("{n} vCPU", "{n} vCPUs", number).format(n=number)


def format_percent_digits(frac: float) -> str:
    """Return a fraction in percent without its unit: whole from 10, else one decimal."""
    value = 100 * frac
    if not math.isfinite(value):
        return NOTHING
    text = f"{value:.0f}" if abs(value) >= 9.95 else trim_zeros(f"{value:.1f}")
    return "0" if text == "-0" else text


def format_percent(frac: float | None) -> str:
    """Return a fraction as percent: `38 %`, `0.7 %`."""
    return NOTHING if frac is None else f"{format_percent_digits(frac)} %"


def format_cpu_time(used_cpus: float, cpus: int) -> str:
    """Return CPU used or allotted: percent of the CPU, or CPUs of several.

    Args:
        used_cpus: CPU time, CPUs (seconds per second), >= 0.
        cpus: Number of shared CPUs, >= 1.
    """
    return format_cpus(used_cpus) if cpus > 1 else format_percent(used_cpus)


def format_cpus(used_cpus: float) -> str:
    """Return CPU time as a number of CPUs: `3.43 CPUs`.

    Args:
        used_cpus: CPU time, CPUs (seconds per second), >= 0.
    """
    return f"{used_cpus:.2f} CPUs"


def format_error_percent(frac: float) -> str:
    """Return a small error as percent with two significant digits: `0.0075 %`.

    No error above 0 reads 0.
    """
    two_digits = float(f"{100 * frac:.2g}")
    return f"{trim_zeros(f'{two_digits:.6f}')} %"


def format_table_percent(frac: float | None) -> str:
    """Return a fraction as percent for a table, always with one decimal: `16.6 %`."""
    return NOTHING if frac is None else f"{100 * frac:z.1f} %"


def format_signed_percent(frac: float | None) -> str:
    """Return a change as percent with its sign: `+38 %`, `-4 %`; `0 %` for zero."""
    return NOTHING if frac is None else f"{_format_signed(frac)} %"


def format_confidence(prob: float) -> str:
    """Return a probability near 1 as percent with four digits: `99.96 %`, `95 %`."""
    return f"{trim_zeros(f'{100 * prob:.2f}')} %"


def format_interval(low_frac: float, high_frac: float) -> str:
    """Return an interval of fractions: `5 to 13 %`, `-3 to +1 %`.

    `not known` when the interval is wider than +/- 100 %.

    Args:
        low_frac: Lower end as a fraction.
        high_frac: Upper end as a fraction.
    """
    if not is_interval_known(low_frac, high_frac):
        return NOT_KNOWN
    high = _format_signed(high_frac) if low_frac < 0 else format_percent_digits(high_frac)
    return _("{low_frac} to {high} %").format(low_frac=format_percent_digits(low_frac), high=high)


def format_plus_minus(low: float, high: float, mean: float) -> str:
    """Return an interval as its half width relative to the mean: `+/- 3 %`.

    `(interval not known)` when it is wider than +/- 100 %.

    Args:
        low: Lower end, in the unit of `mean`.
        high: Upper end, in the same unit.
        mean: Value that the interval belongs to, in any unit; 0 gives an empty text.
    """
    if not mean:
        return ""
    half_frac = abs(high - low) / 2 / abs(mean)
    return (
        f"+/- {format_percent(half_frac)}"
        if half_frac <= MOST_HALF_WIDTH_FRAC
        else _("(interval {not_known})").format(not_known=NOT_KNOWN)
    )


def is_interval_known(low_frac: float, high_frac: float) -> bool:
    """Return True when an interval of fractions is at most +/- 100 % wide.

    Args:
        low_frac: Lower end as a fraction.
        high_frac: Upper end as a fraction.
    """
    return (high_frac - low_frac) / 2 <= MOST_HALF_WIDTH_FRAC


def format_times(ratio: float) -> str:
    """Return a ratio: `1.8 times`, `12 times`."""
    return _("{ratio} times").format(ratio=format_times_digits(ratio))


def format_times_digits(ratio: float) -> str:
    """Return a ratio without its word, with one decimal below 10."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}"


def split_duration(seconds_s: float) -> list[tuple[int, str]]:
    """Return a duration as at most two pairs of number and unit.

    The units are `day`, `h`, `min` and `s`.
    """
    whole_s = max(0, round(seconds_s))
    if whole_s < 600:
        parts = [(whole_s // 60, "min"), (whole_s % 60, "s")]
    elif (minutes := round(whole_s / 60)) < 24 * 60:
        parts = [(minutes // 60, "h"), (minutes % 60, "min")]
    else:
        parts = [*zip(divmod(round(minutes / 60), 24), ("day", "h"), strict=True)]
    return [part for part in parts if part[0]] or [(0, "s")]


def format_duration(seconds_s: float) -> str:
    """Return a duration: `45 s`, `3 min 20 s`, `12 min`, `2 h 5 min`, `3 days 4 h`."""
    parts = split_duration(seconds_s)
    return " ".join(
        ngettext("{n} day", "{n} days", number).format(n=number) if unit == "day" else f"{number} {unit}"
        for number, unit in parts
    )


def round_about_s(seconds_s: float) -> float:
    """Return an estimated duration rounded to minutes, in seconds.

    Durations from 90 minutes on are rounded to tens of minutes, those below a minute are not rounded.
    """
    minutes = seconds_s / 60
    if minutes < 1:
        return seconds_s
    return 60 * (round(minutes) if minutes < 90 else 10 * round(minutes / 10))


def format_about_minutes(minutes: float) -> str:
    """Return an estimated number of minutes, at least one: `12 min`, `2 h 5 min`."""
    return format_duration(round_about_s(60 * max(1.0, minutes)))


def format_duration_range(best_s: float, worst_s: float) -> str:
    """Return an estimated duration: `18 to 21 min`; one figure for equal ends.

    Args:
        best_s: Shortest duration, seconds.
        worst_s: Longest duration, seconds.
    """
    return join_range(format_duration(best_s), format_duration(worst_s))


def join_range(low: str, high: str, to: str = "to") -> str:
    """Return two texts of number and unit as a range, a common unit only once.

    Args:
        low: Lower end, in the unit of `mean`.
        high: Upper end.
        to: Word between the ends.
    """
    if low == high:
        return low
    (start, _, unit), (end, _, other) = low.rpartition(" "), high.rpartition(" ")
    plain = unit == other and " " not in start and " " not in end
    return f"{start if plain else low} {to} {high}"


def trim_zeros(text: str) -> str:
    """Return a decimal number without trailing zeros."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _format_signed(frac: float) -> str:
    digits = format_percent_digits(frac)
    return f"+{digits}" if frac > 0 and digits != "0" else digits


def _scale_to_prefix(value: float) -> tuple[str, str]:
    for step, prefix in _PREFIXES:
        if abs(value) >= step * _ROUNDS_UP:
            return format_significant(value / step), prefix
    return format_significant(value), ""
