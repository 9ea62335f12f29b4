"""A load on two real databases: each side's users are where the side says, and different sides are not compared."""

import contextlib

import pytest

from scheduler.errors import SpecError
from scheduler.loads.load_registry import open_pair
from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import RunOptions
from tests import apart
from tests.contract.loads_contract import working
from tests.contract.postgres_fixture import facts_of, running_server

KIND = "osdb-ir"
PLAN = 'host = "local:"\nstudy = "overhead"\nbase = "{base}"\n[[load]]\nkind = "osdb-ir"\nusers = 2\ntuples = 2000\n'


@pytest.fixture(scope="module")
def other():
    """A second server, as a base elsewhere is, as slow as the first one."""
    with running_server() as found, apart.slowed(found.server.pid, 0.15):
        yield found


@contextlib.contextmanager
def paired(database, other):
    loads = open_pair(
        parse_plan(PLAN.format(base=other.url)), facts_of(), database.url, {**database.secrets, **other.secrets}
    )
    try:
        loads.preflight()
        yield loads
    finally:
        loads.close()


def users_on(server):
    return server.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'domtune % user %'")


def test_that_users_are_where_their_side_says_and_both_sides_are_checked(database, other):
    with paired(database, other) as loads:
        for base, used, idle in ((True, other, database), (False, database, other)):
            how = RunOptions(base=base)
            loads.prepare(KIND, how)
            loads.start(KIND, how)
            assert working(loads)
            assert (users_on(used), users_on(idle)) == (2, 0)
            assert loads.stop().passed
        assert loads.difference_notes == ()


def test_that_sides_with_different_settings_are_refused_with_both_values(database, other):
    other.ask("ALTER SYSTEM SET work_mem = '5MB'")
    other.ask("SELECT pg_reload_conf()")
    try:
        with paired(database, other) as loads, pytest.raises(SpecError, match=r"work_mem is 5MB on the base and") as no:
            loads.prepare(KIND, RunOptions(base=True))
        assert "set the same settings on both" in no.value.hint
    finally:
        other.ask("ALTER SYSTEM RESET work_mem")
        other.ask("SELECT pg_reload_conf()")
