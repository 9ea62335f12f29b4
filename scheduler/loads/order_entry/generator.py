"""Generator of the initial rows (TPC-C 4.3.3) as CSV, equal on every machine.

Each table of each warehouse has an independent stream of random numbers.
"""

from collections.abc import Callable, Iterable, Iterator

from scheduler.loads import random_stream
from scheduler.loads.order_entry.size import DISTRICTS, LAST_NAMES, TABLES, OrderEntrySize
from scheduler.loads.order_entry.uneven_random import A_LAST, C_LOAD, last_name

SEED = 19920723
WHEN = "2026-01-01 00:00:00"
"""Moment of all initial orders, payments and customers."""

FIRST_PAID = 10
"""Amount of the one initial payment of each customer. The initial balance is minus this amount."""

_ORIGINAL = "ORIGINAL"  # in a tenth of all items and stocks
_CHUNK_ROWS = 20_000

Columns = Iterable[Iterable[object]]


class TableStream(random_stream.RandomStream):
    """Random numbers and texts of one table of one warehouse."""

    def __init__(self, table: str, warehouse: int) -> None:
        super().__init__(SEED, TABLES.index(table), warehouse)

    def marked(self, count: int) -> list[str]:
        """Return texts of 26 to 50 letters, a tenth of them with the word ORIGINAL."""
        found = self.texts(26, 50, count)
        for i in range(0, count, 10):
            found[i] = found[i][:9] + _ORIGINAL + found[i][9 + len(_ORIGINAL) :]
        return found

    def address(self, count: int) -> list[list[str]]:
        """Return the columns of addresses: two streets, city, state and zip code."""
        codes = [f"{number:04}11111" for number in self.numbers(0, 9999, count)]
        return [*(self.texts(10, 20, count) for _ in range(3)), self.texts(2, 2, count), codes]


def table_rows(size: OrderEntrySize, table: str) -> Iterator[bytes]:
    """Yield a table's rows as CSV without quotes, up to 20,000 rows at a time.

    Args:
        size: Size of the database.
        table: Name of the table.
    """
    if table == "item":
        yield from _csv_chunks(_item_columns(size, TableStream(table, 0)))
        return
    made: dict[str, Callable[[OrderEntrySize, TableStream, int], Columns]] = {
        "warehouse": _warehouse_columns,
        "district": _district_columns,
        "customer": _customer_columns,
        "history": _history_columns,
        "stock": _stock_columns,
        "orders": _order_columns,
        "new_order": _open_order_columns,
        "order_line": _order_line_columns,
    }
    for warehouse in range(1, size.warehouses + 1):
        yield from _csv_chunks(made[table](size, TableStream(table, warehouse), warehouse))


def _csv_chunks(columns: Columns) -> Iterator[bytes]:
    texts = [list(map(str, column)) for column in columns]
    for start in range(0, len(texts[0]), _CHUNK_ROWS):
        part = zip(*(column[start : start + _CHUNK_ROWS] for column in texts), strict=True)
        yield ("\n".join(map(",".join, part)) + "\n").encode("ascii")


def _money_texts(cents: Iterable[int]) -> list[str]:
    return [f"{amount // 100}.{amount % 100:02}" for amount in cents]


def _rate_texts(stream: TableStream, high: int, count: int) -> list[str]:
    return [f"0.{number:04}" for number in stream.numbers(0, high, count)]


def _item_columns(size: OrderEntrySize, stream: TableStream) -> Columns:
    count = size.items
    prices = _money_texts(stream.numbers(100, 10_000, count))
    images = stream.numbers(1, 10_000, count)
    return range(1, count + 1), stream.texts(14, 24, count), prices, stream.marked(count), images


def _warehouse_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    paid = DISTRICTS * size.customers * FIRST_PAID
    return [warehouse], [paid], _rate_texts(stream, 2000, 1), stream.texts(6, 10, 1), *stream.address(1)


def _district_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    many, paid = DISTRICTS, size.customers * FIRST_PAID
    names, rates = stream.texts(6, 10, many), _rate_texts(stream, 2000, many)
    numbers = range(1, many + 1)
    return [warehouse] * many, numbers, [paid] * many, rates, [size.customers + 1] * many, names, *stream.address(many)


def _district_numbers(size: OrderEntrySize, warehouse: int) -> tuple[list[int], list[int], list[int]]:
    """Return warehouse, district and number of all customers of a warehouse.

    There are equally many orders, so their columns are the same.
    """
    count, each = DISTRICTS * size.customers, range(1, size.customers + 1)
    districts = [district for district in range(1, DISTRICTS + 1) for _ in each]
    return [warehouse] * count, districts, [*each] * DISTRICTS


def _customer_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    where = _district_numbers(size, warehouse)
    count = len(where[0])
    a, b = stream.numbers(0, A_LAST, count), stream.numbers(0, LAST_NAMES - 1, count)
    uneven = [((x | y) + C_LOAD) % LAST_NAMES for x, y in zip(a, b, strict=True)]
    lasts = [last_name(i - 1 if i <= LAST_NAMES else uneven[at]) for at, i in enumerate(where[2])]
    bad = set(stream.order(count)[: count // 10])
    credit = ["BC" if at + 1 in bad else "GC" for at in range(count)]
    paid = [FIRST_PAID] * count
    return (
        *(*where, _rate_texts(stream, 5000, count), credit, lasts, stream.texts(8, 16, count)),
        *([50_000] * count, [-amount for amount in paid], paid, [1] * count, [0] * count),
        *stream.address(count),
        *(stream.texts(16, 16, count), [WHEN] * count, ["OE"] * count, stream.texts(300, 500, count)),
    )


def _history_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    warehouses, districts, customers = _district_numbers(size, warehouse)
    count = len(customers)
    who = (customers, districts, warehouses, districts, warehouses)
    return *who, [WHEN] * count, [FIRST_PAID] * count, stream.texts(12, 24, count)


def _line_counts(size: OrderEntrySize, warehouse: int) -> list[int]:
    """Return the number of lines of each order, equal for orders and order lines.

    The numbers are from the stream of `new_order`, which needs no random numbers itself.
    """
    return TableStream("new_order", warehouse).numbers(5, 15, DISTRICTS * size.customers)


def _is_open(size: OrderEntrySize, numbers: Iterable[int]) -> list[bool]:
    return [number > size.customers - size.open_orders for number in numbers]


def _order_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    where = _district_numbers(size, warehouse)
    count = len(where[0])
    customers = [customer for _ in range(DISTRICTS) for customer in stream.order(size.customers)]
    carriers = stream.numbers(1, 10, count)
    carried = ["" if left else carrier for left, carrier in zip(_is_open(size, where[2]), carriers, strict=True)]
    return *where, customers, carried, _line_counts(size, warehouse), [1] * count, [WHEN] * count


def _open_order_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    count = DISTRICTS * size.open_orders
    numbers = [*range(size.customers - size.open_orders + 1, size.customers + 1)] * DISTRICTS
    districts = [district for district in range(1, DISTRICTS + 1) for _ in range(size.open_orders)]
    return [warehouse] * count, districts, numbers


def _order_line_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    counts = _line_counts(size, warehouse)
    _, districts, numbers = _district_numbers(size, warehouse)
    left = _is_open(size, numbers)
    orders = [at for at, lines in enumerate(counts) for _ in range(lines)]
    count = len(orders)
    amounts = _money_texts(stream.numbers(1, 999_999, count))
    return (
        *([warehouse] * count, [districts[at] for at in orders], [numbers[at] for at in orders]),
        [line for lines in counts for line in range(1, lines + 1)],
        stream.numbers(1, size.items, count),
        ["" if left[at] else WHEN for at in orders],
        [amount if left[at] else "0.00" for amount, at in zip(amounts, orders, strict=True)],
        *([warehouse] * count, [5] * count, stream.texts(24, 24, count)),
    )


def _stock_columns(size: OrderEntrySize, stream: TableStream, warehouse: int) -> Columns:
    count = size.items
    texts = (stream.texts(24, 24, count) for _ in range(DISTRICTS))
    zero = [0] * count
    pieces = stream.numbers(10, 100, count)
    return [warehouse] * count, range(1, count + 1), pieces, zero, zero, zero, stream.marked(count), *texts
