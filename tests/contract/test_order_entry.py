"""Order entry on real databases: what each transaction leaves, what breaks a condition, whose tables are touched."""

import concurrent.futures
import contextlib
import re
from collections.abc import Iterator

import pytest

from scheduler.databases.base import Session, TransactionSession
from scheduler.databases.registry import connect_transactions, open_database
from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.order_entry import conditions, inputs, loading
from scheduler.loads.order_entry.inputs import Delivery, Desk, Line, NewOrder, OrderStatus, Payment, StockLevel
from scheduler.loads.order_entry.outcome import UNDONE, Missed, Overtaken
from scheduler.loads.order_entry.procedures import Procedures
from scheduler.loads.order_entry.size import CHANGED, COPY, OUR_TABLES, Size, size_of
from scheduler.loads.order_entry.steps import Steps
from scheduler.loads.order_entry.workload import OrderEntryWorkload
from scheduler.loads.orders import Totals
from scheduler.model.spec import LoadSpec
from tests import volume
from tests.contract.loads_contract import seconds_of, wait_until
from tests.contract.postgres_fixture import small

KIND = "order-entry"
WAYS = ("functions", "postgresql", "mariadb")
"""Functions of PostgreSQL's, and statement by statement on both."""

MANY = volume.times(150, 2_000)
MOMENTS = ("h_date", "o_entry_d", "ol_delivery_d")


class World:
    """Prepared tables, a session that looks, and users in this process."""

    def __init__(self, way: str, server, session: Session) -> None:
        self.server = server
        self.session = session
        self.database = session.database
        self.by_functions = way == "functions"
        self.load = LoadSpec(KIND, users=2, database=server.url, parameters=small(KIND).parameters)
        self.size = size_of(self.load.values)
        self.workload = OrderEntryWorkload(self.load)
        self.workload.preflight(session)
        self.workload.prepare(session)

    @contextlib.contextmanager
    def user(self, isolation: str = "read committed") -> Iterator[TransactionSession]:
        user = connect_transactions(self.database, self.session.params, "a test", 1, isolation)
        try:
            yield user
        finally:
            user.close()

    def run(self, *asked: inputs.Input) -> list[str]:
        with self.user() as user:
            way = Procedures(user, self.size) if self.by_functions else Steps(user, self.size, self.database)
            return [way.run(each) for each in asked]

    def ask(self, query: str) -> list[tuple]:
        return [tuple(row) for row in self.session.rows(self.size.named(query))]

    def one(self, query: str) -> tuple:
        [row] = self.ask(query)
        return row

    def change(self, statement: str) -> None:
        assert self.session.execute(self.size.named(statement)) > 0

    def state(self) -> dict[str, list[tuple]]:
        """Return all rows that transactions change, without moments and without an order."""
        return {table: sorted(map(repr, self._rows(table))) for table in CHANGED}

    def _rows(self, table: str) -> list[list[str]]:
        columns = [name for name in loading.schema.columns_of(table) if name not in MOMENTS]
        return [
            [str(value).strip() for value in row] for row in self.ask(f"SELECT {', '.join(columns)} FROM @.{table}")
        ]


@contextlib.contextmanager
def opened(way: str, request) -> Iterator[World]:
    server = request.getfixturevalue("maria" if way == "mariadb" else "database")
    database = open_database(server.url, server.server.password)
    try:
        yield World(way, server, database.session())
    finally:
        database.close()


@pytest.fixture(params=WAYS)
def world(request):
    with opened(request.param, request) as found:
        yield found


@pytest.fixture(params=["postgresql", "mariadb"])
def tables(request):
    """Laws of the tables hang on the database, not on how its users speak to it."""
    with opened(request.param, request) as found:
        yield found


def order(*lines: Line, undone: bool = False) -> NewOrder:
    return NewOrder(1, 3, 7, lines, undone)


def test_that_a_new_order_takes_the_next_number_and_its_lines_their_stocks(world: World):
    world.change("UPDATE @.stock SET s_quantity = 12 WHERE s_i_id = 5")
    world.change("UPDATE @.stock SET s_quantity = 14 WHERE s_i_id = 9")
    assert world.run(order(Line(1, 5, 3), Line(1, 9, 4))) == [""]
    number = world.size.customers + 1
    assert world.one("SELECT d_next_o_id FROM @.district WHERE d_id = 3") == (number + 1,)
    assert world.one(f"SELECT o_c_id, o_carrier_id, o_ol_cnt, o_all_local FROM @.orders WHERE o_id = {number}") == (
        *(7, None, 2, 1),
    )
    assert world.one(f"SELECT no_d_id FROM @.new_order WHERE no_o_id = {number}") == (3,)
    lines = world.ask(
        f"SELECT ol_number, ol_i_id, ol_quantity, ol_delivery_d, ol_amount = i_price * ol_quantity, ol_dist_info ="
        f" s_dist_03 FROM @.order_line JOIN @.item ON i_id = ol_i_id JOIN @.stock ON s_i_id = ol_i_id"
        f" WHERE ol_o_id = {number} ORDER BY ol_number"
    )
    assert lines == [(1, 5, 3, None, True, True), (2, 9, 4, None, True, True)]
    taken = "SELECT s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM @.stock WHERE s_i_id = {}"
    assert world.one(taken.format(5)) == (12 - 3 + 91, 3, 1, 0)  # fewer than ten would have been left
    assert world.one(taken.format(9)) == (14 - 4, 4, 1, 0)


def test_that_an_order_with_an_unknown_item_leaves_nothing(world: World):
    before = world.state()
    unknown = Line(1, world.size.items + 1, 1)
    assert world.run(order(Line(1, 5, 3), unknown, undone=True)) == [UNDONE]
    assert world.state() == before


def test_that_an_order_that_should_have_been_undone_and_was_not_is_a_miss(world: World):
    before = world.state()
    with pytest.raises(Missed):
        world.run(order(Line(1, 5, 3), Line(1, 6, 1), undone=True))
    assert world.state() == before


def test_that_a_payment_moves_its_amount_and_those_with_bad_credit_are_written_about(world: World):
    bad, good = (
        world.one(f"SELECT min(c_id) FROM @.customer WHERE c_d_id = 2 AND c_credit = '{credit}'")[0]
        for credit in ("BC", "GC")
    )
    of_customer = (
        "SELECT c_balance, c_ytd_payment, c_payment_cnt, c_data FROM @.customer WHERE c_d_id = 2 AND c_id = {}"
    )
    ytd = "SELECT w_ytd, (SELECT d_ytd FROM @.district WHERE d_id = 4) FROM @.warehouse"
    warehouse, district = world.one(ytd)
    before = {customer: world.one(of_customer.format(customer)) for customer in (bad, good)}
    world.run(*(Payment(1, 4, 1, 2, customer, "", 12_345) for customer in (bad, good)))
    assert [float(value) for value in world.one(ytd)] == [float(warehouse) + 246.9, float(district) + 246.9]
    for customer, (*_, data) in before.items():
        balance, paid, times, now = world.one(of_customer.format(customer))
        assert (float(balance), float(paid), times) == (-10 - 123.45, 10 + 123.45, 2)
        assert now == (f"{bad} 2 1 4 1 123.45 {data}"[:500] if customer == bad else data)
    names = world.one("SELECT concat(w_name, '    ', d_name) FROM @.warehouse, @.district WHERE d_id = 4")
    newest = "SELECT h_c_d_id, h_d_id, h_data FROM @.history WHERE h_amount = 123.45"
    assert world.ask(newest) == [(2, 4, *names)] * 2


def test_that_a_last_name_means_the_middle_customer_by_first_name(world: World):
    """Position n/2, rounded up (2.5.2.2)."""
    for many, middle in ((4, "B"), (3, "B"), (1, "A")):
        world.change("UPDATE @.customer SET c_last = 'SOMEBODY', c_payment_cnt = 1 WHERE c_d_id = 1 AND c_id <= 4")
        for number in range(1, 5):
            last = "THESAME" if number <= many else "OTHER"
            first = "DCBA"[4 - many :][number - 1 : number] or "Z"
            world.change(
                f"UPDATE @.customer SET c_last = '{last}', c_first = '{first}' WHERE c_d_id = 1 AND c_id = {number}"
            )
        world.run(Payment(1, 1, 1, 1, 0, "THESAME", 100))
        paid = "SELECT c_first FROM @.customer WHERE c_d_id = 1 AND c_id <= 4 AND c_payment_cnt = 2"
        assert world.ask(paid) == [(middle,)], many


def test_that_a_delivery_takes_the_oldest_order_of_each_district_and_credits_its_customer(world: World):
    oldest = world.size.customers - world.size.open_orders + 1
    world.change("DELETE FROM @.new_order WHERE no_d_id = 10")  # a district without any is left out
    assert world.run(Delivery(1, 8)) == [""]
    assert world.ask("SELECT no_d_id, min(no_o_id) FROM @.new_order GROUP BY no_d_id ORDER BY no_d_id") == [
        (district, oldest + 1) for district in range(1, 10)
    ]
    delivered = f"SELECT count(*) FROM @.orders WHERE o_id = {oldest} AND o_d_id < 10 AND o_carrier_id = 8"
    assert world.one(delivered) == (9,)
    assert world.one(f"SELECT count(*) FROM @.order_line WHERE ol_o_id = {oldest} AND ol_delivery_d IS NULL")[0] <= 15
    wrong = (
        "SELECT count(*) FROM @.customer JOIN (SELECT o_d_id, o_c_id, sum(ol_amount) AS owed FROM @.orders"
        " JOIN @.order_line ON ol_d_id = o_d_id AND ol_o_id = o_id"
        f" WHERE o_id = {oldest} AND o_d_id < 10 GROUP BY o_d_id, o_c_id) AS found ON c_d_id = o_d_id AND c_id = o_c_id"
        " WHERE c_balance <> owed - 10 OR c_delivery_cnt <> 1"
    )
    assert world.one(wrong) == (0,)


def test_that_questions_change_nothing_and_miss_what_is_not_there(world: World):
    before = world.state()
    assert world.run(OrderStatus(1, 2, 5, ""), StockLevel(1, 2, 15)) == ["", ""]
    assert world.state() == before
    with pytest.raises((Missed, *_errors(world))):
        world.run(OrderStatus(1, 2, world.size.customers + 1, ""))


def _errors(world: World) -> tuple[type[Exception], ...]:
    with world.user() as user:
        return (user.errors,)


def test_that_every_way_leaves_the_same_rows_and_all_conditions_hold(request):
    """The same transactions, as one user draws them: functions and statements, on both databases."""
    found = []
    for way in WAYS:
        with opened(way, request) as world:
            drawn = Desk(world.size, 0, "the same").inputs()
            outcomes = world.run(*(next(drawn) for _ in range(MANY)))
            assert conditions.flaws(world.session, world.size) == []
            found.append((outcomes, world.state()))
    assert found[0] == found[1] == found[2]


WAITING = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%delivery%'"
    " OR wait_event_type = 'Lock' AND query LIKE 'DELETE%'",
    "mariadb": "SELECT count(*) FROM information_schema.processlist WHERE state = 'Updating' AND info LIKE 'DELETE%'",
}


def test_that_of_two_deliveries_the_later_one_takes_the_next_orders(world: World):
    """Who waited finds the orders gone: a function looks again, a user with statements is told to begin anew."""
    oldest = "SELECT min(no_o_id) FROM @.new_order WHERE no_d_id = 1"
    first, asked = world.one(oldest)[0], Delivery(1, 2)
    with world.user() as early, concurrent.futures.ThreadPoolExecutor(1) as threads:
        taken = f"DELETE FROM @.new_order WHERE no_w_id = 1 AND no_o_id = {first}"
        early.change(world.size.named(taken).encode())
        late = threads.submit(world.run, asked)
        wait_until(lambda: world.ask(WAITING[world.database]) > [(0,)], "a lock that is waited for")
        early.commit()
        if world.by_functions:
            assert late.result() == [""]
        else:
            with pytest.raises(Overtaken):
                late.result()
            assert world.run(asked) == [""]
    assert world.one(oldest)[0] == first + 2


BREAKING = {
    1: "UPDATE @.district SET d_ytd = d_ytd + 1 WHERE d_id = 3",
    2: "UPDATE @.district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 3",
    3: "DELETE FROM @.new_order WHERE no_d_id = 2 AND no_o_id = 25",
    4: "DELETE FROM @.order_line WHERE ol_d_id = 7 AND ol_o_id = 3 AND ol_number = 1",
    5: "UPDATE @.orders SET o_carrier_id = NULL WHERE o_d_id = 4 AND o_id = 2",
    6: "UPDATE @.orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_d_id = 4 AND o_id = 2",
    7: "UPDATE @.order_line SET ol_delivery_d = NULL WHERE ol_d_id = 5 AND ol_o_id = 4 AND ol_number = 2",
    8: "UPDATE @.warehouse SET w_ytd = w_ytd - 0.01",
    9: "UPDATE @.history SET h_amount = h_amount + 0.01 WHERE h_d_id = 6 AND h_c_id = 9",
    10: "UPDATE @.customer SET c_balance = c_balance + 0.01 WHERE c_d_id = 6 AND c_id = 9",
    12: "UPDATE @.order_line SET ol_amount = 0.01 WHERE ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
}


def test_that_each_condition_fails_by_name_when_a_row_is_tampered_with(tables: World):
    assert list(BREAKING) == [condition.number for condition in conditions.CONDITIONS]
    for number, statement in BREAKING.items():
        tables.change(statement)
        check = tables.workload.check(tables.session, Totals(0, 0, 0))
        assert not check.passed
        assert re.search(rf"condition {number} \([^)]+\) fails for warehouse 1\S* .* against ", check.text), number
        loading.restore(tables.session, tables.size)
        assert tables.workload.check(tables.session, Totals(0, 0, 0)).passed


def test_that_users_who_say_another_number_than_the_tables_hold_are_told_apart(tables: World):
    tables.run(order(Line(1, 5, 3)), Payment(1, 4, 1, 2, 5, "", 100))
    said = {inputs.NEW_ORDER: 1, inputs.PAYMENT: 1}
    right = tables.workload.check(tables.session, Totals(2, 0, 0, sorts=said))
    assert right.passed
    assert right.text.startswith("districts have 1 more orders, history has 1 more payments; conditions 1, 2,")
    for sort, words in ((inputs.NEW_ORDER, "committed 2 new orders"), (inputs.PAYMENT, "committed 2 payments")):
        wrong = tables.workload.check(tables.session, Totals(3, 0, 0, sorts={**said, sort: 2}))
        assert not wrong.passed
        assert words in wrong.text


def test_that_each_block_begins_with_the_rows_that_were_loaded(tables: World):
    before = tables.state()
    drawn = Desk(tables.size, 1, "any").inputs()
    tables.run(*(next(drawn) for _ in range(30)))
    assert tables.state() != before
    tables.workload.prepare(tables.session)
    assert tables.state() == before


def test_that_rows_are_used_again_but_not_half_loaded_damaged_or_of_another_size(tables: World):
    mark = "UPDATE @.item SET i_name = 'touched' WHERE i_id = 1"
    touched = "SELECT count(*) FROM @.item WHERE i_name = 'touched'"
    for change, kept in (
        (mark, 1),
        ("UPDATE @.domtune_marker SET value = 'begun' WHERE name = 'state'", 0),
        (f"UPDATE @.customer{COPY} SET c_balance = 0 WHERE c_d_id = 3 AND c_id = 3", 0),
        (f"DELETE FROM @.stock{COPY} WHERE s_i_id = 3", 0),
        ("UPDATE @.domtune_marker SET value = '60' WHERE name = 'customers'", 0),
    ):
        tables.session.execute(tables.size.named(mark))
        tables.session.execute(tables.size.named(change))
        tables.workload.prepare(tables.session)
        assert tables.one(touched) == (kept,), change
    assert tables.session.tables(tables.size.schema) == set(OUR_TABLES)


def test_that_a_schema_of_somebody_else_is_neither_used_nor_changed(tables: World):
    theirs = Size(7, 30, 100)
    create = "SCHEMA" if tables.database == "postgresql" else "DATABASE"
    tables.session.execute(f"CREATE {create} {theirs.schema}")
    try:
        tables.session.execute(theirs.named("CREATE TABLE @.stock (theirs int)"))
        load = LoadSpec(
            KIND, users=2, database=tables.server.url, parameters={**tables.load.parameters, "warehouses": 7}
        )
        for step in (OrderEntryWorkload(load).preflight, OrderEntryWorkload(load).prepare):
            with pytest.raises(DatabaseUnsuitable, match=f"a schema {theirs.schema} that DomTune did not make"):
                step(tables.session)
        assert tables.session.rows(theirs.named("SELECT theirs FROM @.stock")) == []
    finally:
        tables.session.execute(theirs.named("DROP TABLE @.stock"))
        tables.session.execute(f"DROP {create} {theirs.schema}")


def test_that_serialization_failures_are_repeated_counted_and_leave_the_conditions_whole(database):
    """Two users with one warehouse above READ COMMITTED: what the server asks to repeat comes by itself."""
    parameters = {**small(KIND).parameters, "isolation": "repeatable-read"}
    pool = database.pool(LoadSpec(KIND, users=4, parameters=parameters))
    try:
        pool.preflight()
        pool.prepare(KIND)
        pool.start(KIND)
        seconds = seconds_of(pool, 2)
        check = pool.stop()
    finally:
        pool.close()
    assert sum(second.retries for second in seconds) > 0
    assert sum(second.count for second in seconds) > 0
    assert check.passed, check.text
    for second in seconds:
        apart = sum(sum(times.values()) for sort, times in second.sorts.items() if "," in sort)
        assert sum(sum(times.values()) for times in second.sorts.values()) - apart == second.count


def test_that_deadlocks_and_locks_that_last_too_long_are_repeated(maria):
    parameters = small(KIND).parameters
    pool = maria.pool(LoadSpec(KIND, users=2, database=maria.url, parameters=parameters))
    schema = size_of(small(KIND).values).schema
    try:
        pool.preflight()
        pool.prepare(KIND)
        maria.ask(
            f"CREATE TRIGGER {schema}.fail BEFORE INSERT ON {schema}.order_line FOR EACH ROW IF rand() < 0.02 THEN"
            " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; ELSEIF rand() < 0.02 THEN"
            " SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205; END IF"
        )
        pool.start(KIND)
        assert sum(second.retries for second in seconds_of(pool, 1)) > 0
        check = pool.stop()
        assert check.passed, check.text
    finally:
        pool.close()
        maria.ask(f"DROP TRIGGER {schema}.fail")
