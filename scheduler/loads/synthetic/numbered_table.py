"""The one table of each load. All that it holds follows from its rows' numbers, so every answer is known beforehand."""

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from scheduler.model.parameters import ParameterValue

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""

TABLE_NAME = "numbered"

TEXT_BYTES = 1_000
NUMBER_COUNT = 1_000
"""Rows of the table whose pairs `compute` generates its rows from: numbers 0 to 999."""

_CHUNK_ROWS = 1_000


class TableContents(msgspec.Struct, frozen=True):
    """Contents of a table: rows, sum of their numbers, sum of the first 32 bits of their texts' SHA-256."""

    rows: int
    numbers: int
    digests: int

    def __str__(self) -> str:
        """Return it as tables are told apart by: `1000:499500:0`."""
        return f"{self.rows}:{self.numbers}:{self.digests}"


class NumberedTable(msgspec.Struct, frozen=True):
    """A table of numbers from 0 on.

    Attributes:
        kind: Whose it is.
        rows: How many there are.
        texts: True for one with a text of 1 kB beside each number.
    """

    kind: str
    rows: int
    texts: bool

    @property
    def schema(self) -> str:
        """Name of the schema (on MariaDB of the database) that it lies in."""
        return f"domtune_{self.kind}_{self.rows}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return ("number", "payload") if self.texts else ("number",)

    def at(self, statement: str) -> str:
        """Return a statement with its `@.` replaced by the schema."""
        return statement.replace("@.", f"{self.schema}.")

    def csv(self) -> Iterator[bytes]:
        """Yield the rows as CSV (LF, no quotes needed), a thousand at a time."""
        for start in range(0, self.rows, _CHUNK_ROWS):
            numbers = range(start, min(start + _CHUNK_ROWS, self.rows))
            lines = (f"{number},{row_text(number)}\n" if self.texts else f"{number}\n" for number in numbers)
            yield "".join(lines).encode("ascii")

    def held(self) -> TableContents:
        """Return what it holds when nothing has harmed it."""
        digests = sum(map(_text_digest, range(self.rows))) if self.texts else 0
        return TableContents(self.rows, self.rows * (self.rows - 1) // 2, digests)


def table_for_load(kind: str, values: Mapping[str, ParameterValue]) -> NumberedTable:
    """Return the table that a load's parameters ask for: of `bulk`, whose size may be chosen, with texts."""
    size = values.get("table_size")
    return NumberedTable(kind, NUMBER_COUNT if size is None else int(size), texts=size is not None)


def row_text(number: int) -> str:
    """Return the text beside a number: 1,000 letters of its MD5, over and over."""
    return (_md5_hex(str(number)) * (TEXT_BYTES // 32 + 1))[:TEXT_BYTES]


def _text_digest(number: int) -> int:
    """Return the first 32 bits of the SHA-256 of the text next to a number."""
    return int.from_bytes(hashlib.sha256(row_text(number).encode("ascii")).digest()[:4], "big")


def _md5_hex(text: str) -> str:
    return hashlib.md5(text.encode("ascii"), usedforsecurity=False).hexdigest()
