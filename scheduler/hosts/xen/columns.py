"""The tables of `xl sched-*`: a name of any kind, then as many columns as the header says."""

import re

_VALUE = re.compile(r"-?\d+(?:\.\d+)?|yes|no")


def has_column(text: str, name: str) -> bool:
    """Return True when a table with this column was printed, even one without rows."""
    return name in _header(text)


def rows_of(text: str, domid: int) -> list[dict[str, str]]:
    """Return one domain's rows, column name to text; empty when it is in none of the lines."""
    columns = _header(text)[1:]
    rows: list[dict[str, str]] = []
    for line in text.splitlines():
        words = line.split()[-len(columns) :] if columns else []
        if len(words) == len(columns) and all(_VALUE.fullmatch(word) for word in words):
            rows.append(dict(zip(columns, words, strict=True)))
    return [row for row in rows if row["ID"] == str(domid)]


def _header(text: str) -> list[str]:
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["Name", "ID"]:
            return words
    return []
