"""The tables' side of order entry: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.order_entry import conditions, inputs, order_entry_differences, order_entry_loading
from scheduler.loads.order_entry.on_mariadb import MARIADB
from scheduler.loads.order_entry.on_postgresql import POSTGRESQL
from scheduler.loads.order_entry.order_entry_schema import OrderEntryDialect
from scheduler.loads.order_entry.size import order_entry_size
from scheduler.loads.restorable_tables import RestorableTables
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

DIALECTS: Mapping[str, OrderEntryDialect] = {"postgresql": POSTGRESQL, "mariadb": MARIADB}

_STATE = "SELECT (SELECT sum(d_next_o_id) FROM @.district), (SELECT count(*) FROM @.history)"


class OrderEntryState(msgspec.Struct, frozen=True):
    """What the tables hold: the sum of all districts' next order numbers, and the payments of the history."""

    orders: int
    payments: int


class OrderEntryWorkload(RestorableTables[OrderEntryState, OrderEntryDialect]):
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    title = "order entry"
    dialects = DIALECTS

    def __init__(self, load: LoadSpec) -> None:
        super().__init__()
        self._load = load
        self._size = order_entry_size(load.values)

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return order_entry_differences.difference_sentences(self._load, DIALECTS[self._load.engine], facts, versions)

    def refuse_foreign(self, session: WorkloadSession) -> None:
        order_entry_loading.refuse_foreign_tables(session, self._size)

    def is_loaded(self, session: WorkloadSession) -> bool:
        return order_entry_loading.is_loaded(session, self._size)

    def load(self, session: WorkloadSession, version: str) -> None:
        order_entry_loading.load_tables(session, self.dialect(session), self._size, version)

    def mark_complete(self, session: WorkloadSession) -> None:
        order_entry_loading.mark_complete(session, self._size)

    def restore(self, session: WorkloadSession) -> None:
        order_entry_loading.restore_tables(session, self._size)

    def lacking(self, session: WorkloadSession) -> list[str]:
        return order_entry_loading.row_count_flaws(session, self._size)

    def broken(self, session: WorkloadSession) -> list[str]:
        return conditions.condition_flaws(session, self._size)

    def state(self, session: WorkloadSession) -> OrderEntryState:
        [found] = session.rows(self._size.named(_STATE))
        return OrderEntryState(*map(int, found))

    def after_users(
        self, before: OrderEntryState, after: OrderEntryState, totals: UserTotals, flaws: Sequence[str]
    ) -> LoadCheck:
        return check_tables(before, after, totals, flaws)


def check_tables(
    before: OrderEntryState, after: OrderEntryState, totals: UserTotals, flaws: Sequence[str]
) -> LoadCheck:
    """Compare the tables with what all users together say they committed.

    Args:
        before: The tables when they started.
        after: The tables when they had stopped.
        totals: All users together, warm-up and tail included.
        flaws: What breaks the consistency conditions.
    """
    orders, payments = after.orders - before.orders, after.payments - before.payments
    said, paid = totals.sorts.get(inputs.NEW_ORDER, 0), totals.sorts.get(inputs.PAYMENT, 0)
    found = [
        f"the users committed {said} new orders" if said != orders else "",
        f"the users committed {paid} payments" if paid != payments else "",
        *flaws,
    ]
    held = "" if flaws else f"; conditions {', '.join(str(each.number) for each in conditions.CONDITIONS)} hold"
    words = f"districts have {orders} more orders, history has {payments} more payments{held}"
    return LoadCheck(not any(found), "; ".join([words, *filter(None, found)]))


def open_workload(load: LoadSpec) -> OrderEntryWorkload:
    """Return the tables' side of one load."""
    return OrderEntryWorkload(load)
