"""Table of each synthetic load. Its contents depend on row numbers only.

So every correct answer is known in advance.
"""

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from scheduler.model.parameters import ParameterValue

FORMAT = "1"
"""Format of the table. Raise it when tables of an older version must not be used again."""

TABLE_NAME = "numbered"

TEXT_BYTES = 1_000
NUMBER_COUNT = 1_000
"""Rows of the table of `compute`: numbers 0..999. The load generates its rows from pairs of them."""

_CHUNK_ROWS = 1_000


class TableContents(msgspec.Struct, frozen=True):
    """Contents of a table, reduced to three sums.

    Attributes:
        rows: Number of rows.
        numbers: Sum of the numbers.
        digests: Sum of the first 32 bits of the SHA-256 of all texts. 0 for a table without texts.
    """

    rows: int
    numbers: int
    digests: int

    def __str__(self) -> str:
        """Return the three sums as text, for example `1000:499500:0`."""
        return f"{self.rows}:{self.numbers}:{self.digests}"


class NumberedTable(msgspec.Struct, frozen=True):
    """Table of the numbers from 0 on.

    Attributes:
        kind: Load kind that uses the table.
        rows: Number of rows.
        texts: True for a table with a text of 1 kB per number.
    """

    kind: str
    rows: int
    texts: bool

    @property
    def schema(self) -> str:
        """Name of the table's schema (on MariaDB: the database)."""
        return f"domtune_{self.kind}_{self.rows}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("number", "payload") if self.texts else ("number",)

    def at(self, statement: str) -> str:
        """Return a statement with the schema in place of `@.`."""
        return statement.replace("@.", f"{self.schema}.")

    def csv(self) -> Iterator[bytes]:
        """Yield the rows as CSV without quotes, up to 1,000 rows at a time."""
        for start in range(0, self.rows, _CHUNK_ROWS):
            numbers = range(start, min(start + _CHUNK_ROWS, self.rows))
            lines = (f"{number},{row_text(number)}\n" if self.texts else f"{number}\n" for number in numbers)
            yield "".join(lines).encode("ascii")

    def held(self) -> TableContents:
        """Return the contents of an undamaged table."""
        digests = sum(map(_text_digest, range(self.rows))) if self.texts else 0
        return TableContents(self.rows, self.rows * (self.rows - 1) // 2, digests)


def table_for_load(kind: str, values: Mapping[str, ParameterValue]) -> NumberedTable:
    """Return the table of a load.

    The table of `bulk` has texts and a size from the parameters.

    Args:
        kind: Load kind.
        values: Parameters of the load.
    """
    size = values.get("table_size")
    return NumberedTable(kind, NUMBER_COUNT if size is None else int(size), texts=size is not None)


def row_text(number: int) -> str:
    """Return the text of a number: its MD5 in hex, repeated up to 1,000 letters."""
    return (_md5_hex(str(number)) * (TEXT_BYTES // 32 + 1))[:TEXT_BYTES]


def _text_digest(number: int) -> int:
    """Return the first 32 bits of the SHA-256 of a number's text."""
    return int.from_bytes(hashlib.sha256(row_text(number).encode("ascii")).digest()[:4], "big")


def _md5_hex(text: str) -> str:
    return hashlib.md5(text.encode("ascii"), usedforsecurity=False).hexdigest()
