"""The brokerage without a database: the mix, the queue, lots, prices, rows, what reports say."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import LoadError, SpecError
from scheduler.loads.brokerage import brokerage_differences, brokerage_workload, inputs, prices
from scheduler.loads.brokerage.brokerage_users import BrokerageTerminal, repeat_transactions
from scheduler.loads.brokerage.generator import BrokerageRows
from scheduler.loads.brokerage.inputs import (
    MIX,
    SORTS,
    WRITING_TRANSACTIONS,
    BrokerVolumeInput,
    MarketFeedInput,
    SecurityDetailInput,
    TradeLookupInput,
    TradeOrderInput,
    TradeResultInput,
    TradeUpdateInput,
    TransactionResult,
)
from scheduler.loads.brokerage.lots import CustomerTerms, SecurityLot, close_lots, settle_trade
from scheduler.loads.brokerage.size import ACCOUNTS, DAYS, TABLES, BrokerageSize
from scheduler.loads.operation import OperationResult
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.transaction_outcome import RowNotFound
from scheduler.loads.transaction_retry import MOST_REPEATS
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from tests.contract.postgres_fixture import facts_of

SMALL, USUAL, LARGE = BrokerageSize(100), BrokerageSize(1_000), BrokerageSize(5_000)
PUBLISHED = {
    "broker-volume": 49,
    "customer-position": 130,
    "market-feed": 10,
    "market-watch": 180,
    "security-detail": 140,
    "trade-lookup": 80,
    "trade-order": 101,
    "trade-result": 100,
    "trade-status": 190,
    "trade-update": 20,
}

POSTGRESQL, MARIADB = TABLE_DIALECTS["postgresql"], TABLE_DIALECTS["mariadb"]


def drawn(many: int, size: BrokerageSize = USUAL, seed: str = "1", queued: int = 0) -> list:
    desk = BrokerageTerminal(size, seed)
    desk.queue.extend(range(1, queued + 1))
    return list(islice(desk.inputs(), many))


def test_each_thousand_transactions_are_in_the_published_mix_in_random_order():
    asked = [SORTS[type(each)] for each in drawn(3_000, queued=300)]
    decks = [asked[start : start + 1_000] for start in (0, 1_000, 2_000)]
    assert all(Counter(deck) == PUBLISHED == MIX for deck in decks)
    assert decks[0] != decks[1] != decks[2]
    assert sum(MIX[sort] for sort in WRITING_TRANSACTIONS) == 231


def test_without_an_order_to_carry_out_one_is_given_instead():
    sorts = Counter(SORTS[type(each)] for each in drawn(1_000, queued=70))
    assert (sorts["trade-result"], sorts["trade-order"]) == (70, 101 + 30)


def test_oldest_order_is_carried_out_first():
    results = [each.trade for each in drawn(1_000, queued=100) if isinstance(each, TradeResultInput)]
    assert results == list(range(1, 101))


def test_same_seed_gives_the_same_inputs():
    assert drawn(100) == drawn(100)
    assert drawn(100) != drawn(100, seed="2")


def test_parts_of_orders_are_drawn_as_published():
    orders = [each for each in drawn(40_000) if isinstance(each, TradeOrderInput)]

    def part(which, of=orders) -> float:
        return sum(map(which, of)) / len(of)

    buys = [each for each in orders if each.kind in prices.BUYING_KINDS]
    assert part(lambda each: each.undone) == pytest.approx(0.01, abs=0.004)
    assert part(lambda each: each.kind in prices.MARKET_ORDER_KINDS) == pytest.approx(0.6, abs=0.02)
    assert len(buys) / len(orders) == pytest.approx(0.5, abs=0.02)
    assert part(lambda each: not each.is_cash, buys) == pytest.approx(0.16, abs=0.02)
    assert all(each.is_cash for each in orders if each.kind not in prices.BUYING_KINDS)
    often = Counter((each.account - 1) // ACCOUNTS for each in orders)
    most = sum(times for _, times in often.most_common(USUAL.customers // 4))
    assert most / len(orders) > 0.5  # even ones would have a quarter, and by chance a little more


@pytest.mark.parametrize("size", [SMALL, USUAL, LARGE])
def test_whatever_is_asked_for_exists(size: BrokerageSize):
    for each in drawn(4_000, size):
        match each:
            case TradeOrderInput():
                held = {
                    prices.security_at_place(each.account, place, size.securities)
                    for place in range(prices.SECURITIES_PER_ACCOUNT)
                }
                assert each.security in held
                assert 1 <= each.account <= size.accounts
                assert bool(each.cents) is (each.kind in prices.LIMIT_ORDER_KINDS)
            case BrokerVolumeInput(brokers):
                assert min(20, size.brokers) <= len(set(brokers)) <= min(40, size.brokers)
                assert set(brokers) <= set(range(1, size.brokers + 1))
            case SecurityDetailInput():
                assert 5 <= each.days <= 20
                assert 1 <= each.first_day <= DAYS - each.days + 1
            case MarketFeedInput(fed):
                securities = [security for security, _ in fed]
                assert sorted(set(securities)) == securities
                assert len(securities) == 20
                assert 1 <= securities[0] <= securities[-1] <= size.securities
            case TradeLookupInput(chosen) | TradeUpdateInput(chosen):
                assert (len(set(chosen.trades)) == 20) is (chosen.way == inputs.BY_NUMBER)
                assert all(1 <= trade <= size.completed for trade in chosen.trades)


def is_due(kind: str, limit: int, price: int) -> bool:
    return limit <= price if kind == prices.LIMIT_SELL else limit >= price


def test_as_many_limit_orders_come_as_go_and_results_find_their_orders():
    """One user's decks on a size's waiting orders, whose prices come; a book without a database."""
    size = BrokerageSize(300)
    rows = (row.decode().splitlines() for row in BrokerageRows(size).rows("trade"))
    columns = brokerage_workload.BROKERAGE_TABLES["trade"].column_names
    status, kind, security, limit = map(columns.index, ("t_status", "t_type", "t_s_id", "t_bid_price"))
    loaded = [line.split(",") for chunk in rows for line in chunk]
    waiting = [
        (row[kind], int(row[security]), round(100 * float(row[limit]))) for row in loaded if row[status] == "PNDG"
    ]
    assert len(waiting) == size.waiting
    desk = BrokerageTerminal(size, "any")
    sorts: Counter[str] = Counter()
    for each in islice(desk.inputs(), 30_000):
        sorts[SORTS[type(each)]] += 1
        if isinstance(each, TradeOrderInput) and each.cents:
            waiting.append((each.kind, each.security, each.cents))
        elif isinstance(each, TradeOrderInput):
            desk.queue.append(0)
        elif isinstance(each, MarketFeedInput):
            fed = dict(each.prices)
            left = [order for order in waiting if order[1] not in fed or not is_due(*order[::2], fed[order[1]])]
            desk.queue.extend([0] * (len(waiting) - len(left)))
            waiting = left
    assert len(waiting) == pytest.approx(size.waiting, rel=0.35)
    assert sorts["trade-result"] / 3_000 == pytest.approx(1.0, abs=0.05)


LOTS = st.lists(st.tuples(st.sampled_from(prices.PIECES), st.integers(1, 3_000)), max_size=6)


@given(LOTS, st.booleans(), st.sampled_from((*prices.PIECES, *(-pieces for pieces in prices.PIECES))))
def test_no_piece_is_lost_and_all_lots_lie_on_one_side(held, short: bool, pieces: int):
    lots = [SecurityLot(at, -many if short else many, cents) for at, (many, cents) in enumerate(held)]
    closed = close_lots(lots, pieces, 2_000)
    rest = {closed.rest.trade: closed.rest} if closed.rest else {}
    after = [rest.get(lot.trade, lot).pieces for lot in lots if lot.trade not in closed.gone]
    after += [closed.new] if closed.new else []
    assert sum(after) == sum(lot.pieces for lot in lots) + pieces
    assert len({many > 0 for many in after}) <= 1
    assert 0 not in after
    assert list(closed.gone) == [lot.trade for lot in lots[: len(closed.gone)]]


def test_lots_are_closed_in_their_order_and_gains_are_taxed():
    lots = [SecurityLot(1, 100, 2_000), SecurityLot(2, 200, 2_500)]
    sold = close_lots(lots, -200, 3_000)
    assert (sold.gone, sold.rest, sold.new) == ((1,), SecurityLot(2, 100, 2_500), 0)
    assert sold.gain_cents == 100 * 1_000 + 100 * 500
    terms = CustomerTerms(rate=50, fee_cents=700, tax=1_000)
    paid = settle_trade(-200, 3_000, sold.gain_cents, terms)
    assert (paid.commission_cents, paid.tax_cents) == (3_000, 15_000)
    assert paid.cash_cents == 200 * 3_000 - 3_000 - 700 - 15_000
    covered = close_lots([SecurityLot(3, -100, 3_000)], 300, 3_200)
    assert (covered.gone, covered.new, covered.gain_cents) == ((3,), 200, -20_000)
    assert settle_trade(300, 3_200, covered.gain_cents, terms).tax_cents == 0


class Asking:
    """A connection whose server asks to repeat; `run` fails as often as it is told to, and numbers orders."""

    errors = ConnectionAbortedError

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.asked = []

    def run(self, asked) -> TransactionResult:
        self.asked.append(asked)
        if self.failures:
            raise self.failures.pop(0)
        if isinstance(asked, TradeUpdateInput):
            return TransactionResult(changed=17)
        return (
            TransactionResult(undone=asked.undone, submitted=(len(self.asked),))
            if isinstance(asked, TradeOrderInput)
            else TransactionResult()
        )

    def repeats(self, error: Exception) -> bool:
        return str(error) == "again"

    def told(self, doing: str, error: Exception) -> LoadError:
        return LoadError(f"{doing}: {error}")


def test_committed_orders_come_into_the_queue_and_updates_report_how_many_they_changed():
    user, desk = Asking(), BrokerageTerminal(USUAL, "1")
    operation = repeat_transactions(user, user.run, desk)
    done = [operation(lambda: None) for _ in range(1_000)]
    ordered = [at for at, asked in enumerate(user.asked, start=1) if isinstance(asked, TradeOrderInput)]
    carried_out = [asked.trade for asked in user.asked if isinstance(asked, TradeResultInput)]
    assert len(carried_out) > 80  # of 100: the queue is empty at first
    assert carried_out == ordered[: len(carried_out)]
    assert done.count(OperationResult("trade-update", answer="trades changed: 17")) == 20
    undone = sum(isinstance(asked, TradeOrderInput) and asked.undone for asked in user.asked)
    assert done.count(OperationResult("trade-order, rolled back", counts=False)) == undone


def test_transaction_is_repeated_with_the_same_input_and_given_up_as_an_error():
    user, retried = Asking(*[ConnectionAbortedError("again")] * (MOST_REPEATS + 1)), []
    operation = repeat_transactions(user, user.run, BrokerageTerminal(USUAL, "1"))
    first, second = drawn(2)
    done = operation(lambda: retried.append(1))
    assert done == OperationResult(f"{SORTS[type(first)]}, given up", counts=False, failed=True)
    assert (user.asked, len(retried)) == ([first] * 11, 10)
    assert operation(lambda: None).sort == SORTS[type(second)]
    with pytest.raises(LoadError, match="a user of the brokerage: no such row"):
        repeat_transactions(user, Asking(RowNotFound("no such row")).run, BrokerageTerminal(USUAL, "1"))(lambda: None)


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    generator = BrokerageRows(SMALL)
    return {table: b"".join(generator.rows(table)) for table in TABLES}


def test_rows_are_the_same_every_time(made: dict[str, bytes]):
    again = BrokerageRows(SMALL)
    assert all(b"".join(again.rows(table)) == rows for table, rows in made.items())


@pytest.mark.parametrize("table", TABLES)
def test_rows_have_the_tables_columns_and_each_key_once(made: dict[str, bytes], table: str):
    rows = [line.split(",") for line in made[table].decode("ascii").splitlines()]
    columns = brokerage_workload.BROKERAGE_TABLES[table].column_names
    assert {len(row) for row in rows} == {len(columns)}
    places = [columns.index(name) for name in brokerage_workload.KEYS[table].split(", ")]
    assert len({tuple(row[place] for place in places) for row in rows}) == len(rows)
    known = {"customer": 100, "account": 500, "broker": 1, "security": 68, "trade": 20_000, "watch_item": 6_800}
    assert len(rows) == known.get(table, len(rows))


def told(dialect=POSTGRESQL, versions=None, **parameters) -> str:
    load = LoadSpec("brokerage", database="mariadb:" if dialect is MARIADB else "", parameters=parameters)
    return " ".join(brokerage_differences.difference_sentences(load, dialect, facts_of((1,)), versions or {}))


def test_deviations_report_what_it_is_not_and_what_was_asked_for():
    usual = told()
    for words in (
        "neither TPC-E nor DBT-5",
        "TPC-E counts Trade-Results only",
        "12 tables of 33",
        "no market emulator",
        "as 76.9 to 23.1",
        "is the ratio of disk accesses in a trace",
        "1,000 customers with 5 accounts and 200 trades each",
        "NURand",
        "all brokers, 10, not 20 to 40",
        "101 trade-order, 100 trade-result",
    ):
        assert words in usual
    assert "REPEATABLE READ" in told(isolation="repeatable-read")
    assert "20 to 30 brokers" in told(customers=3_000)
    assert "Broker-Volume asks" not in told(customers=4_000)
    assert "InnoDB's buffers of 100 MB" in told(MARIADB, {"innodb_buffer_pool_size": "100000000"})


def test_no_name_of_it_is_that_of_a_benchmark_and_sizes_that_do_not_fit_are_refused():
    kind = LOAD_KINDS["brokerage"]
    assert not any(name in f"{kind.name} {kind.title} {kind.short} {kind.does}" for name in ("TPC", "DBT"))
    for customers, said in ((50, r"outside 100\.\.5000"), (150, "not a multiple of 100")):
        with pytest.raises(SpecError, match=said):
            LoadSpec("brokerage", parameters={"customers": customers})
