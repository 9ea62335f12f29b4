"""Consistency conditions of the brokerage tables between any two transactions."""

from scheduler.loads.brokerage.prices import COMPLETED
from scheduler.loads.tables.consistency_condition import ConsistencyCondition

_COMPLETED = f"FROM @.trade WHERE t_status = '{COMPLETED}'"

CONDITIONS = (
    ConsistencyCondition(
        1,
        "hs_qty is the sum of h_qty",
        ("account", "security"),
        (
            "SELECT hs_ca_id, hs_s_id, hs_qty, 0 FROM @.holding_summary",
            "SELECT h_ca_id, h_s_id, 0, h_qty FROM @.holding",
        ),
    ),
    ConsistencyCondition(
        2,
        "b_num_trades is the number of completed trades",
        ("broker",),
        (
            "SELECT b_id, b_num_trades, 0 FROM @.broker",
            f"SELECT t_b_id, 0, count(*) {_COMPLETED} GROUP BY t_b_id",
        ),
    ),
    ConsistencyCondition(
        3,
        "b_comm_total is the sum of t_comm of completed trades",
        ("broker",),
        (
            "SELECT b_id, b_comm_total, 0 FROM @.broker",
            f"SELECT t_b_id, 0, sum(t_comm) {_COMPLETED} GROUP BY t_b_id",
        ),
    ),
    ConsistencyCondition(
        4,
        "ca_bal - ca_start is the sum of ct_amt",
        ("account",),
        (
            "SELECT ca_id, ca_bal - ca_start, 0 FROM @.account",
            "SELECT t_ca_id, 0, ct_amt FROM @.cash_transaction JOIN @.trade ON t_id = ct_t_id",
        ),
    ),
    ConsistencyCondition(
        5,
        "completed trades for cash are those with a cash transaction",
        ("account",),
        (
            f"SELECT t_ca_id, count(*), 0 {_COMPLETED} AND t_is_cash = 1 GROUP BY t_ca_id",
            "SELECT t_ca_id, 0, 1 FROM @.cash_transaction JOIN @.trade ON t_id = ct_t_id",
        ),
    ),
    ConsistencyCondition(
        6,
        "the number of completed trades matches their history",
        ("all_trades",),
        (
            f"SELECT 1, count(*), 0 {_COMPLETED}",
            f"SELECT 1, 0, count(*) FROM @.trade_history WHERE th_st = '{COMPLETED}'",
        ),
    ),
)
"""The first four conditions are from the published description of TPC-E. Amounts are decimals, so sums are exact."""
