"""The tables' side of order entry: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.databases.base import Session
from scheduler.loads.base import LoadCheck
from scheduler.loads.kept_tables import KeptTables
from scheduler.loads.order_entry import conditions, deviations, inputs, loading
from scheduler.loads.order_entry.on_mariadb import MARIADB
from scheduler.loads.order_entry.on_postgresql import POSTGRESQL
from scheduler.loads.order_entry.schema import Dialect
from scheduler.loads.order_entry.size import size_of
from scheduler.loads.orders import Totals
from scheduler.model.facts import HostFacts
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

DIALECTS: Mapping[str, Dialect] = {"postgresql": POSTGRESQL, "mariadb": MARIADB}

_STATE = "SELECT (SELECT sum(d_next_o_id) FROM @.district), (SELECT count(*) FROM @.history)"


class State(msgspec.Struct, frozen=True):
    """What the tables hold: the sum of all districts' next order numbers, and the payments of the history."""

    orders: int
    payments: int


class OrderEntryWorkload(KeptTables[State, Dialect]):
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    title = "order entry"
    dialects = DIALECTS

    def __init__(self, load: LoadSpec) -> None:
        super().__init__()
        self._load = load
        self._size = size_of(load.values)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, DIALECTS[self._load.engine], facts, versions)

    def refuse_foreign(self, session: Session) -> None:
        loading.refuse_foreign(session, self._size)

    def is_loaded(self, session: Session) -> bool:
        return loading.is_loaded(session, self._size)

    def load(self, session: Session, version: str) -> None:
        loading.load(session, self.dialect(session), self._size, version)

    def mark_complete(self, session: Session) -> None:
        loading.mark_complete(session, self._size)

    def restore(self, session: Session) -> None:
        loading.restore(session, self._size)

    def lacking(self, session: Session) -> list[str]:
        return loading.lacking(session, self._size)

    def broken(self, session: Session) -> list[str]:
        return conditions.flaws(session, self._size)

    def state(self, session: Session) -> State:
        [found] = session.rows(self._size.named(_STATE))
        return State(*map(int, found))

    def after_users(self, before: State, after: State, totals: Totals, flaws: Sequence[str]) -> LoadCheck:
        return after_users(before, after, totals, flaws)


def after_users(before: State, after: State, totals: Totals, flaws: Sequence[str]) -> LoadCheck:
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
