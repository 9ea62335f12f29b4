"""What must hold of a load's tables, each as a query for what breaks it.

Rows of both sides stand one below the other and are added up. A join of many rows by several columns is taken for one
of few rows by the server, which then compares each row with each: hours where sums take seconds.
"""

from collections.abc import Sequence

import msgspec

from scheduler.databases.protocols import Row

_SHOWN = 3
_BROKEN = """
    SELECT {names}, sum(one) AS one, sum(other) AS other FROM ({parts}) AS sides GROUP BY {names}
    HAVING sum(one) <> sum(other)"""


class ConsistencyCondition(msgspec.Struct, frozen=True):
    """Two sums that are equal for each key.

    Attributes:
        number: In the list that it comes from.
        text: What must hold: the one sum, then the other.
        keys: What tells one row of the answer from another.
        parts: Queries for the keys, what counts on the one side, and what on the other.
    """

    number: int
    text: str
    keys: tuple[str, ...]
    parts: tuple[str, ...]

    @property
    def broken(self) -> str:
        """Query for what breaks it: the keys, then both sums."""
        head = f"SELECT {', '.join(f'0 AS {key}' for key in self.keys)}, 0 AS one, 0 AS other"  # names its columns
        parts = " UNION ALL ".join((head, *self.parts))
        return _BROKEN.format(names=", ".join(self.keys), parts=parts)

    def flaw(self, rows: Sequence[Row]) -> str:
        """Return what breaks it as a sentence with its numbers; empty when nothing does."""
        if not rows:
            return ""
        many = len(self.keys)
        found = (
            f"{', '.join(f'{key} {value}' for key, value in zip(self.keys, row[:many], strict=True))}:"
            f" {row[many]} against {row[many + 1]}"
            for row in rows[:_SHOWN]
        )
        more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
        return f"condition {self.number} ({self.text}) fails for {'; '.join(found)}{more}"
