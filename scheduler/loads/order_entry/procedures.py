"""The five transactions as calls of server functions: one call each."""

from scheduler.databases.protocols import TransactionSession
from scheduler.loads.order_entry.inputs import (
    DeliveryInput,
    NewOrderInput,
    OrderEntryInput,
    OrderStatusInput,
    PaymentInput,
    StockLevelInput,
)
from scheduler.loads.order_entry.size import OrderEntrySize
from scheduler.loads.transaction_outcome import UNDONE, RowNotFound
from scheduler.translation import _


class OrderEntryProcedures:
    """Transactions of one user, as calls of server functions.

    Args:
        user: The user's connection.
        size: Size of the database.
    """

    def __init__(self, user: TransactionSession, size: OrderEntrySize) -> None:
        self._user = user
        self._select = f"SELECT {size.schema}."

    def run(self, asked: OrderEntryInput) -> str:
        """Run one transaction; return an empty text after a commit, else the outcome.

        Raises:
            RowNotFound: A row that must exist is missing.
        """
        match asked:
            case NewOrderInput():
                return self._call_new_order(asked)
            case PaymentInput() as p:
                amount = f"{p.cents // 100}.{p.cents % 100:02}"
                who = f"{p.home},{p.home_district},{p.customer},'{p.last}'"
                self._call_function(f"payment({p.warehouse},{p.district},{who},{amount})", 1)
            case OrderStatusInput() as o:
                self._call_function(f"order_status({o.warehouse},{o.district},{o.customer},'{o.last}')", 1)
            case DeliveryInput() as d:
                self._call_function(f"delivery({d.warehouse},{d.carrier})", 0)
            case StockLevelInput() as s:
                self._call_function(f"stock_level({s.warehouse},{s.district},{s.least})", 0)
        return ""

    def _call_new_order(self, order: NewOrderInput) -> str:
        columns = zip(*((line.supplier, line.item, line.pieces) for line in order.lines), strict=True)
        arrays = ",".join(f"'{{{','.join(map(str, column))}}}'" for column in columns)
        who = f"{order.warehouse},{order.district},{order.customer}"
        if not order.undone:
            self._call_function(f"new_order({who},{arrays},false)", len(order.lines))
            return ""
        user = self._user
        found = user.rows(f"{self._select}new_order({who},{arrays},true)".encode("ascii"))
        user.undo()
        if found[0][0] != len(order.lines) - 1:
            raise RowNotFound(
                _("an order of {count} lines found {found} items, one is unknown").format(
                    count=len(order.lines), found=found[0][0]
                )
            )
        return UNDONE

    def _call_function(self, words: str, least: int) -> None:
        found = self._user.call((self._select + words).encode("ascii"))[0][0]
        if found < least:
            raise RowNotFound(
                _("{words} found {found} rows, not {least}").format(words=words, found=found, least=least)
            )
