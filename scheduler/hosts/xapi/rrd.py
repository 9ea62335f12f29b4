"""XAPI's metrics: round-robin archives of 5 s, fetched as JSON; for context and preflight, too coarse to check a quota.

Rows come newest first; values are numbers in some versions and text in others, `NaN` and `Infinity` among them.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

Key = tuple[str, str, str]
"""`host` or `vm`, its UUID, the metric."""

Series = Mapping[Key, tuple[tuple[int, float], ...]]
"""What was measured: oldest first, (seconds since 1970, value), without gaps' NaN."""

_LEGEND = re.compile(r"AVERAGE:(?P<kind>host|vm):(?P<uuid>[0-9a-fA-F-]{36}):(?P<name>.+)")
_CPU = re.compile(r"cpu\d+")
_LONGEST = 64  # values in a longer text are none
# Without quotes these are JSON to nobody but those who print floats with printf.
_BARE = re.compile(rb"(?<=[\[,:\s])(-?(?:nan|inf(?:inity)?))(?=\s*[,\]}])", re.IGNORECASE)


def parse(body: bytes) -> Series:
    """Read an answer of `/rrd_updates`; empty when it is none."""
    try:
        answer = msgspec.json.decode(_BARE.sub(rb'"\1"', body))
        legend = [str(name) for name in _list(answer["meta"]["legend"])]
        rows = sorted(_rows(_list(answer["data"]), len(legend)))
    except (msgspec.DecodeError, LookupError, TypeError, ValueError, UnicodeDecodeError):
        return {}
    series: dict[Key, tuple[tuple[int, float], ...]] = {}
    for column, name in enumerate(legend):
        found = _LEGEND.fullmatch(name)
        if found is not None:
            points = ((moment_s, values[column]) for moment_s, values in rows)
            key = (found["kind"], found["uuid"].lower(), found["name"])
            series[key] = tuple((moment_s, value) for moment_s, value in points if math.isfinite(value))
    return series


def newest(series: Series, kind: str, uuid: str, name: str) -> float | None:
    """Return the newest value of a metric; None when there is none."""
    points = series.get((kind, uuid.lower(), name), ())
    return points[-1][1] if points else None


def cpus_used(series: Series, uuid: str) -> float | None:
    """Return how many CPUs a domain used on average over the time that was asked for; None when nobody knows."""
    means = [
        sum(value for _, value in points) / len(points)
        for (kind, whose, name), points in series.items()
        if kind == "vm" and whose == uuid.lower() and _CPU.fullmatch(name) and points
    ]
    return sum(means) if means else None


def runstates(series: Series, uuid: str) -> dict[str, float]:
    """Return a domain's newest runstate fractions, `runstate_...` to 0..1; empty unless they are recorded."""
    names = [name for kind, whose, name in series if whose == uuid.lower() and kind == "vm"]
    found = {name: newest(series, "vm", uuid, name) for name in names if name.startswith("runstate_")}
    return {name: value for name, value in found.items() if value is not None}


def _rows(rows: list[object], width: int) -> Iterator[tuple[int, list[float]]]:
    for row in rows:
        fields = cast("dict[str, object]", row)
        values = [_number(value) for value in _list(fields["values"])]
        if len(values) == width:
            yield int(_number(fields["t"])), values


def _number(value: object) -> float:
    text = str(value)
    try:
        return float(text) if len(text) <= _LONGEST else math.nan
    except ValueError:
        return math.nan


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(type(value).__name__)
    return cast("list[object]", value)
