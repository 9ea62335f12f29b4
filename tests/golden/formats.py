"""Texts that are the same on every computer: rounded numbers, one JSON line per value, reports without markup."""

import hashlib
import json
import re
from html.parser import HTMLParser

_LONG_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{7,}(?:e[+-]?\d+)?(?![\w.])|(?<![\w.])-?\d(?:\.\d+)?e[+-]?\d+(?![\w.])")
_DIGITS = 7  # a sum in another order, or another mathematical library, changes the sixteenth
_DECIMALS = 9  # of differences that should be 0
_WIDTH = 116
_MOST_LINES = 4  # of a list of commands; the others are hashed
_LINES = frozenset(
    ("p", "h1", "h2", "h3", "li", "dt", "dd", "caption", "tr", "summary", "figcaption", "title", "footer", "div", "br")
)
_CELLS = frozenset(("td", "th"))
_BLANKS = re.compile(r"\s+")


def round_numbers(text: str) -> str:
    """Return a text with each number of more than seven decimals rounded to seven significant digits."""
    return _LONG_NUMBER.sub(lambda found: f"{round(float(found[0]), _DECIMALS) + 0.0:.{_DIGITS}g}", text)


def format_json(text: str) -> str:
    """Return a JSON object with rounded numbers and without empty fields; values that fit stand on one line."""
    return f"{_layout(json.loads(round_numbers(text), object_hook=_drop_empty), '')}\n"


def format_report(page: str) -> str:
    """Return a report's sentences and tables, a line each; pictures and style are hashed."""
    reader = _ReportReader()
    reader.feed(round_numbers(page))
    return "\n".join(reader.lines()) + "\n"


def _drop_empty(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _layout(value: object, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(indent) + len(flat) <= _WIDTH:
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        rows = [f"{inner}{json.dumps(key)}: {_layout(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{_layout(each, inner)}" for each in value) + f"\n{indent}]"


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _hash_line(lines: list[str]) -> list[str]:
    return [f"({len(lines)} more lines, {_digest(lines)})"] if lines else []


class _ReportReader(HTMLParser):
    """Collect the text of a page: a line per block, a bar between cells, a hash for each picture and style."""

    def __init__(self) -> None:
        super().__init__()
        self._text: list[str] = []
        self._hidden = ""  # the element whose markup is hashed
        self._markup: list[str] = []
        self._labels: list[str] = []
        self._list_begins = 0  # place of the first text of a <pre>; 0 outside

    def lines(self) -> list[str]:
        """Return all lines that hold text."""
        joined = (" ".join(line.split()) for line in "".join(self._text).split("\n"))
        return [line for line in joined if line]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line or a cell, or begin to hash."""
        if tag in ("svg", "style") and not self._hidden:
            self._hidden, self._markup, self._labels = tag, [], []
        if self._hidden:
            self._markup.append(self.get_starttag_text() or tag)
        elif tag == "pre":
            self._text.append("\n")
            self._list_begins = len(self._text)
        elif tag in _LINES:
            self._text.append("\n")
        elif tag in _CELLS:
            self._text.append(" | ")
        elif tag == "small":
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """End a line, or print the hash."""
        if tag == self._hidden:
            labels = f": {' / '.join(self._labels)}" if tag == "svg" else ""
            self._text.append(f"\n({tag} {_digest(self._markup)}{labels})\n")
            self._hidden = ""
        elif tag == "pre":
            lines = "".join(self._text[self._list_begins :]).splitlines()
            self._text[self._list_begins :] = ["\n".join([*lines[:_MOST_LINES], *_hash_line(lines[_MOST_LINES:]), ""])]
            self._list_begins = 0
        elif tag in _LINES and not self._hidden:
            self._text.append("\n")

    def handle_data(self, data: str) -> None:
        """Take text; of a picture its labels."""
        if self._hidden == "svg":
            self._labels.append(" ".join(data.split()))
        elif self._hidden:
            self._markup.append(data)
        elif self._list_begins:
            self._text.append(data)
        else:
            self._text.append(_BLANKS.sub(" ", data))
