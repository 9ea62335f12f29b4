"""The consistency conditions of TPC-C (3.3.2): each a query for what breaks it."""

from collections.abc import Sequence

import msgspec

from scheduler.databases.base import Row, Session
from scheduler.loads.order_entry.size import Size

_SHOWN = 3


class Condition(msgspec.Struct, frozen=True):
    """One condition.

    Attributes:
        number: In TPC-C's list.
        text: What must hold.
        keys: What tells one row of the answer from another.
        broken: Query for what breaks it: the keys, then both sides.
    """

    number: int
    text: str
    keys: tuple[str, ...]
    broken: str

    def flaw(self, rows: Sequence[Row]) -> str:
        """Return what breaks it as a sentence with its numbers; empty when nothing does."""
        if not rows:
            return ""
        many = len(self.keys)
        found = (
            f"{', '.join(f'{key} {value}' for key, value in zip(self.keys, row[:many], strict=True))}:"
            f" {' against '.join('nothing' if side is None else str(side) for side in row[many:])}"
            for row in rows[:_SHOWN]
        )
        more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
        return f"condition {self.number} ({self.text}) fails for {'; '.join(found)}{more}"


_DISTRICT = ("warehouse", "district")
_ORDER = ("warehouse", "district", "order")
_CUSTOMER = ("warehouse", "district", "customer")
_LINES = "SELECT ol_w_id, ol_d_id, ol_o_id, count(*) AS many FROM @.order_line GROUP BY ol_w_id, ol_d_id, ol_o_id"
_DELIVERED = (
    "SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS amount FROM @.orders JOIN @.order_line ON ol_w_id = o_w_id"
    " AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id"
)
_OF_CUSTOMER = "o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id"

CONDITIONS = (
    Condition(
        1,
        "w_ytd is the sum of d_ytd",
        ("warehouse",),
        "SELECT w_id, w_ytd, total FROM @.warehouse LEFT JOIN (SELECT d_w_id, sum(d_ytd) AS total FROM @.district"
        " GROUP BY d_w_id) AS districts ON d_w_id = w_id WHERE total IS NULL OR w_ytd <> total",
    ),
    Condition(
        2,
        "d_next_o_id - 1 is the last order and the last open one",
        _DISTRICT,
        "SELECT d_w_id, d_id, d_next_o_id - 1, last_order, last_open FROM @.district LEFT JOIN"
        " (SELECT o_w_id, o_d_id, max(o_id) AS last_order FROM @.orders GROUP BY o_w_id, o_d_id) AS known"
        " ON o_w_id = d_w_id AND o_d_id = d_id LEFT JOIN"
        " (SELECT no_w_id, no_d_id, max(no_o_id) AS last_open FROM @.new_order GROUP BY no_w_id, no_d_id) AS opened"
        " ON no_w_id = d_w_id AND no_d_id = d_id"
        " WHERE last_order IS NULL OR d_next_o_id - 1 <> last_order OR d_next_o_id - 1 <> last_open",
    ),
    Condition(
        3,
        "open orders have neighbouring numbers",
        _DISTRICT,
        "SELECT no_w_id, no_d_id, count(*), max(no_o_id) - min(no_o_id) + 1 FROM @.new_order GROUP BY no_w_id, no_d_id"
        " HAVING count(*) <> max(no_o_id) - min(no_o_id) + 1",
    ),
    Condition(
        4,
        "the sum of o_ol_cnt is the number of lines",
        _DISTRICT,
        "SELECT o_w_id, o_d_id, said, many FROM"
        " (SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS said FROM @.orders GROUP BY o_w_id, o_d_id) AS known LEFT JOIN"
        " (SELECT ol_w_id, ol_d_id, count(*) AS many FROM @.order_line GROUP BY ol_w_id, ol_d_id) AS found"
        " ON ol_w_id = o_w_id AND ol_d_id = o_d_id WHERE many IS NULL OR said <> many",
    ),
    Condition(
        5,
        "an order has no carrier exactly while it is open",
        _ORDER,
        "SELECT o_w_id, o_d_id, o_id, o_carrier_id, no_o_id FROM @.orders LEFT JOIN @.new_order ON no_w_id = o_w_id"
        " AND no_d_id = o_d_id AND no_o_id = o_id WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)",
    ),
    Condition(
        6,
        "o_ol_cnt is the number of the order's lines",
        _ORDER,
        f"SELECT o_w_id, o_d_id, o_id, o_ol_cnt, many FROM @.orders LEFT JOIN ({_LINES}) AS found"
        " ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE many IS NULL OR o_ol_cnt <> many",
    ),
    Condition(
        7,
        "a line is delivered exactly when its order has a carrier",
        _ORDER,
        "SELECT o_w_id, o_d_id, o_id, ol_delivery_d, o_carrier_id FROM @.orders JOIN @.order_line ON ol_w_id = o_w_id"
        " AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)",
    ),
    Condition(
        8,
        "w_ytd is the sum of h_amount",
        ("warehouse",),
        "SELECT w_id, w_ytd, total FROM @.warehouse LEFT JOIN (SELECT h_w_id, sum(h_amount) AS total FROM @.history"
        " GROUP BY h_w_id) AS paid ON h_w_id = w_id WHERE total IS NULL OR w_ytd <> total",
    ),
    Condition(
        9,
        "d_ytd is the sum of h_amount",
        _DISTRICT,
        "SELECT d_w_id, d_id, d_ytd, total FROM @.district LEFT JOIN (SELECT h_w_id, h_d_id, sum(h_amount) AS total"
        " FROM @.history GROUP BY h_w_id, h_d_id) AS paid ON h_w_id = d_w_id AND h_d_id = d_id"
        " WHERE total IS NULL OR d_ytd <> total",
    ),
    Condition(
        10,
        "c_balance is what was delivered less what was paid",
        _CUSTOMER,
        f"SELECT c_w_id, c_d_id, c_id, c_balance, coalesce(amount, 0) - paid FROM @.customer JOIN"
        " (SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) AS paid FROM @.history GROUP BY h_c_w_id, h_c_d_id, h_c_id)"
        " AS payments ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id"
        f" LEFT JOIN ({_DELIVERED}) AS delivered ON {_OF_CUSTOMER} WHERE c_balance <> coalesce(amount, 0) - paid",
    ),
    Condition(
        12,
        "c_balance and c_ytd_payment add up to what was delivered",
        _CUSTOMER,
        f"SELECT c_w_id, c_d_id, c_id, c_balance + c_ytd_payment, coalesce(amount, 0) FROM @.customer"
        f" LEFT JOIN ({_DELIVERED}) AS delivered ON {_OF_CUSTOMER}"
        " WHERE c_balance + c_ytd_payment <> coalesce(amount, 0)",
    ),
)
"""All but 11, which holds directly after loading only."""


def flaws(session: Session, size: Size) -> list[str]:
    """Return what breaks the conditions, one sentence each; an empty list when all hold."""
    found = (condition.flaw(session.rows(size.named(condition.broken))) for condition in CONDITIONS)
    return [flaw for flaw in found if flaw]
