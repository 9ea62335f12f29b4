"""Order entry on real databases: what each transaction leaves, whichever way it is run."""

import concurrent.futures

import pytest

from scheduler.loads.order_entry.inputs import (
    DeliveryInput,
    OrderEntryTerminal,
    OrderLine,
    OrderStatusInput,
    PaymentInput,
    StockLevelInput,
)
from scheduler.loads.tables.table_workload import condition_flaws
from scheduler.loads.transaction_outcome import UNDONE, RowNotFound, SerializationConflict
from tests import volume
from tests.contract.loads_contract import wait_until
from tests.contract.order_entry_world import WAYS, World, opened, order

pytestmark = pytest.mark.shared_server("maria")
MANY = volume.times(150, 2_000)


@pytest.fixture(params=WAYS)
def world(request):
    with opened(request.param, request) as found:
        yield found


def test_new_order_takes_the_next_number_and_its_lines_their_stocks(world: World):
    world.change("UPDATE @.stock SET s_quantity = 12 WHERE s_i_id = 5")
    world.change("UPDATE @.stock SET s_quantity = 14 WHERE s_i_id = 9")
    assert world.run(order(OrderLine(1, 5, 3), OrderLine(1, 9, 4))) == [""]
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


def test_order_with_an_unknown_item_leaves_nothing(world: World):
    before = world.state()
    unknown = OrderLine(1, world.size.items + 1, 1)
    assert world.run(order(OrderLine(1, 5, 3), unknown, undone=True)) == [UNDONE]
    assert world.state() == before


def test_order_that_should_have_been_undone_and_was_not_is_a_miss(world: World):
    before = world.state()
    with pytest.raises(RowNotFound):
        world.run(order(OrderLine(1, 5, 3), OrderLine(1, 6, 1), undone=True))
    assert world.state() == before


def test_payment_moves_its_amount_and_those_with_bad_credit_are_written_about(world: World):
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
    world.run(*(PaymentInput(1, 4, 1, 2, customer, "", 12_345) for customer in (bad, good)))
    assert [float(value) for value in world.one(ytd)] == [float(warehouse) + 246.9, float(district) + 246.9]
    for customer, (*_, data) in before.items():
        balance, paid, times, now = world.one(of_customer.format(customer))
        assert (float(balance), float(paid), times) == (-10 - 123.45, 10 + 123.45, 2)
        assert now == (f"{bad} 2 1 4 1 123.45 {data}"[:500] if customer == bad else data)
    names = world.one("SELECT concat(w_name, '    ', d_name) FROM @.warehouse, @.district WHERE d_id = 4")
    newest = "SELECT h_c_d_id, h_d_id, h_data FROM @.history WHERE h_amount = 123.45"
    assert world.ask(newest) == [(2, 4, *names)] * 2


def test_last_name_means_the_middle_customer_by_first_name(world: World):
    """Position n/2, rounded up (2.5.2.2)."""
    for many, middle in ((4, "B"), (3, "B"), (1, "A")):
        world.change("UPDATE @.customer SET c_last = 'SOMEBODY', c_payment_cnt = 1 WHERE c_d_id = 1 AND c_id <= 4")
        for number in range(1, 5):
            last = "THESAME" if number <= many else "OTHER"
            first = "DCBA"[4 - many :][number - 1 : number] or "Z"
            world.change(
                f"UPDATE @.customer SET c_last = '{last}', c_first = '{first}' WHERE c_d_id = 1 AND c_id = {number}"
            )
        world.run(PaymentInput(1, 1, 1, 1, 0, "THESAME", 100))
        paid = "SELECT c_first FROM @.customer WHERE c_d_id = 1 AND c_id <= 4 AND c_payment_cnt = 2"
        assert world.ask(paid) == [(middle,)], many


def test_delivery_takes_the_oldest_order_of_each_district_and_credits_its_customer(world: World):
    oldest = world.size.customers - world.size.open_orders + 1
    world.change("DELETE FROM @.new_order WHERE no_d_id = 10")  # a district without any is left out
    assert world.run(DeliveryInput(1, 8)) == [""]
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


def test_questions_change_nothing_and_miss_what_is_not_there(world: World):
    before = world.state()
    assert world.run(OrderStatusInput(1, 2, 5, ""), StockLevelInput(1, 2, 15)) == ["", ""]
    assert world.state() == before
    with pytest.raises((RowNotFound, *_errors(world))):
        world.run(OrderStatusInput(1, 2, world.size.customers + 1, ""))


def _errors(world: World) -> tuple[type[Exception], ...]:
    with world.user() as user:
        return (user.errors,)


def test_every_way_leaves_the_same_rows_and_all_conditions_hold(request):
    """The same transactions, as one user draws them: functions and statements, on both databases."""
    found = []
    for way in WAYS:
        with opened(way, request) as world:
            drawn = OrderEntryTerminal(world.size, 0, "the same").inputs()
            outcomes = world.run(*(next(drawn) for _ in range(MANY)))
            assert condition_flaws(world.session, world.workload.tables(world.session)) == []
            found.append((outcomes, world.state()))
    assert found[0] == found[1] == found[2]


WAITING = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%delivery%'"
    " OR wait_event_type = 'Lock' AND query LIKE 'DELETE%'",
    "mariadb": "SELECT count(*) FROM information_schema.processlist WHERE state = 'Updating' AND info LIKE 'DELETE%'",
}


def test_of_two_deliveries_the_later_one_takes_the_next_orders(world: World):
    """Who waited finds the orders gone: a function looks again, a user with statements is told to begin anew."""
    oldest = "SELECT min(no_o_id) FROM @.new_order WHERE no_d_id = 1"
    first, asked = world.one(oldest)[0], DeliveryInput(1, 2)
    with world.user() as early, concurrent.futures.ThreadPoolExecutor(1) as threads:
        taken = f"DELETE FROM @.new_order WHERE no_w_id = 1 AND no_o_id = {first}"
        early.change(world.size.named(taken).encode())
        late = threads.submit(world.run, asked)
        wait_until(lambda: world.ask(WAITING[world.database]) > [(0,)], "a lock that is waited for")
        early.commit()
        if world.by_functions:
            assert late.result() == [""]
        else:
            with pytest.raises(SerializationConflict):
                late.result()
            assert world.run(asked) == [""]
    assert world.one(oldest)[0] == first + 2
