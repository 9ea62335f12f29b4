"""Parser for XAPI's metrics: round-robin archives of 5 s, fetched as XML.

The metrics serve as context and for preflight. Intervals of 5 s cannot check a quota. XML is the only form that every
version prints alike (rrdtool's `xport`; `rrd_updates.ml` of xapi-project/xcp-rrd, now in xen-api). The JSON has had
three forms: up to xcp-rrd 1.9 without quoted keys, which is not JSON, and up to xen-api 24.10 with the rows inside
`meta`. Rows come newest first. A value may be `NaN` or `Infinity`.
"""

import re
from collections.abc import Iterator, Mapping
from xml.parsers import expat

from scheduler.model.number_parsing import parse_decimal, parse_whole_number
from scheduler.translation import _

Key = tuple[str, str, str]
"""`host` or `vm`, UUID, name of the metric."""

Series = Mapping[Key, tuple[tuple[int, float], ...]]
"""Values by metric: oldest first, (seconds since 1970, value), without NaN."""

MOST_BYTES = 24 << 20  # a minute of a thousand virtual machines needs about a third

_LEGEND = re.compile(r"AVERAGE:(?P<kind>host|vm):(?P<uuid>[0-9a-fA-F-]{36}):(?P<name>.{1,200})")
_CPU = re.compile(r"cpu[0-9]{1,5}")
_NAME, _MOMENT, _VALUE = ("xport/meta/legend/entry", "xport/data/row/t", "xport/data/row/v")
_ROW = "xport/data/row"
_LONGEST = 1024  # characters in one text
_DEEPEST = 4  # levels of elements in this format
_MOST_NAMES = 100_000
_MOST_VALUES = 2_000_000


class _FormatRefused(Exception):
    """Error of an answer in another format, or beyond a limit."""


def parse_metrics(body: bytes) -> Series:
    """Read an answer of `/rrd_updates`; return nothing for other or oversized answers."""
    reader = _XportReader()
    try:
        if len(body) <= MOST_BYTES:
            reader.read(body)
    except (expat.ExpatError, _FormatRefused, ValueError, LookupError):  # LookupError: an unknown encoding
        return {}
    return reader.series() if reader.root else {}


def newest_value(series: Series, kind: str, uuid: str, name: str) -> float | None:
    """Return the newest value of a metric; None when there is none.

    Args:
        series: The metrics.
        kind: `host` or `vm`.
        uuid: UUID of the host or machine.
        name: Name of the metric.
    """
    points = series.get((kind, uuid.lower(), name), ())
    return points[-1][1] if points else None


def cpus_used(series: Series, uuid: str) -> float | None:
    """Return a machine's average number of CPUs used; None when unknown.

    Args:
        series: The metrics.
        uuid: UUID of the machine.
    """
    means = [
        sum(value for _, value in points) / len(points)
        for (kind, whose, name), points in series.items()
        if kind == "vm" and whose == uuid.lower() and _CPU.fullmatch(name) and points
    ]
    return sum(means) if means else None


def read_runstates(series: Series, uuid: str) -> dict[str, float]:
    """Return a machine's newest runstate fractions; empty unless recorded.

    Args:
        series: The metrics.
        uuid: UUID of the machine.

    Returns:
        Fractions 0..1, by name (`runstate_...`).
    """
    names = [name for kind, whose, name in series if whose == uuid.lower() and kind == "vm"]
    found = {name: newest_value(series, "vm", uuid, name) for name in names if name.startswith("runstate_")}
    return {name: value for name, value in found.items() if value is not None}


class _XportReader:
    """Streaming reader of an answer; a tree would need many times the answer's size.

    Attributes:
        root: True when the outermost element belongs to this format.
    """

    def __init__(self) -> None:
        self.root = False
        self._path: list[str] = []
        self._text = ""
        self._names: list[str] = []
        self._row: tuple[int | None, list[float | None]] = (None, [])
        self._rows: list[tuple[int, list[float | None]]] = []
        self._values = 0

    def read(self, body: bytes) -> None:
        """Read the whole answer; raise ExpatError, _FormatRefused."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_doctype  # XAPI sends none, and entities could expand
        parser.StartElementHandler = self._begin_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._add_text
        parser.Parse(body, True)  # noqa: FBT003 - expat takes no name for this argument

    def series(self) -> dict[Key, tuple[tuple[int, float], ...]]:
        """Return the metrics, without rows whose width differs from the legend."""
        rows = sorted((row for row in self._rows if len(row[1]) == len(self._names)), key=lambda row: row[0])
        return {key: tuple(_list_column_values(rows, column)) for column, key in _parse_legend(self._names)}

    def _refuse_doctype(self, *declared: object) -> None:
        raise _FormatRefused(_("a document type"))

    def _begin_element(self, name: str, attributes: Mapping[str, str]) -> None:
        if len(self._path) >= _DEEPEST:
            raise _FormatRefused(_("too deep"))
        self._path.append(name)
        self._text = ""
        self.root = self._path[0] == "xport"
        if "/".join(self._path) == _ROW:
            self._row = (None, [])

    def _add_text(self, text: str) -> None:
        self._text += text
        if len(self._text) > _LONGEST:
            raise _FormatRefused(_("too long a text"))

    def _end_element(self, name: str) -> None:
        path, text = "/".join(self._path), self._text.strip()
        if path == _VALUE:
            self._row[1].append(parse_decimal(text))
            self._values += 1
        elif path == _MOMENT:
            self._row = (parse_whole_number(text), self._row[1])
        elif path == _NAME:
            self._names.append(text)
        elif path == _ROW and self._row[0] is not None:
            self._rows.append((self._row[0], self._row[1]))
        if self._values > _MOST_VALUES or len(self._names) > _MOST_NAMES:
            raise _FormatRefused(_("too much"))
        self._path.pop()
        self._text = ""


def _parse_legend(names: list[str]) -> Iterator[tuple[int, Key]]:
    for column, name in enumerate(names):
        found = _LEGEND.fullmatch(name)
        if found is not None:
            yield column, (found["kind"], found["uuid"].lower(), found["name"])


def _list_column_values(rows: list[tuple[int, list[float | None]]], column: int) -> Iterator[tuple[int, float]]:
    for moment_s, values in rows:
        value = values[column]
        if value is not None:
            yield moment_s, value
