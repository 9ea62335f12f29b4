"""Inputs of the five transactions in the published mix (TPC-C 2.4 to 2.8).

Each input is drawn before its transaction begins.
"""

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
"""Kind of transaction to its number in a deck of 100."""

_FEWEST_LINES, _MOST_LINES = 5, 15
_MOST_PIECES = 10


class OrderLine(msgspec.Struct, frozen=True):
    """Line of an order: item, warehouse that supplies it, and number of pieces."""

    supplier: int
    item: int
    pieces: int


class NewOrderInput(msgspec.Struct, frozen=True):
    """Input of a new order.

    Attributes:
        warehouse: Number of the warehouse, from 1.
        district: Number of the district, from 1.
        customer: Number of the customer in the district, from 1.
        lines: Lines in the order in which their stocks are locked.
        undone: True when the last item is unknown and the order must be rolled back.
    """

    warehouse: int
    district: int
    customer: int
    lines: tuple[OrderLine, ...]
    undone: bool


class PaymentInput(msgspec.Struct, frozen=True):
    """Input of a payment.

    Attributes:
        warehouse: Warehouse that receives the payment, from 1.
        district: District that receives the payment, from 1.
        home: Warehouse of the customer, from 1.
        home_district: District of the customer, from 1.
        customer: Number of the customer. 0 to find the customer by last name.
        last: Last name of the customer. Empty if the number is given.
        cents: Amount in cents.
    """

    warehouse: int
    district: int
    home: int
    home_district: int
    customer: int
    last: str
    cents: int


class OrderStatusInput(msgspec.Struct, frozen=True):
    """Input of order status: the customer whose last order is queried."""

    warehouse: int
    district: int
    customer: int
    last: str


class DeliveryInput(msgspec.Struct, frozen=True):
    """Input of a delivery: the carrier of the oldest open order of each district."""

    warehouse: int
    carrier: int


class StockLevelInput(msgspec.Struct, frozen=True):
    """Input of stock level: counts items with fewer than `least` pieces in stock.

    Only the items of the district's last 20 orders are counted.
    """

    warehouse: int
    district: int
    least: int


OrderEntryInput = NewOrderInput | PaymentInput | OrderStatusInput | DeliveryInput | StockLevelInput


class OrderEntryTerminal:
    """Source of one user's transactions, at a fixed warehouse and district.

    Args:
        size: Size of the database.
        user: Number of the user, from 0.
        seed: Seed of the random numbers. Equal seeds give equal inputs.
    """

    def __init__(self, size: OrderEntrySize, user: int, seed: str) -> None:
        self._size = size
        self._random = random.Random(seed)
        self._draw = self._random.randint
        self.warehouse = user % size.warehouses + 1
        self.district = user // size.warehouses % DISTRICTS + 1

    def inputs(self) -> Iterator[OrderEntryInput]:
        """Yield inputs without end: decks of 100, each in its own random order."""
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
        if self._draw(1, 100) > 85:  # 15 of 100 pay at another warehouse, if there is another
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
