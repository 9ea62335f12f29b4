"""The brokerage on real databases: what each transaction leaves. Laws share the tables, not the accounts."""

import concurrent.futures
import itertools

import pytest

from scheduler.loads.brokerage import inputs, prices
from scheduler.loads.brokerage.inputs import MarketFeedInput, TradeResultInput, TradeSelection, TradeUpdateInput
from scheduler.loads.tables.table_workload import condition_flaws
from scheduler.loads.transaction_outcome import RowNotFound
from tests import volume
from tests.contract.brokerage_world import DATABASES, World, opened, order
from tests.contract.loads_contract import wait_until

pytestmark = pytest.mark.shared_server("maria")
MANY = volume.times(300, 3_000)


@pytest.fixture(scope="module", params=DATABASES)
def world(request):
    with opened(request.param, request) as found:
        yield found


@pytest.fixture
def account(world: World, numbers=itertools.count(101)) -> int:  # noqa: B008 - one count for all laws
    """An account that holds nothing."""
    number = next(numbers)
    world.empty(number)
    return number


def lots(world: World, account: int) -> list[tuple]:
    return world.ask(f"SELECT h_t_id, h_qty FROM @.holding WHERE h_ca_id = {account} ORDER BY h_t_id")


def summary(world: World, account: int) -> list[tuple]:
    return world.ask(f"SELECT hs_s_id, hs_qty FROM @.holding_summary WHERE hs_ca_id = {account} ORDER BY hs_s_id")


def test_order_is_written_down_and_comes_into_the_queue_unless_it_waits_for_its_price(world: World, account):
    market, limit = world.run(order(account, 5), order(account, 6, kind=prices.LIMIT_BUY, cents=1_234))
    [number] = market.submitted
    assert limit.submitted == ()
    rows = "SELECT t_status, t_type, t_s_id, t_qty, t_bid_price, t_trade_price, t_comm FROM @.trade WHERE t_id = {}"
    assert world.one(rows.format(number))[:4] == ("SBMT", "TMB", 5, 100)
    assert (*map(str, world.one(rows.format(number + 1))),) == ("PNDG", "TLB", "6", "100", "12.34", "None", "0.00")
    history = f"SELECT th_t_id, th_st FROM @.trade_history WHERE th_t_id >= {number} ORDER BY th_t_id"
    assert world.ask(history) == [(number, "SBMT"), (number + 1, "PNDG")]
    assert lots(world, account) == []


def test_order_that_is_rolled_back_leaves_nothing(world: World, account):
    trades = "SELECT count(*), (SELECT count(*) FROM @.trade_history) FROM @.trade"
    before = world.one(trades)
    [ended] = world.run(order(account, 5, undone=True))
    assert (ended.undone, ended.submitted) == (True, ())
    assert world.one(trades) == before


def test_result_moves_lots_cash_and_the_brokers_sums(world: World, account):
    world.change("UPDATE @.last_trade SET lt_price = 25.00 WHERE lt_s_id = 7")
    sums = (
        "SELECT ca_bal, b_num_trades, b_comm_total FROM @.account JOIN @.broker ON b_id = ca_b_id"
        f" WHERE ca_id = {account}"
    )
    terms = f"SELECT c_rate, c_fee FROM @.customer JOIN @.account ON ca_c_id = c_id WHERE ca_id = {account}"
    (rate, fee), before = map(float, world.one(terms)), [float(value) for value in world.one(sums)]
    [number] = world.trade(order(account, 7, pieces=400))
    after = [float(value) for value in world.one(sums)]
    commission = 400 * 25 * rate
    cost = 400 * 25 + commission + fee
    grown = [now - then for then, now in zip(before, after, strict=True)]
    assert grown == pytest.approx([-cost, 1, commission])
    assert lots(world, account) == [(number, 400)]
    assert summary(world, account) == [(7, 400)]
    assert world.value(f"SELECT ct_amt FROM @.cash_transaction WHERE ct_t_id = {number}") == pytest.approx(-cost)
    done = (
        f"SELECT t_status, t_trade_price, (SELECT count(*) FROM @.trade_history WHERE th_t_id = {number}) FROM @.trade"
    )
    assert (*map(str, world.one(f"{done} WHERE t_id = {number}")),) == ("CMPT", "25.00", "2")


@pytest.mark.parametrize(("last_in", "kept"), [(True, [(0, 100), (1, 100)]), (False, [(1, 200)])])
def test_lots_are_closed_last_in_or_first_in(world: World, account, last_in: bool, kept):
    bought = world.trade(order(account, 8), order(account, 8, pieces=200))
    world.trade(order(account, 8, kind=prices.SELL, last_in=last_in))
    assert lots(world, account) == [(bought[at], pieces) for at, pieces in kept]
    assert summary(world, account) == [(8, 200)]


def test_what_is_sold_without_having_it_is_owed_until_it_is_bought(world: World, account):
    sold = world.trade(order(account, 9, kind=prices.SELL, pieces=200))
    assert lots(world, account) == [(*sold, -200)]
    assert summary(world, account) == [(9, -200)]
    world.trade(order(account, 9, pieces=200))
    assert (lots(world, account), summary(world, account)) == ([], [])


def test_trade_on_margin_moves_no_cash(world: World, account):
    balance = f"SELECT ca_bal FROM @.account WHERE ca_id = {account}"
    before = world.one(balance)
    [number] = world.trade(order(account, 5, is_cash=False))
    assert world.one(balance) == before
    assert world.ask(f"SELECT ct_amt FROM @.cash_transaction WHERE ct_t_id = {number}") == []
    assert lots(world, account) == [(number, 100)]


def test_order_is_carried_out_once(world: World, account):
    [number] = world.trade(order(account, 5))
    with pytest.raises(RowNotFound, match=f"trade {number} of the queue is CMPT"):
        world.run(TradeResultInput(number))


LIMITS = [(prices.LIMIT_BUY, 30, 29), (prices.STOP_LOSS, 31, 28), (prices.LIMIT_SELL, 30, 31)]


def test_new_prices_put_the_orders_that_they_reach_into_the_queue(world: World, account):
    """Each kind of limit order: one that is reached by a price of 30.00 exactly, and one that is not."""
    world.session.execute(
        world.size.named("UPDATE @.trade SET t_status = 'CNCL' WHERE t_status = 'PNDG' AND t_s_id < 30")
    )
    orders = [
        order(account, 11, kind=kind, cents=100 * limit)
        for kind, reached, other in LIMITS
        for limit in (reached, other)
    ]
    first = int(world.value("SELECT max(t_id) FROM @.trade")) + 1
    world.run(*orders)
    first = int(world.value(f"SELECT min(t_id) FROM @.trade WHERE t_ca_id = {account} AND t_id >= {first}"))
    sold = "SELECT sum(lt_vol) FROM @.last_trade"
    before = world.value(sold)
    [ended] = world.run(MarketFeedInput(tuple((security, 3_000) for security in range(1, 21))))
    due = (first, first + 2, first + 4)
    assert ended.submitted == due
    assert world.value(sold) - before == 20 * 100
    assert world.one("SELECT count(*), min(lt_price), max(lt_price) FROM @.last_trade WHERE lt_s_id <= 20")[0] == 20
    statuses = world.ask(
        f"SELECT t_id, t_status FROM @.trade WHERE t_ca_id = {account} AND t_id >= {first} ORDER BY t_id"
    )
    assert statuses == [(at, "SBMT" if at in due else "PNDG") for at in range(first, first + 6)]
    world.run(*map(TradeResultInput, due))


def test_update_gives_trades_another_name_and_the_next_one_takes_it_back(world: World):
    chosen = TradeSelection(inputs.BY_NUMBER, trades=tuple(range(1, 21)))
    names = "SELECT t_id, t_exec_name FROM @.trade WHERE t_id <= 21 ORDER BY t_id"
    before = world.ask(names)
    assert [ended.changed for ended in world.run(TradeUpdateInput(chosen))] == [20]
    changed = [(number, name.replace(" ", " X ")) for number, name in before[:20]]
    assert world.ask(names) == [*changed, before[20]]
    world.run(TradeUpdateInput(chosen))
    assert world.ask(names) == before


@pytest.mark.parametrize("way", [inputs.BY_ACCOUNT, inputs.BY_SECURITY])
def test_trades_are_chosen_from_one_on(world: World, way: str):
    changes = "SELECT t_id, t_ca_id, t_s_id FROM @.trade WHERE t_changes > 0 AND t_id >= 100 ORDER BY t_id"
    before = world.ask(changes)
    [ended] = world.run(TradeUpdateInput(TradeSelection(way, whose=66, first=100)))
    changed = [row for row in world.ask(changes) if row not in before]
    assert len(changed) == ended.changed == 20
    assert {row[1 if way == inputs.BY_ACCOUNT else 2] for row in changed} == {66}


def questions(world: World) -> list[inputs.BrokerageInput]:
    chosen = [
        TradeSelection(inputs.BY_NUMBER, trades=tuple(range(1, 40, 2))),
        *(TradeSelection(way, whose=3, first=1) for way in (inputs.BY_ACCOUNT, inputs.BY_SECURITY, inputs.BY_HOLDING)),
    ]
    return [
        *map(inputs.TradeLookupInput, chosen),
        inputs.TradeStatusInput(3),
        inputs.MarketWatchInput(4, 0, 5),
        inputs.MarketWatchInput(0, 4, 5),
        inputs.SecurityDetailInput(5, 11, 20),
        inputs.CustomerPositionInput(6, 0),
        inputs.CustomerPositionInput(6, 28),
        inputs.BrokerVolumeInput((1,)),
    ]


def test_questions_change_nothing_and_miss_what_is_not_there(world: World):
    before = world.changed()
    world.run(*questions(world))
    assert world.changed() == before
    far = 10**6
    for lacking in (
        inputs.TradeLookupInput(TradeSelection(inputs.BY_NUMBER, trades=tuple(range(far, far + 20)))),
        inputs.TradeStatusInput(far),
        inputs.MarketWatchInput(far, 0, 5),
        inputs.SecurityDetailInput(5, 12, 20),
        inputs.CustomerPositionInput(far, 0),
        inputs.TradeOrderInput(far, 5, prices.BUY, 100, 0, is_cash=True, last_in=False, undone=False),
        TradeResultInput(far),
        MarketFeedInput(tuple((far + at, 2_500) for at in range(20))),
    ):
        with pytest.raises(RowNotFound):
            world.run(lacking)


WAITING = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE'",
    "mariadb": "SELECT count(*) FROM information_schema.processlist WHERE state <> '' AND info LIKE 'SELECT ca_bal%'",
}


def test_of_two_results_for_one_account_the_later_one_sees_the_lots_of_the_first(world: World, account):
    bought = world.trade(order(account, 5))
    [one, other] = (ended.submitted[0] for ended in world.run(*[order(account, 5, kind=prices.SELL)] * 2))
    with concurrent.futures.ThreadPoolExecutor(1) as threads, world.user() as early:  # early ends first
        early.rows(world.size.named(f"SELECT ca_bal FROM @.account WHERE ca_id = {account} FOR UPDATE").encode())
        late = threads.submit(world.run, TradeResultInput(other))
        wait_until(lambda: world.ask(WAITING[world.database]) > [(0,)], "a lock that is waited for")
        early.change(world.size.named(f"UPDATE @.holding SET h_qty = 300 WHERE h_t_id = {bought[0]}").encode())
        early.change(world.size.named(f"UPDATE @.holding_summary SET hs_qty = 300 WHERE hs_ca_id = {account}").encode())
        early.commit()
        late.result()
    assert lots(world, account) == [(bought[0], 200)]
    world.run(TradeResultInput(one))
    assert (lots(world, account), summary(world, account)) == ([(bought[0], 100)], [(5, 100)])


def test_both_databases_are_left_with_the_same_rows_and_all_conditions_hold(request):
    """The same transactions, as one user draws them."""
    found = []
    for name in DATABASES:
        with opened(name, request) as world:
            ended = world.draw(MANY, "the same")
            assert condition_flaws(world.session, world.workload.tables(world.session)) == []
            found.append((ended, world.state()))
    assert found[0] == found[1]
