"""The tables of order entry on real databases: what breaks a condition, whose tables are touched, what is repeated."""

import re

import pytest

from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.order_entry import conditions, inputs
from scheduler.loads.order_entry.inputs import OrderEntryTerminal, OrderLine, PaymentInput
from scheduler.loads.order_entry.order_entry_workload import OrderEntryWorkload
from scheduler.loads.order_entry.size import OrderEntrySize, order_entry_size
from scheduler.loads.tables.table_set import COPY, MARKER
from scheduler.loads.tables.table_workload import restore_tables
from scheduler.loads.user_messages import UserTotals
from scheduler.model.load import LoadSpec
from tests.contract.loads_contract import retried, working
from tests.contract.order_entry_world import KIND, World, opened, order
from tests.contract.postgres_fixture import small

pytestmark = pytest.mark.shared_server("maria")


@pytest.fixture(params=["postgresql", "mariadb"])
def tables(request):
    """Laws of the tables hang on the database, not on how its users speak to it."""
    with opened(request.param, request) as found:
        yield found


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


def test_each_condition_fails_by_name_when_a_row_is_tampered_with(tables: World):
    assert list(BREAKING) == [condition.number for condition in conditions.CONDITIONS]
    for number, statement in BREAKING.items():
        tables.change(statement)
        check = tables.workload.check(tables.session, UserTotals(0, 0, 0))
        assert not check.passed
        assert re.search(rf"condition {number} \([^)]+\) fails for warehouse 1\S* .* against ", check.text), number
        restore_tables(tables.session, tables.workload.tables(tables.session))
        assert tables.workload.check(tables.session, UserTotals(0, 0, 0)).passed


def test_users_who_report_another_number_than_the_tables_hold_are_distinguished(tables: World):
    tables.run(order(OrderLine(1, 5, 3)), PaymentInput(1, 4, 1, 2, 5, "", 100))
    said = {inputs.NEW_ORDER: 1, inputs.PAYMENT: 1}
    right = tables.workload.check(tables.session, UserTotals(2, 0, 0, sorts=said))
    assert right.passed
    assert right.text.startswith("districts have 1 more orders, history has 1 more payments; conditions 1, 2,")
    for sort, words in ((inputs.NEW_ORDER, "committed 2 new orders"), (inputs.PAYMENT, "committed 2 payments")):
        wrong = tables.workload.check(tables.session, UserTotals(3, 0, 0, sorts={**said, sort: 2}))
        assert not wrong.passed
        assert words in wrong.text


def test_each_block_begins_with_the_rows_that_were_loaded(tables: World):
    before = tables.state()
    drawn = OrderEntryTerminal(tables.size, 1, "any").inputs()
    tables.run(*(next(drawn) for _ in range(30)))
    assert tables.state() != before
    tables.workload.prepare(tables.session)
    assert tables.state() == before


def test_rows_are_used_again_but_not_half_loaded_damaged_or_of_another_size(tables: World):
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
    assert tables.session.tables(tables.size.schema) == {*tables.workload.tables(tables.session).names, MARKER}


def test_schema_of_another_else_is_neither_used_nor_changed(tables: World):
    theirs = OrderEntrySize(7, 30, 100)
    create = "SCHEMA" if tables.database == "postgresql" else "DATABASE"
    tables.session.execute(f"CREATE {create} {theirs.schema}")
    try:
        tables.session.execute(theirs.named("CREATE TABLE @.stock (theirs int)"))
        load = LoadSpec(
            KIND, users=2, database=tables.server.url, parameters={**tables.load.parameters, "warehouses": 7}
        )
        for step in (OrderEntryWorkload(load).preflight, OrderEntryWorkload(load).prepare):
            with pytest.raises(DatabaseUnsuitable, match=f"a schema {theirs.schema} that DomTune did not create"):
                step(tables.session)
        assert tables.session.rows(theirs.named("SELECT theirs FROM @.stock")) == []
    finally:
        tables.session.execute(theirs.named("DROP TABLE @.stock"))
        tables.session.execute(f"DROP {create} {theirs.schema}")


def test_serialization_failures_are_repeated_counted_and_leave_the_conditions_whole(database):
    """Two users with one warehouse above READ COMMITTED: what the server asks to repeat comes by itself."""
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
    parameters = small(KIND).parameters
    pool = maria.pool(LoadSpec(KIND, users=2, database=maria.url, parameters=parameters))
    schema = order_entry_size(small(KIND).values).schema
    try:
        pool.preflight()
        pool.prepare(KIND)
        maria.ask(
            f"CREATE TRIGGER {schema}.fail BEFORE INSERT ON {schema}.order_line FOR EACH ROW IF rand() < 0.02 THEN"
            " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; ELSEIF rand() < 0.02 THEN"
            " SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205; END IF"
        )
        pool.start(KIND)
        assert retried(pool)
        check = pool.stop()
        assert check.passed, check.text
    finally:
        pool.close()
        maria.ask(f"DROP TRIGGER {schema}.fail")
