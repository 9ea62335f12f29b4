"""Consistency conditions of TPC-C (3.3.2), each a query for violations."""

from scheduler.loads.tables.consistency_condition import ConsistencyCondition

_WAREHOUSE = ("warehouse",)
_DISTRICT = (*_WAREHOUSE, "district")
_ORDER, _CUSTOMER = (*_DISTRICT, "number"), (*_DISTRICT, "customer")

_LINES = (
    "SELECT ol_w_id, ol_d_id, ol_o_id, 0, count(*) FROM @.order_line WHERE {which} GROUP BY ol_w_id, ol_d_id, ol_o_id"
)
_DELIVERED = (
    "SELECT o_w_id, o_d_id, o_c_id, 0, ol_amount FROM @.orders JOIN @.order_line ON ol_w_id = o_w_id"
    " AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE ol_delivery_d IS NOT NULL"
)

CONDITIONS = (
    ConsistencyCondition(
        1,
        "w_ytd is the sum of d_ytd",
        _WAREHOUSE,
        ("SELECT w_id, w_ytd, 0 FROM @.warehouse", "SELECT d_w_id, 0, d_ytd FROM @.district"),
    ),
    ConsistencyCondition(
        2,
        "d_next_o_id - 1 is the last order, and the last open one if any is open",
        (*_DISTRICT, "of_open"),
        (
            "SELECT d_w_id, d_id, 0, d_next_o_id - 1, 0 FROM @.district",
            "SELECT o_w_id, o_d_id, 0, 0, max(o_id) FROM @.orders GROUP BY o_w_id, o_d_id",
            "SELECT d_w_id, d_id, 1, d_next_o_id - 1, 0 FROM @.district"
            " WHERE EXISTS (SELECT 1 FROM @.new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)",
            "SELECT no_w_id, no_d_id, 1, 0, max(no_o_id) FROM @.new_order GROUP BY no_w_id, no_d_id",
        ),
    ),
    ConsistencyCondition(
        3,
        "open orders have neighbouring numbers",
        _DISTRICT,
        (
            "SELECT no_w_id, no_d_id, count(*), max(no_o_id) - min(no_o_id) + 1 FROM @.new_order"
            " GROUP BY no_w_id, no_d_id",
        ),
    ),
    ConsistencyCondition(
        4,
        "the sum of o_ol_cnt is the number of lines",
        _DISTRICT,
        (
            "SELECT o_w_id, o_d_id, sum(o_ol_cnt), 0 FROM @.orders GROUP BY o_w_id, o_d_id",
            "SELECT ol_w_id, ol_d_id, 0, count(*) FROM @.order_line GROUP BY ol_w_id, ol_d_id",
        ),
    ),
    ConsistencyCondition(
        5,
        "an order without a carrier is open, one with a carrier is not",
        _ORDER,
        (
            "SELECT o_w_id, o_d_id, o_id, 1, 0 FROM @.orders WHERE o_carrier_id IS NULL",
            "SELECT no_w_id, no_d_id, no_o_id, 0, 1 FROM @.new_order",
        ),
    ),
    ConsistencyCondition(
        6,
        "o_ol_cnt is the number of the order's lines",
        _ORDER,
        ("SELECT o_w_id, o_d_id, o_id, o_ol_cnt, 0 FROM @.orders", _LINES.format(which="1 = 1")),
    ),
    ConsistencyCondition(
        7,
        "of an order without a carrier all lines are undelivered, of others none",
        _ORDER,
        (
            "SELECT o_w_id, o_d_id, o_id, o_ol_cnt, 0 FROM @.orders WHERE o_carrier_id IS NULL",
            _LINES.format(which="ol_delivery_d IS NULL"),
        ),
    ),
    ConsistencyCondition(
        8,
        "w_ytd is the sum of h_amount",
        _WAREHOUSE,
        ("SELECT w_id, w_ytd, 0 FROM @.warehouse", "SELECT h_w_id, 0, h_amount FROM @.history"),
    ),
    ConsistencyCondition(
        9,
        "d_ytd is the sum of h_amount",
        _DISTRICT,
        ("SELECT d_w_id, d_id, d_ytd, 0 FROM @.district", "SELECT h_w_id, h_d_id, 0, h_amount FROM @.history"),
    ),
    ConsistencyCondition(
        10,
        "c_balance is what was delivered less what was paid",
        _CUSTOMER,
        (
            "SELECT c_w_id, c_d_id, c_id, c_balance, 0 FROM @.customer",
            "SELECT h_c_w_id, h_c_d_id, h_c_id, 0, -h_amount FROM @.history",
            _DELIVERED,
        ),
    ),
    ConsistencyCondition(
        12,
        "c_balance and c_ytd_payment add up to what was delivered",
        _CUSTOMER,
        ("SELECT c_w_id, c_d_id, c_id, c_balance + c_ytd_payment, 0 FROM @.customer", _DELIVERED),
    ),
)
"""All conditions but 11, which holds only directly after loading."""
