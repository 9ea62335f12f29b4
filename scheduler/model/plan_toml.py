"""TOML text of a plan: parse it, write it, find the line of a key."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scheduler.errors import SpecError
from scheduler.model.text_decoding import curly_quotes_hint
from scheduler.translation import _

_MAX_DOTS = 64  # per line: the time to parse a dotted key grows with the square of its length
_STRING = re.compile(r""""[^"]*"|'[^']*'""")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONG_QUOTES = ('"""', "'''")
_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*=")


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Parse a plan's text as TOML.

    Args:
        text: The text.
        source: Path or name of the text, for messages.

    Raises:
        SpecError: The text is not TOML, or exceeds a limit of plans.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        dots = _STRING.sub("", line).count(".")
        if dots > _MAX_DOTS:
            raise SpecError(
                source,
                _("line {number} has {dots} dots outside of quotes").format(number=number, dots=dots),
                hint=_("Is this a plan file?"),
            )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        hint = curly_quotes_hint(text) or _("Check quotes and brackets at that line.")
        raise SpecError(source, _("not TOML: {error}").format(error=error), hint=hint) from error
    except ValueError as error:  # Python's limit of digits
        raise SpecError(source, _("holds a number of thousands of digits"), hint=_("Shorten it.")) from error
    except RecursionError as error:
        raise SpecError(source, _("its brackets are nested too deep"), hint=_("A plan needs two levels.")) from error


def write_toml(table: Mapping[str, Any]) -> str:
    """Write a table as TOML: its values in their order, then the tables within it.

    A value is a string, a finite number, a bool, or a list of these; a list of tables becomes `[[key]]`.
    """
    return "".join(f"{line}\n" for line in _lines(table, ""))


def _lines(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    tables = {key: value for key, value in table.items() if _holds_tables(value)}
    yield from (f"{_key(key)} = {_value(value)}" for key, value in table.items() if key not in tables)
    for key, value in tables.items():
        name = f"{prefix}{_key(key)}"
        many = isinstance(value, list)
        for each in cast("list[dict[str, Any]]", value if many else [value]):
            yield from ("", f"[[{name}]]" if many else f"[{name}]")
            yield from _lines(each, f"{name}.")


def _holds_tables(value: object) -> bool:
    first = cast("list[Any]", value)[:1] if isinstance(value, list) else [value]
    return any(isinstance(each, dict) for each in first)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: object) -> str:
    """Return a value as JSON, which is also TOML except for one character."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def find_line(text: str, field: str) -> int:
    """Return the line of a key or its table in a plan, from 1; 0 where unknown.

    Args:
        text: The plan as TOML.
        field: Path of the key: `seed`, `load[1].users`, `objective.weights`, `splits[2]`.
    """
    lines = _list_lines(text)
    while field:
        if field in lines:
            return lines[field]
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return 0


def _list_lines(text: str) -> dict[str, int]:
    """Return path to line, of every table and key with a line of its own."""
    if any(quotes in text for quotes in _LONG_QUOTES):  # lines of long strings can look like keys
        return {}
    found: dict[str, int] = {}
    table, counts = "", Counter[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = header[2].strip()
            if header[1] == "[[":
                counts[table] += 1
                table = f"{table}[{counts[table] - 1}]"
            found.setdefault(table, number)
        elif key := _ASSIGNMENT.match(line):
            name = key[1].strip("\"'")
            found.setdefault(f"{table}.{name}" if table else name, number)
    return found
