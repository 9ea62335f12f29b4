"""Tables that `xl sched-*` prints.

A row begins with the domain's name, which may hold any character. The header names the columns after it.
"""

import re
from collections.abc import Mapping

from scheduler.errors import HostError
from scheduler.model.number_parsing import parse_decimal, parse_whole_number
from scheduler.toolstacks.tool_output import split_lines
from scheduler.translation import _

_MOST = 2**31 - 1  # the tools keep it in an int
_VALUE = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?|yes|no")


def has_column(text: str, name: str) -> bool:
    """Return True when the output has a table with this column, even one without rows.

    Args:
        text: Output of the command.
        name: Name of the column.
    """
    return name in _find_header(text)


def parse_sched_rows(text: str, domid: int) -> list[dict[str, str]]:
    """Return the rows of one domain; empty when the domain is in none of the lines.

    Args:
        text: Output of the command.
        domid: Number of the domain.

    Returns:
        Column name to text, for each row.
    """
    columns = _find_header(text)[1:]
    rows: list[dict[str, str]] = []
    for line in split_lines(text) if columns else ():
        words = line.split()[-len(columns) :]
        if len(words) == len(columns) and all(_VALUE.fullmatch(word) for word in words):
            rows.append(dict(zip(columns, words, strict=True)))
    return [row for row in rows if row["ID"] == str(domid)]


def read_whole(row: Mapping[str, str], name: str) -> int:
    """Return a column's value as a whole number.

    Args:
        row: Column name to text.
        name: Name of the column.

    Raises:
        HostError: There is no such column, or no whole number 0..2^31-1 in it.
    """
    found = parse_whole_number(row.get(name, ""), most=_MOST)
    if found is None:
        raise _bad_value_error(row, name, _("a whole number from 0 to {most}").format(most=_MOST))
    return found


def read_number(row: Mapping[str, str], name: str) -> float:
    """Return a column's value as a number.

    Args:
        row: Column name to text.
        name: Name of the column.

    Raises:
        HostError: There is no such column, or no number >= 0 in it.
    """
    found = parse_decimal(row.get(name, ""), least=0.0)
    if found is None:
        raise _bad_value_error(row, name, _("a number"))
    return found


def _bad_value_error(row: Mapping[str, str], name: str, wanted: str) -> HostError:
    shown = repr(row[name][:40]) if name in row else "nothing"
    return HostError(
        _("the toolstack prints {shown} as {name!r} of domain {row}, where {wanted} belongs").format(
            shown=shown, name=name, row=row.get("ID", "")[:20], wanted=wanted
        ),
        hint=_(
            "Is this a version of Xen's tools that DomTune does not know? Their 'sched-...' command shows the table."
        ),
    )


def _find_header(text: str) -> list[str]:
    for line in split_lines(text):
        words = line.split()
        if words[:2] == ["Name", "ID"]:
            return words
    return []
