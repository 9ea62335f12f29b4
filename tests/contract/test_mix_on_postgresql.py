"""Laws of a mix on a real PostgreSQL: real users of two loads at once, each with tables and a check of its own."""

import os
import signal
import time

import msgspec
import pytest

from scheduler.errors import MemberDied
from scheduler.loads.osdb.osdb_schema import OsdbTables
from scheduler.model.load_name import LoadName
from scheduler.model.member import Member
from scheduler.run.load_set import LoadSet
from tests.contract.loads_contract import wait, wait_until
from tests.contract.postgres_fixture import TUPLES, small
from tests.killing import has_ended

NOON = (LoadName("osdb-ir", "noon"), LoadName("osdb-oltp", "noon"))
MEMBERS = tuple(Member(name, users=2) for name in NOON)
SHARED, OWN = OsdbTables(TUPLES), OsdbTables(TUPLES, "osdb-oltp")


def noon(kind: str):
    return msgspec.structs.replace(small(kind), mix="noon")


@pytest.fixture
def pool(database):
    made = database.pool(noon("osdb-ir"), noon("osdb-oltp"))
    made.preflight()
    yield made
    made.close()


@pytest.fixture
def running(pool):
    made = LoadSet(pool.loads)
    made.begin(MEMBERS)
    return made


def seconds_with_work(running: LoadSet) -> dict[Member, dict[int, int]]:
    """Return each member's seconds to their counts, until one was complete in which all worked."""
    found: dict[Member, dict[int, int]] = {member: {} for member in running.members}
    end_s = time.monotonic() + 30.0
    first = found[running.members[0]]
    while not any(all(counts.get(second) for counts in found.values()) for second in first):
        assert time.monotonic() < end_s, f"no second with work of all: {found}"
        wait(1.05 - time.monotonic() % 1.0)
        for member, second in running.poll():
            found[member][second.second] = second.count
    return found


def signed(database, tables: OsdbTables) -> int:
    return int(database.ask(tables.at("SELECT sum(col_signed) FROM @.updates"))[0][0])


def test_two_loads_work_at_once_and_each_check_counts_its_own_rows(running, pool, database):
    before = signed(database, SHARED)
    assert len(pool.pids) == 4
    seconds_with_work(running)
    running.park()
    running.unpark()
    seconds_with_work(running)
    checks = {member.load: check for member, check in running.stop()}
    assert [name for name, check in checks.items() if check.passed] == list(NOON)
    own = signed(database, OWN)
    assert checks[NOON[0]].text.endswith("rows read, updates unchanged")
    assert signed(database, SHARED) == before
    assert own > 0
    assert checks[NOON[1]].text == f"{own} committed, sum(signed) grew by {own}"


def test_rows_changed_behind_a_members_back_fail_its_check_alone(running, database):
    database.ask(OWN.at("UPDATE @.updates SET col_signed = col_signed + 1 WHERE col_key = 5"))
    checks = {member.load: check for member, check in running.stop()}
    assert (checks[NOON[0]].passed, checks[NOON[1]].passed) == (True, False)


def test_death_of_one_ends_all_with_its_name(running, pool):
    pids = pool.pids
    os.kill(pids[-1], signal.SIGKILL)
    with pytest.raises(MemberDied, match=r"OLTP in noon: user 1 of osdb-oltp died"):
        wait_until(lambda: running.poll() is None, "an error")
    wait_until(lambda: all(has_ended(pid) for pid in pids), "the end of all users")
    running.forget()
    running.begin(MEMBERS)  # and all begin anew
    seconds_with_work(running)
    assert all(check.passed for _, check in running.stop())


def test_mix_reports_in_every_report_what_runs_together(pool):
    reported = " ".join(pool.differences())
    assert "noon: 2 users of IR and 2 users of OLTP work at the same time" in reported
    assert "In a mix, osdb-oltp changes rows that no other load uses" in reported
