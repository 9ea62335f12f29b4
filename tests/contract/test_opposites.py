"""Bulk and compute on real databases: answers that are known, a check that can fail, tables that are ours alone."""

import contextlib
from importlib import import_module

import msgspec
import pytest

from scheduler.databases.database_registry import open_database
from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.synthetic.numbered_table import TABLE_NAME, table_for_load
from scheduler.loads.tables.table_set import MARKER
from scheduler.loads.user_messages import BeginOrder, UserTotals
from scheduler.model.load_kinds import LOAD_KINDS
from tests.contract.postgres_fixture import small

pytestmark = pytest.mark.shared_server("maria")
LOADS = ("bulk", "compute")
HARM = {"bulk": "UPDATE @.{} SET payload = concat('x', substr(payload, 2)) WHERE number = 500", "compute": None}
LOSS = "DELETE FROM @.{} WHERE number = 500"


class World:
    """A prepared table, a session that looks, and a user in this process."""

    def __init__(self, kind: str, session) -> None:
        self.session = session
        least = {} if kind == "bulk" else {"rows": 1_000}
        self.load = msgspec.structs.replace(small(kind), parameters={**small(kind).parameters, **least})
        self.table = table_for_load(kind, self.load.values)
        self.workload = import_module(LOAD_KINDS[kind].workload).open_workload(self.load)
        self.workload.preflight(session)
        self.workload.prepare(session)
        begin = BeginOrder(
            session.params, kind, self.load.tuples, 1, 0, parameters=self.load.values, database=session.database
        )
        self.ask = import_module(LOAD_KINDS[kind].operation).connect_user(begin)

    def answers(self, many: int) -> UserTotals:
        """Ask so often; return what a user would tell."""
        right = [self.ask(lambda: None) for _ in range(many)]
        return UserTotals(sum(right), right.count(0), 0)

    def change(self, statement: str) -> None:
        assert self.session.execute(self.table.at(statement.format(TABLE_NAME))) > 0


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def session(request):
    server = request.getfixturevalue("maria" if request.param == "mariadb" else "database")
    with contextlib.closing(open_database(server.url, server.server.password)) as database:
        yield database.session()


@pytest.mark.parametrize("kind", LOADS)
def test_all_answers_are_known_and_lost_or_changed_rows_fail_the_check_and_are_made_again(kind: str, session):
    world = World(kind, session)
    totals = world.answers(20)
    assert (totals.tuples, totals.misses) == (20, 0)
    good = world.workload.check(session, totals)
    assert good.passed, good.text
    for harm in filter(None, (HARM[kind], LOSS)):
        world.change(harm)
        bad = world.workload.check(session, UserTotals(20, 0, 0))
        assert not bad.passed
        assert f"the table held {world.table.held()}, now " in bad.text
        if harm == LOSS:
            totals = world.answers(20)
            assert totals.misses > 0
            assert f"{totals.misses} operations had another answer" in world.workload.check(session, totals).text
        world.workload.prepare(session)
        assert world.workload.check(session, world.answers(20)).passed


@pytest.mark.parametrize("kind", LOADS)
def test_schema_of_another_else_is_neither_used_nor_changed(kind: str, session):
    world = World(kind, session)
    assert session.tables(world.table.schema) == {TABLE_NAME, MARKER}
    world.change("UPDATE @.domtune_marker SET value = 'theirs' WHERE name = 'tool'")
    try:
        with pytest.raises(DatabaseUnsuitable, match=f"a schema {world.table.schema} that DomTune did not create"):
            world.workload.preflight(session)
        assert world.workload.check(session, world.answers(3)).passed
    finally:
        world.change("UPDATE @.domtune_marker SET value = 'domtune' WHERE name = 'tool'")
