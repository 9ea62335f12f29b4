"""Tables of order entry: load, restore before each block, check after it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.order_entry import conditions, generator, inputs, order_entry_differences
from scheduler.loads.order_entry.functions import FUNCTIONS
from scheduler.loads.order_entry.order_entry_schema import INDEXES, ORDER_TABLES
from scheduler.loads.order_entry.size import CHANGED, DISTRICTS, FORMAT, order_entry_size
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import TableDesign, TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_STATE = "SELECT (SELECT sum(d_next_o_id) FROM @.district), (SELECT count(*) FROM @.history)"


class OrderEntryState(msgspec.Struct, frozen=True):
    """Contents of the tables that a check compares with the users' totals.

    Attributes:
        orders: Sum of the next order numbers of all districts.
        payments: Number of payments in the history.
    """

    orders: int
    payments: int


class OrderEntryWorkload(TableWorkload[OrderEntryState]):
    """Tables of one order entry load."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, _("order entry"))
        self._size = order_entry_size(load.values)

    def table_set(self, database: str) -> TableSet:
        size = self._size
        numbers = {"warehouses": size.warehouses, "customers": size.customers, "items": size.items}
        per_district = size.warehouses * DISTRICTS * size.customers
        return TableDesign(
            schema=size.schema,
            tables=tuple(ORDER_TABLES.values()),
            form={"format": FORMAT, "seed": str(generator.SEED), **{name: str(n) for name, n in numbers.items()}},
            changed=CHANGED,
            indexes=(*INDEXES, *(FUNCTIONS if database == "postgresql" else ())),
            expected_rows={
                "item": size.items,
                "stock": size.warehouses * size.items,
                **dict.fromkeys(("customer", "orders", "history"), per_district),
            },
            conditions=conditions.CONDITIONS,
        ).on(database)

    def row_source(self) -> Callable[[str], Iterator[bytes]]:
        return partial(generator.table_rows, self._size)

    def state(self, session: WorkloadSession) -> OrderEntryState:
        [found] = session.rows(self._size.named(_STATE))
        return OrderEntryState(*map(int, found))

    def compare(
        self, before: OrderEntryState, after: OrderEntryState, totals: UserTotals, flaws: Sequence[str]
    ) -> LoadCheck:
        orders, payments = after.orders - before.orders, after.payments - before.payments
        said, paid = totals.sorts.get(inputs.NEW_ORDER, 0), totals.sorts.get(inputs.PAYMENT, 0)
        found = [
            _("the users committed {answer} new orders").format(answer=said) if said != orders else "",
            _("the users committed {paid} payments").format(paid=paid) if paid != payments else "",
            *flaws,
        ]
        held = (
            ""
            if flaws
            else _("; conditions {number} hold").format(
                number=", ".join(str(each.number) for each in conditions.CONDITIONS)
            )
        )
        words = _("districts have {orders} more orders, history has {payments} more payments{held}").format(
            orders=orders, payments=payments, held=held
        )
        return LoadCheck(not any(found), "; ".join([words, *filter(None, found)]))

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        dialect = TABLE_DIALECTS[self.load.dialect]
        return order_entry_differences.difference_sentences(self.load, dialect, facts, versions)


def open_workload(load: LoadSpec) -> OrderEntryWorkload:
    """Return the database side of one load."""
    return OrderEntryWorkload(load)
