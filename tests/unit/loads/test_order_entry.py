"""Order entry without a database: the mix, uneven numbers, inputs, repeats, rows, what is counted apart."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import LoadError, SpecError
from scheduler.loads.load_protocols import LoadSecond
from scheduler.loads.operation import OperationResult
from scheduler.loads.operation_tally import OperationTally
from scheduler.loads.order_entry import generator, order_entry_differences, order_entry_schema
from scheduler.loads.order_entry.inputs import (
    MIX,
    DeliveryInput,
    NewOrderInput,
    OrderEntryTerminal,
    OrderStatusInput,
    PaymentInput,
    StockLevelInput,
)
from scheduler.loads.order_entry.order_entry_users import repeat_transactions
from scheduler.loads.order_entry.size import TABLES, OrderEntrySize
from scheduler.loads.order_entry.uneven_random import A_LAST, C_LAST, C_LOAD, draw_uneven, last_name
from scheduler.loads.second_merger import SecondMerger
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.transaction_outcome import UNDONE, RowNotFound, SerializationConflict
from scheduler.loads.transaction_retry import MOST_REPEATS
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import facts_of

SMALL = OrderEntrySize(2, 30, 100)
FULL = OrderEntrySize(4, 3000, 100_000)
KINDS = {
    NewOrderInput: "new-order",
    PaymentInput: "payment",
    OrderStatusInput: "order-status",
    DeliveryInput: "delivery",
    StockLevelInput: "stock-level",
}

POSTGRESQL, MARIADB = TABLE_DIALECTS["postgresql"], TABLE_DIALECTS["mariadb"]


def drawn(many: int, size: OrderEntrySize = FULL, user: int = 0, seed: str = "1") -> list:
    return list(islice(OrderEntryTerminal(size, user, seed).inputs(), many))


def test_each_hundred_transactions_are_in_the_published_mix_in_random_order():
    decks = [[KINDS[type(asked)] for asked in drawn(300)[start : start + 100]] for start in (0, 100, 200)]
    assert all(Counter(deck) == MIX for deck in decks)
    assert decks[0] != decks[1] != decks[2]


def test_same_seed_gives_the_same_inputs_and_each_user_its_own():
    assert drawn(50) == drawn(50)
    assert drawn(50) != drawn(50, seed="2")
    assert [OrderEntryTerminal(FULL, user, "1").warehouse for user in range(5)] == [1, 2, 3, 4, 1]
    assert [OrderEntryTerminal(FULL, user, "1").district for user in (0, 4, 36)] == [1, 2, 10]


def test_published_parts_of_inputs_are_drawn():
    asked = drawn(40_000)
    orders = [each for each in asked if isinstance(each, NewOrderInput)]
    payments = [each for each in asked if isinstance(each, PaymentInput)]
    lines = [line for each in orders for line in each.lines]
    assert sum(each.undone for each in orders) / len(orders) == pytest.approx(0.01, abs=0.005)
    assert sum(line.supplier != 1 for line in lines) / len(lines) == pytest.approx(0.01, abs=0.003)
    assert sum(each.home != 1 for each in payments) / len(payments) == pytest.approx(0.15, abs=0.02)
    assert sum(bool(each.last) for each in payments) / len(payments) == pytest.approx(0.6, abs=0.02)
    assert sum(len(each.lines) for each in orders) / len(orders) == pytest.approx(10, abs=0.2)
    assert {each.warehouse for each in (*orders, *payments)} == {1}
    assert {line.supplier for line in lines} == {1, 2, 3, 4}


@pytest.mark.parametrize("size", [SMALL, FULL, OrderEntrySize(1, 30, 100)])
def test_lines_are_in_locking_order_without_an_item_twice_and_numbers_exist(size: OrderEntrySize):
    for each in drawn(2_000, size):
        if isinstance(each, NewOrderInput):
            items = [line.item for line in each.lines]
            assert 5 <= len(items) <= 15
            assert len(set(items)) == len(items)
            assert [(line.supplier, line.item) for line in each.lines] == sorted(
                (line.supplier, line.item) for line in each.lines
            )
            assert (max(items) == size.items + 1) is each.undone
            assert all(1 <= line.pieces <= 10 for line in each.lines)
            assert 1 <= each.customer <= size.customers
        if isinstance(each, PaymentInput | OrderStatusInput):
            assert bool(each.last) is (each.customer == 0)
        if isinstance(each, PaymentInput):
            assert 100 <= each.cents <= 500_000


@given(st.randoms(), st.integers(0, 8191), st.integers(0, 8191), st.integers(0, 100), st.integers(0, 100_000))
def test_uneven_numbers_stay_in_their_range(dice, a, c, low, wide):
    assert low <= draw_uneven(dice.randint, a, c, low, low + wide) <= low + wide


def test_uneven_numbers_are_uneven_and_their_constants_as_far_apart_as_published():
    names = Counter(each.last for each in drawn(60_000) if isinstance(each, PaymentInput) and each.last)
    most = sum(times for _, times in names.most_common(len(names) // 4))
    assert most / names.total() > 0.4  # even ones would have a quarter
    assert 65 <= C_LAST - C_LOAD <= 119
    assert C_LAST - C_LOAD not in (96, 112)
    assert C_LAST <= A_LAST
    assert [last_name(number) for number in (0, 371, 999)] == ["BARBARBAR", "PRICALLYOUGHT", "EINGEINGEING"]
    assert len({last_name(number) for number in range(1000)}) == 1000


class Repeating:
    """A connection whose server asks to repeat; `run` fails as often as it is told to."""

    errors = ConnectionAbortedError

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.asked = []
        self.undone = 0

    def run(self, asked) -> str:
        self.asked.append(asked)
        if self.failures:
            raise self.failures.pop(0)
        return UNDONE if isinstance(asked, NewOrderInput) and asked.undone else ""

    def repeats(self, error: Exception) -> bool:
        return str(error) == "again"

    def undo(self) -> None:
        self.undone += 1

    def told(self, doing: str, error: Exception) -> LoadError:
        return LoadError(f"{doing}: {error}")


def operation_of(user: Repeating):
    retried = []
    operation = repeat_transactions(user, user.run, OrderEntryTerminal(FULL, 0, "1"))
    return lambda: operation(lambda: retried.append(1)), retried


def test_transaction_is_repeated_with_the_same_input():
    user = Repeating(ConnectionAbortedError("again"), SerializationConflict(), ConnectionAbortedError("again"))
    operation, retried = operation_of(user)
    first, second = drawn(2)
    assert operation() == OperationResult(KINDS[type(first)])
    assert user.asked == [first] * 4
    assert (len(retried), user.undone) == (3, 1)
    operation()
    assert user.asked[4:] == [second]


def test_it_is_given_up_after_ten_repeats_as_an_error_and_the_next_one_comes():
    user = Repeating(*[ConnectionAbortedError("again")] * (MOST_REPEATS + 1))
    operation, retried = operation_of(user)
    first, second = drawn(2)
    assert operation() == OperationResult(f"{KINDS[type(first)]}, given up", counts=False, failed=True)
    assert user.asked == [first] * 11
    assert len(retried) == 10
    assert operation() == OperationResult(KINDS[type(second)])


@pytest.mark.parametrize("error", [ConnectionAbortedError("the disk is full"), RowNotFound("no such row")])
def test_every_other_error_ends_the_user_in_its_words(error: Exception):
    operation, _ = operation_of(Repeating(error))
    with pytest.raises(LoadError, match=f"a user of order entry: {error}"):
        operation()


def test_order_that_is_rolled_back_is_counted_apart_and_no_error():
    tally = OperationTally()
    kept, undone = OperationResult("new-order"), OperationResult("new-order, rolled back", counts=False)
    failed = OperationResult("payment, given up", counts=False, failed=True)
    for at, done in enumerate((kept, kept, undone, failed)):
        tally.note((5.0, 5.1 + at / 10, done))
    report = tally.report(5, 0.0)
    assert (report.count, sum(report.histogram.values()), report.errors) == (2, 2, 1)
    counted = {sort: sum(times.values()) for sort, times in report.sorts.items()}
    assert counted == {"new-order": 2, "new-order, rolled back": 1, "payment, given up": 1}
    totals = tally.totals()
    assert (totals.tuples, totals.misses, totals.sorts["new-order"]) == (2, 0, 2)
    merging = SecondMerger(2, probe=False, first_second=5)
    for _ in range(2):
        merging.take(report, probe=False)
    [second] = merging.complete(6.0)
    assert isinstance(second, LoadSecond)
    assert (second.count, second.errors) == (4, 2)
    assert {sort: sum(times.values()) for sort, times in second.sorts.items()}["new-order"] == 4


@pytest.mark.parametrize("table", TABLES)
def test_rows_have_the_tables_columns_and_are_the_same_every_time(table: str):
    made = b"".join(generator.table_rows(SMALL, table))
    assert made == b"".join(generator.table_rows(SMALL, table))
    rows = [line.split(",") for line in made.decode("ascii").splitlines()]
    columns = order_entry_schema.ORDER_TABLES[table].column_names
    assert {len(row) for row in rows} == {len(columns)}
    per_district = {"customer": 30, "orders": 30, "history": 30, "new_order": 9, "district": 1}
    known = {"item": 100, "stock": 200, "warehouse": 2, **{name: 20 * many for name, many in per_district.items()}}
    assert len(rows) == known.get(table, len(rows))
    if table in order_entry_schema.KEYS:
        places = [columns.index(name) for name in order_entry_schema.KEYS[table].split(", ")]
        assert len({tuple(row[place] for place in places) for row in rows}) == len(rows)


def test_deviations_report_what_was_asked_for_and_who_waits_for_whom():
    def told(dialect=POSTGRESQL, versions=None, users=5, **parameters) -> str:
        database = "mariadb:" if dialect is MARIADB else ""
        load = LoadSpec("order-entry", users=users, database=database, parameters=parameters)
        return " ".join(order_entry_differences.difference_sentences(load, dialect, facts_of((1,)), versions or {}))

    usual = told()
    assert "Not TPC-C" in usual
    assert "are not tpmC" in usual
    assert "5 users share 2 warehouses" in usual
    assert "a function of the server's" in usual
    assert "users share" not in told(users=2)
    assert "as text" in told(procedures=False)
    assert "as text" in told(MARIADB)
    assert "REPEATABLE READ" in told(isolation="repeatable-read")
    assert "30 customers per district and 200 items, not 3,000 and 100,000; 30 last names." in told(
        customers=30, items=200
    )
    assert "InnoDB's buffers of 256 MB" in told(MARIADB, {"innodb_buffer_pool_size": "256000000"}, warehouses=10)


def test_more_users_than_the_warehouses_have_places_for_are_refused():
    assert LoadSpec("order-entry", users=20).users == 20
    with pytest.raises(SpecError, match="21 are more than 10 for each of 2 warehouses") as refused:
        LoadSpec("order-entry", users=21)
    assert refused.value.hint == "Take at most 20 users, or warehouses = 3."
    with pytest.raises(SpecError, match=r"0 is outside 1\.\.100"):
        LoadSpec("order-entry", users=1, parameters={"warehouses": 0})
    with pytest.raises(SpecError, match="MariaDB has no such parameter"):
        LoadSpec("order-entry", database="mariadb:", parameters={"procedures": False})
