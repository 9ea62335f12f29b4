"""A load on two real databases: the users work on the side of their route; different sides are not compared."""

import contextlib

import pytest

from scheduler.errors import SpecError
from scheduler.loads.load_registry import open_loads
from scheduler.model.member import Member, Route
from scheduler.model.plan_file import parse_plan
from scheduler.run.load_set import LoadSet
from tests import apart
from tests.contract.postgres_fixture import facts_of, running_server
from tests.contract.test_mix_on_postgresql import seconds_with_work

KIND = "osdb-ir"
PLAN = 'host = "local:"\nstudy = "overhead"\nbase = "{base}"\n[[load]]\nkind = "osdb-ir"\nusers = 2\ntuples = 2000\n'
STUDIED, REFERENCE = (Member(KIND, route=route, users=2) for route in Route)


@pytest.fixture(scope="module")
def other():
    """A second server, as a base elsewhere is, as slow as the first one."""
    with running_server() as found, apart.slowed(found.server.pid, 0.15):
        yield found


@contextlib.contextmanager
def paired(database, other):
    spec = parse_plan(PLAN.format(base=other.url))
    loads = open_loads(spec, facts_of(), database.url, {**database.secrets, **other.secrets})
    with contextlib.closing(loads):
        loads.preflight()
        yield LoadSet(loads)


def users_on(server):
    return server.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'domtune % user %'")


def test_users_are_where_their_route_leads_and_both_sides_are_checked(database, other):
    with paired(database, other) as running:
        for member, used, idle in ((REFERENCE, other, database), (STUDIED, database, other)):
            running.begin((member,))
            seconds_with_work(running)
            assert (users_on(used), users_on(idle)) == (2, 0)
            ((checked, check),) = running.stop()
            assert checked == member
            assert check.text.endswith("rows read, updates unchanged"), "nothing else differs"
            assert check.passed
            running.forget()


def test_sides_with_different_settings_are_refused_with_both_values(database, other):
    other.ask("ALTER SYSTEM SET work_mem = '5MB'")
    other.ask("SELECT pg_reload_conf()")
    try:
        with (
            paired(database, other) as running,
            pytest.raises(SpecError, match=r"work_mem is 5MB on the base and") as no,
        ):
            running.begin((REFERENCE,))
        assert "set the same settings on both" in no.value.hint
    finally:
        other.ask("ALTER SYSTEM RESET work_mem")
        other.ask("SELECT pg_reload_conf()")
