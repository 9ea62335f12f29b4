"""What users ask for: transactions in the published mix, each with its input drawn beforehand (TPC-C 2.4 to 2.8)."""

import random
from collections.abc import Iterator

import msgspec

from scheduler.loads.order_entry.size import DISTRICTS, OrderEntrySize
from scheduler.loads.order_entry.uneven_random import (
    A_CUSTOMER,
    A_ITEM,
    A_LAST,
    C_CUSTOMER,
    C_ITEM,
    C_LAST,
    draw_uneven,
    last_name,
)

NEW_ORDER, PAYMENT, ORDER_STATUS = "new-order", "payment", "order-status"
DELIVERY, STOCK_LEVEL = "delivery", "stock-level"
MIX = {NEW_ORDER: 45, PAYMENT: 43, ORDER_STATUS: 4, DELIVERY: 4, STOCK_LEVEL: 4}
"""Kind of transaction to how many of a deck of 100 there are."""

_FEWEST_LINES, _MOST_LINES = 5, 15
_MOST_PIECES = 10


class OrderLine(msgspec.Struct, frozen=True):
    """One line of an order: an item, the warehouse that supplies it, and how many pieces."""

    supplier: int
    item: int
    pieces: int


class NewOrderInput(msgspec.Struct, frozen=True):
    """An order; its lines lie in the order in which their stock is locked. `undone`: its last item is unknown."""

    warehouse: int
    district: int
    customer: int
    lines: tuple[OrderLine, ...]
    undone: bool


class PaymentInput(msgspec.Struct, frozen=True):
    """A payment of some cents by a customer, who has a number, or 0 and a last name."""

    warehouse: int
    district: int
    home: int
    home_district: int
    customer: int
    last: str
    cents: int


class OrderStatusInput(msgspec.Struct, frozen=True):
    """A question for a customer's last order."""

    warehouse: int
    district: int
    customer: int
    last: str


class DeliveryInput(msgspec.Struct, frozen=True):
    """The oldest open order of each district goes out by a carrier."""

    warehouse: int
    carrier: int


class StockLevelInput(msgspec.Struct, frozen=True):
    """A question for the items of a district's last 20 orders of which fewer than `least` are there."""

    warehouse: int
    district: int
    least: int


OrderEntryInput = NewOrderInput | PaymentInput | OrderStatusInput | DeliveryInput | StockLevelInput


class OrderEntryTerminal:
    """Where one user sits: a warehouse and a district, the same for the whole run.

    Args:
        size: Of the database.
        user: Number of the user, from 0.
        seed: The same seed gives the same inputs.
    """

    def __init__(self, size: OrderEntrySize, user: int, seed: str) -> None:
        self._size = size
        self._random = random.Random(seed)
        self._draw = self._random.randint
        self.warehouse = user % size.warehouses + 1
        self.district = user // size.warehouses % DISTRICTS + 1

    def inputs(self) -> Iterator[OrderEntryInput]:
        """Yield inputs without end: deck after deck of 100, each in its own random order."""
        draws = {
            NEW_ORDER: self._draw_new_order,
            PAYMENT: self._draw_payment,
            ORDER_STATUS: self._draw_order_status,
            DELIVERY: lambda: DeliveryInput(self.warehouse, self._draw(1, 10)),
            STOCK_LEVEL: lambda: StockLevelInput(self.warehouse, self.district, self._draw(10, 20)),
        }
        deck = [draws[name] for name, times in MIX.items() for _ in range(times)]
        while True:
            self._random.shuffle(deck)
            for draw in deck:
                yield draw()

    def _draw_new_order(self) -> NewOrderInput:
        items: dict[int, None] = {}
        wanted = self._draw(_FEWEST_LINES, _MOST_LINES)
        while len(items) < wanted:
            items[draw_uneven(self._draw, A_ITEM, C_ITEM, 1, self._size.items)] = None
        undone = self._draw_one_of(100)
        if undone:
            items.popitem()
            items[self._size.items + 1] = None
        lines = (OrderLine(self._draw_supplier(), item, self._draw(1, _MOST_PIECES)) for item in items)
        sorted_lines = tuple(sorted(lines, key=lambda line: (line.supplier, line.item)))
        return NewOrderInput(self.warehouse, self._draw(1, DISTRICTS), self._draw_customer(), sorted_lines, undone)

    def _draw_payment(self) -> PaymentInput:
        district = self._draw(1, DISTRICTS)
        home, home_district = self.warehouse, district
        if self._draw(1, 100) > 85:  # 15 of 100 pay elsewhere than at home; with one warehouse nobody can
            home, home_district = self._draw_other_warehouse(), self._draw(1, DISTRICTS)
        customer, last = self._draw_number_or_name()
        return PaymentInput(self.warehouse, district, home, home_district, customer, last, self._draw(100, 500_000))

    def _draw_order_status(self) -> OrderStatusInput:
        return OrderStatusInput(self.warehouse, self._draw(1, DISTRICTS), *self._draw_number_or_name())

    def _draw_supplier(self) -> int:
        return self._draw_other_warehouse() if self._draw_one_of(100) else self.warehouse

    def _draw_other_warehouse(self) -> int:
        if self._size.warehouses == 1:
            return self.warehouse
        other = self._draw(1, self._size.warehouses - 1)
        return other + (other >= self.warehouse)

    def _draw_number_or_name(self) -> tuple[int, str]:
        if self._draw(1, 100) <= 60:
            return 0, last_name(draw_uneven(self._draw, A_LAST, C_LAST, 0, self._size.last_names - 1))
        return self._draw_customer(), ""

    def _draw_customer(self) -> int:
        return draw_uneven(self._draw, A_CUSTOMER, C_CUSTOMER, 1, self._size.customers)

    def _draw_one_of(self, many: int) -> bool:
        return self._draw(1, many) == 1
