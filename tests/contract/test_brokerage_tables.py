"""The tables of the brokerage on real databases: what breaks a condition, whose are touched, what is repeated."""

import re

import pytest

from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.brokerage import conditions, inputs
from scheduler.loads.brokerage.brokerage_workload import BrokerageWorkload
from scheduler.loads.brokerage.inputs import MarketFeedInput, TradeSelection, TradeUpdateInput
from scheduler.loads.brokerage.size import FORMAT, BrokerageSize, brokerage_size
from scheduler.loads.tables.table_marker import is_complete
from scheduler.loads.tables.table_set import COPY, MARKER
from scheduler.loads.user_messages import UserTotals
from scheduler.model.load import LoadSpec
from tests.contract.brokerage_world import DATABASES, KIND, World, opened, order
from tests.contract.loads_contract import retried, working
from tests.contract.postgres_fixture import small

pytestmark = pytest.mark.shared_server("maria")


@pytest.fixture(scope="module", params=DATABASES)
def tables(request):
    with opened(request.param, request) as found:
        yield found


BREAKING = {
    1: ("UPDATE @.holding SET h_qty = h_qty {} 1 WHERE h_ca_id = 9", "account 9"),
    2: ("UPDATE @.broker SET b_num_trades = b_num_trades {} 1 WHERE b_id = 1", "broker 1"),
    3: ("UPDATE @.trade SET t_comm = t_comm {} 0.01 WHERE t_id = 17", "broker 1"),
    4: ("UPDATE @.account SET ca_bal = ca_bal {} 0.01 WHERE ca_id = 9", "account 9"),
    5: ("UPDATE @.trade SET t_is_cash = t_is_cash {} 1 WHERE t_id = {on_margin}", "account "),
    6: ("UPDATE @.trade_history SET th_st = {} WHERE th_t_id = 17 AND th_st = {}", "all_trades 1"),
}


def broken(tables: World, number: int) -> tuple[str, str]:
    """Return what breaks a condition, and what mends it."""
    statement, _ = BREAKING[number]
    if number == 6:
        return statement.format("'GONE'", "'CMPT'"), statement.format("'CMPT'", "'GONE'")
    [(on_margin,)] = tables.ask("SELECT min(t_id) FROM @.trade WHERE t_is_cash = 0 AND t_status = 'CMPT'")
    return tuple(statement.format(sign, on_margin=on_margin) for sign in "+-")


@pytest.mark.parametrize("number", BREAKING)
def test_each_condition_fails_by_name_when_a_row_is_tampered_with(tables: World, number: int):
    assert list(BREAKING) == [condition.number for condition in conditions.CONDITIONS]
    wrong, right = broken(tables, number)
    tables.change(wrong)
    check = tables.workload.check(tables.session, UserTotals(0, 0, 0))
    tables.change(right)
    assert not check.passed
    assert re.search(rf"condition {number} \([^)]+\) fails for {BREAKING[number][1]}.* against ", check.text)
    assert tables.workload.check(tables.session, UserTotals(0, 0, 0)).passed


def test_users_who_report_another_number_than_the_tables_hold_are_distinguished(tables: World):
    tables.workload.prepare(tables.session)
    tables.trade(order(3, 5))
    update = TradeUpdateInput(TradeSelection(inputs.BY_NUMBER, trades=tuple(range(1, 21))))
    tables.run(update, update, MarketFeedInput(tuple((security, 2_500) for security in range(1, 21))))
    said = {inputs.TRADE_ORDER: 1, inputs.TRADE_RESULT: 1, inputs.MARKET_FEED: 1}
    answers = {"trades changed: 20": 2}
    right = tables.workload.check(tables.session, UserTotals(5, 0, 0, sorts=said, answers=answers))
    assert right.passed
    assert right.text == (
        "the tables have 1 new trades, 1 completed trades, 40 changed names in trades, 1 feeds of prices;"
        " conditions 1, 2, 3, 4, 5, 6 hold"
    )
    for sort, words in (
        (inputs.TRADE_ORDER, "committed 2 new trades"),
        (inputs.TRADE_RESULT, "committed 2 completed trades"),
        (inputs.MARKET_FEED, "committed 2 feeds of prices"),
    ):
        wrong = tables.workload.check(tables.session, UserTotals(6, 0, 0, sorts={**said, sort: 2}, answers=answers))
        assert not wrong.passed
        assert words in wrong.text
    wrong = tables.workload.check(tables.session, UserTotals(5, 0, 0, sorts=said, answers={"trades changed: 19": 2}))
    assert not wrong.passed
    assert "committed 38 changed names in trades" in wrong.text
    tables.change("UPDATE @.last_trade SET lt_vol = lt_vol + 7 WHERE lt_s_id = 3")
    sold = tables.workload.check(tables.session, UserTotals(5, 0, 0, sorts=said, answers=answers))
    assert not sold.passed
    assert "7 pieces were sold that no feed of prices sells" in sold.text


def test_each_block_begins_with_the_rows_that_were_loaded_and_the_same_next_number(tables: World):
    tables.draw(60, "any")
    assert set(tables.changed()) >= {"trade", "trade_history", "holding", "broker"}
    tables.workload.prepare(tables.session)
    assert tables.changed() == {}
    assert tables.trade(order(3, 5)) == [tables.size.trades + 1]


def test_rows_are_used_again_but_not_half_loaded_damaged_or_of_another_size(tables: World):
    def marked(name: str, value: str) -> str:
        return f"UPDATE @.domtune_marker SET value = '{value}' WHERE name = '{name}'"

    ours = tables.workload.tables(tables.session)
    touched = "SELECT count(*) FROM @.customer WHERE c_email = 'touched'"
    tables.change("UPDATE @.customer SET c_email = 'touched' WHERE c_id = 1")
    tables.workload.prepare(tables.session)
    assert tables.one(touched) == (1,)
    for name, wrong, right in (("state", "begun", "complete"), ("customers", "200", "100"), ("format", "0", FORMAT)):
        tables.change(marked(name, wrong))
        assert not is_complete(tables.session, ours)
        tables.change(marked(name, right))
        assert is_complete(tables.session, ours)
    tables.change(f"UPDATE @.account{COPY} SET ca_bal = 0 WHERE ca_id = 3")
    tables.workload.prepare(tables.session)
    assert tables.one(touched) == (0,)
    assert tables.session.tables(tables.size.schema) - {"trade_t_id_seq"} == {*ours.names, MARKER}


def test_schema_of_another_else_is_neither_used_nor_changed(tables: World):
    theirs = BrokerageSize(700)
    create = "SCHEMA" if tables.database == "postgresql" else "DATABASE"
    tables.session.execute(f"CREATE {create} {theirs.schema}")
    try:
        tables.session.execute(theirs.named("CREATE TABLE @.trade (theirs int)"))
        load = LoadSpec(KIND, users=2, database=tables.server.url, parameters={"customers": 700})
        for step in (BrokerageWorkload(load).preflight, BrokerageWorkload(load).prepare):
            with pytest.raises(DatabaseUnsuitable, match=f"a schema {theirs.schema} that DomTune did not create"):
                step(tables.session)
        assert tables.session.rows(theirs.named("SELECT theirs FROM @.trade")) == []
    finally:
        tables.session.execute(theirs.named("DROP TABLE @.trade"))
        tables.session.execute(f"DROP {create} {theirs.schema}")


def test_serialization_failures_are_repeated_counted_and_leave_the_conditions_whole(database):
    """Four users with one broker above READ COMMITTED: what the server asks to repeat comes by itself."""
    parameters = {**small(KIND).parameters, "isolation": "repeatable-read"}
    pool = database.pool(LoadSpec(KIND, users=4, parameters=parameters))
    try:
        pool.preflight()
        pool.prepare(KIND)
        pool.start(KIND)
        seconds = [*working(pool, 2), *retried(pool)]
        check = pool.stop()
    finally:
        pool.close()
    assert sum(second.count for second in seconds) > 0
    assert check.passed, check.text
    for second in seconds:
        apart = sum(sum(times.values()) for sort, times in second.sorts.items() if "," in sort)
        assert sum(sum(times.values()) for times in second.sorts.values()) - apart == second.count


def test_deadlocks_and_locks_that_last_too_long_are_repeated(maria):
    pool = maria.pool(maria.load(KIND))
    schema = brokerage_size(small(KIND).values).schema
    try:
        pool.preflight()
        pool.prepare(KIND)
        maria.ask(
            f"CREATE TRIGGER {schema}.fail BEFORE INSERT ON {schema}.trade_history FOR EACH ROW IF rand() < 0.1 THEN"
            " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; ELSEIF rand() < 0.1 THEN"
            " SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205; END IF"
        )
        pool.start(KIND)
        assert retried(pool)
        check = pool.stop()
        assert check.passed, check.text
    finally:
        pool.close()
        maria.ask(f"DROP TRIGGER {schema}.fail")
