"""Loads of two guests on two real databases: users where they belong, seconds and checks of both, deaths by name."""

import contextlib
import os
import signal

import pytest

from scheduler.errors import MemberDied
from scheduler.loads.load_registry import open_loads
from scheduler.model.guests import LoadedGuests
from scheduler.model.plan_file import parse_plan
from scheduler.model.split import GUEST, GUEST_2
from scheduler.run.load_set import LoadSet
from scheduler.studies.isolation.plan import plan_guest_members
from tests import apart
from tests.contract.loads_contract import assert_without_gaps, wait_until
from tests.contract.postgres_fixture import facts_of, running_server
from tests.contract.test_mix_on_postgresql import seconds_with_work

KINDS = ("osdb-ir", "osdb-oltp")
PLAN = 'host = "local:"\nstudy = "isolation"\n' + "".join(
    f'[[load]]\nkind = "{kind}"\nusers = 2\ntuples = 2000\n' for kind in KINDS
)
SPEC = parse_plan(PLAN)
BOTH = plan_guest_members(SPEC, LoadedGuests.BOTH)


@pytest.fixture(scope="module")
def other():
    """The second guest's server, as slow as the first one's."""
    with running_server() as found, apart.slowed(found.server.pid, 0.15):
        yield found


@pytest.fixture
def loads(database, other):
    made = open_loads(SPEC, facts_of(), database.url, {**database.secrets, **other.secrets}, guest_2_url=other.url)
    with contextlib.closing(made):
        made.preflight()
        yield made


def users_on(server):
    return server.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'domtune % user %'")


def test_users_are_where_they_belong_and_each_database_is_checked(loads, database, other):
    running = LoadSet(loads)
    for loaded, users in ((LoadedGuests.FIRST, (2, 0)), (LoadedGuests.SECOND, (0, 2)), (LoadedGuests.BOTH, (2, 2))):
        running.begin(plan_guest_members(SPEC, loaded))
        found = seconds_with_work(running)
        assert [member.guest for member in found] == list(loaded.guests)
        for seconds in found.values():
            assert_without_gaps(seconds)
        assert (users_on(database), users_on(other)) == users
        checks = running.stop()
        assert [member.guest for member, _ in checks] == list(loaded.guests)
        assert all(check.passed for _, check in checks), checks
        running.forget()


def test_killed_user_voids_the_trial_by_name_and_the_next_one_begins_again(loads):
    running = LoadSet(loads)
    running.begin(BOTH)
    seconds_with_work(running)
    os.kill(loads.pids[-1], signal.SIGKILL)
    with pytest.raises(MemberDied, match="OLTP of the second guest: user 1 of osdb-oltp died"):
        wait_until(lambda: running.poll() is None, "a death")
    running.forget()
    running.begin(BOTH)
    seconds_with_work(running)
    assert all(check.passed for _, check in running.stop())


def test_plan_that_names_both_databases_has_each_guests_users_on_its_own(database, other):
    named = PLAN.replace("[[load]]", f'second_database = "{other.url}"\n[[load]]', 1)
    spec = parse_plan(named.replace("tuples = 2000", f'tuples = 2000\ndatabase = "{database.url}"'))
    with contextlib.closing(open_loads(spec, facts_of(), "", {**database.secrets, **other.secrets})) as made:
        made.preflight()
        places = {key.guest: side._databases for key, side in made._sides.items()}
    for guest, kind, server in ((GUEST, KINDS[0], database), (GUEST_2, KINDS[1], other)):
        params = places[guest][kind].params
        assert {place in server.url for place in (params["host"], params["port"])} == {True}
