"""Consistency conditions of a load's tables, each a query for violations.

The query adds up the rows of both sides after UNION ALL. A join would be too slow: servers underestimate the rows of
a
join by several columns and compare each row with each. This takes hours, and sums take seconds.
"""

from collections.abc import Sequence

import msgspec

from scheduler.databases.protocols import Row
from scheduler.translation import _

_SHOWN = 3
_BROKEN = """
    SELECT {names}, sum(one) AS one, sum(other) AS other FROM ({parts}) AS sides GROUP BY {names}
    HAVING sum(one) <> sum(other)"""


class ConsistencyCondition(msgspec.Struct, frozen=True):
    """Two sums that are equal for each key.

    Attributes:
        number: Number of the condition in its list.
        text: The condition in words: first sum, then second sum.
        keys: Names of the key columns.
        parts: Queries for the keys, the amounts of the first sum, and the amounts of the second sum.
    """

    number: int
    text: str
    keys: tuple[str, ...]
    parts: tuple[str, ...]

    @property
    def broken(self) -> str:
        """SQL query for violations: the keys, then both sums."""
        head = f"SELECT {', '.join(f'0 AS {key}' for key in self.keys)}, 0 AS one, 0 AS other"  # names the columns
        parts = " UNION ALL ".join((head, *self.parts))
        return _BROKEN.format(names=", ".join(self.keys), parts=parts)

    def flaw(self, rows: Sequence[Row]) -> str:
        """Return the violations as one sentence; empty without violations."""
        if not rows:
            return ""
        many = len(self.keys)
        found = (
            _("{names}: {row} against {row_2}").format(
                names=", ".join((f"{key} {value}" for key, value in zip(self.keys, row[:many], strict=True))),
                row=row[many],
                row_2=row[many + 1],
            )
            for row in rows[:_SHOWN]
        )
        more = _(" and {count} more").format(count=len(rows) - _SHOWN) if len(rows) > _SHOWN else ""
        return _("condition {number} ({value}) fails for {found}{more}").format(
            number=self.number, value=self.text, found="; ".join(found), more=more
        )
