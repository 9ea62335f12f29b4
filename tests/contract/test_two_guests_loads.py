"""Loads of two guests on two real databases: users where they belong, seconds and checks of both, deaths by name."""

import contextlib
import os
import signal

import pytest

from scheduler.errors import MemberDied
from scheduler.loads.load_registry import open_two_guests
from scheduler.model.guests import LoadedGuests
from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import RunOptions
from scheduler.model.split import GUEST, GUEST_2
from tests import apart
from tests.contract.loads_contract import assert_without_gaps, seconds_until, working
from tests.contract.postgres_fixture import facts_of, running_server

KINDS = ("osdb-ir", "osdb-oltp")
PLAN = 'host = "local:"\nstudy = "isolation"\n' + "".join(
    f'[[load]]\nkind = "{kind}"\nusers = 2\ntuples = 2000\n' for kind in KINDS
)
BOTH = RunOptions(guests=LoadedGuests.BOTH.guests)


@pytest.fixture(scope="module")
def other():
    """The second guest's server, as slow as the first one's."""
    with running_server() as found, apart.slowed(found.server.pid, 0.15):
        yield found


@pytest.fixture
def loads(database, other):
    urls = {GUEST: database.url, GUEST_2: other.url}
    made = open_two_guests(parse_plan(PLAN), facts_of(), urls, {**database.secrets, **other.secrets})
    with contextlib.closing(made):
        made.preflight()
        yield made


def start(loads, how):
    loads.prepare(KINDS[0], how)
    loads.start(KINDS[0], how)


def users_on(server):
    return server.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'domtune % user %'")


def test_that_users_are_where_they_belong_and_both_databases_are_checked(loads, database, other):
    for loaded, users in ((LoadedGuests.FIRST, (2, 0)), (LoadedGuests.SECOND, (0, 2)), (LoadedGuests.BOTH, (2, 2))):
        start(loads, RunOptions(guests=loaded.guests))
        seconds = working(loads, 2)
        assert_without_gaps(seconds)
        assert all(tuple(second.guests) == loaded.guests for second in seconds)
        assert (users_on(database), users_on(other)) == users
        check = loads.stop()
        assert check.passed, check.text
        assert ("the second guest:" in check.text) == (GUEST_2 in loaded.guests)


def test_that_a_killed_user_voids_the_trial_by_name_and_the_next_one_begins_anew(loads, other):
    start(loads, BOTH)
    assert working(loads)
    os.kill(loads._pools[GUEST_2].pids[0], signal.SIGKILL)
    with pytest.raises(MemberDied, match="the users of the second guest died"):
        seconds_until(loads, lambda _: False, "a death")
    start(loads, BOTH)
    assert working(loads)
    assert loads.stop().passed


def test_that_a_plan_that_names_both_databases_has_each_guests_users_on_its_own(database, other):
    named = PLAN.replace("[[load]]", f'neighbour_database = "{other.url}"\n[[load]]', 1)
    spec = parse_plan(named.replace("tuples = 2000", f'tuples = 2000\ndatabase = "{database.url}"'))
    with contextlib.closing(open_two_guests(spec, facts_of(), {}, {**database.secrets, **other.secrets})) as made:
        made.preflight()
        kinds = dict(zip((GUEST, GUEST_2), KINDS, strict=True))
        places = {guest: made._pools[guest]._databases[kind].params for guest, kind in kinds.items()}
    for guest, server in ((GUEST, database), (GUEST_2, other)):
        assert {place in server.url for place in (places[guest]["host"], places[guest]["port"])} == {True}
