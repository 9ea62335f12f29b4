"""The osdb loads obey the laws of loads, and their own: real users on a real PostgreSQL."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.databases.postgresql import database as databases
from scheduler.errors import DatabaseUnsuitable, LoadDied
from scheduler.loads import second_merger, user_pool
from scheduler.loads.osdb.osdb_schema import BACKUP, RELATIONS, TINY
from scheduler.loads.tables.table_set import MARKER
from scheduler.model.load import LoadSpec
from tests.contract.loads_contract import retried, seconds_of, seconds_until, wait_until, working
from tests.contract.osdb_contract import OsdbContract
from tests.contract.postgres_fixture import KINDS, TUPLES
from tests.killing import has_ended

# A core that dies: it starts users, says who they are, and waits to be killed.
VICTIM = """
import json, sys
from tests.contract.postgres_fixture import facts_of, spec_of
from tests.one_load import open_pool
from scheduler.model.load import LoadSpec
url, secret = json.loads(sys.stdin.readline())
pool = open_pool(spec_of(LoadSpec("osdb-oltp", users=3, tuples=2000)), facts_of(), url, {url: secret})
pool.preflight()
pool.prepare("osdb-oltp")
pool.start("osdb-oltp")
print(json.dumps(pool.pids), flush=True)
sys.stdin.read()
"""


class TestOsdbLoads(OsdbContract):
    kinds = KINDS

    @pytest.fixture
    def loads(self, database):
        pool = database.pool()
        yield pool
        pool.close()

    def test_committed_updates_of_the_whole_run_are_in_the_table(self, running, database):
        loads = running("osdb-oltp")
        seconds = seconds_of(loads, 2)
        check = loads.stop()
        (grown,) = database.ask("SELECT sum(col_signed) FROM @.updates")[0]
        assert check.passed
        assert check.text == f"{grown} committed, sum(signed) grew by {grown}"
        assert grown >= sum(second.count for second in seconds)  # warm-up and tail come on top

    def test_each_block_starts_from_the_same_rows_in_key_order(self, running, database):
        state = "SELECT md5(string_agg(u::text, ',' ORDER BY ctid)) FROM @.updates u"
        loads = running("osdb-oltp")
        seconds_of(loads, 1)
        loads.stop()
        changed = database.ask(state)
        loads.prepare("osdb-ir")
        restored = database.ask(state)
        keys = database.ask("SELECT col_key FROM @.updates ORDER BY ctid")
        assert changed != restored
        assert keys == sorted(keys)
        loads.prepare("osdb-ir")
        assert database.ask(state) == restored

    def test_foreign_writer_makes_the_check_fail(self, running, database):
        changes = {
            "osdb-ir": "UPDATE @.updates SET col_signed = 0 WHERE col_key = 5",
            "osdb-oltp": "UPDATE @.updates SET col_decim = col_decim + 1 WHERE col_key = 5",
        }
        for kind, change in changes.items():
            loads = running(kind)
            seconds_of(loads, 1)
            database.ask(change)
            assert not loads.stop().passed

    def test_missing_rows_are_counted_as_misses(self, running, database):
        loads = running("osdb-ir")
        database.ask("DELETE FROM @.updates WHERE col_key BETWEEN 500 AND 1500")
        seconds_of(loads, 1)
        check = loads.stop()
        assert not check.passed
        assert "missed their row" in check.text

    def test_server_error_ends_the_load_with_the_servers_words(self, running, database):
        loads = running("osdb-oltp")
        database.ask("ALTER TABLE @.updates RENAME TO elsewhere")
        try:
            with pytest.raises(LoadDied, match=r'relation "domtune_osdb_2000.updates" does not exist'):
                wait_until(lambda: loads.poll() is None, "an error")
        finally:
            database.ask("ALTER TABLE @.elsewhere RENAME TO updates")

    def test_lost_connection_ends_the_load(self, running, database):
        loads = running("osdb-ir")
        users = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'domtune osdb-ir user%'"
        )
        database.ask(users)
        with pytest.raises(LoadDied, match="connection broke"):
            wait_until(lambda: loads.poll() is None, "an error")

    def test_deadlocks_and_serialization_failures_are_repeated(self, running, database):
        loads = running("osdb-oltp")
        # A second transaction that holds rows in the wrong order cannot deadlock one-row updates; a trigger can
        # say so in the server's place.
        database.ask(
            "CREATE FUNCTION @.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF random() < 0.01 THEN"
            " RAISE EXCEPTION 'as asked for' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$"
        )
        database.ask("CREATE TRIGGER fail BEFORE UPDATE ON @.updates FOR EACH ROW EXECUTE FUNCTION @.fail()")
        try:
            assert retried(loads)
            assert loads.stop().passed
        finally:
            database.ask("DROP FUNCTION @.fail CASCADE")

    def test_blocked_users_still_report_and_park_when_they_can(self, running, database, monkeypatch):
        monkeypatch.setattr(user_pool, "_PARK_S", 0.3)
        loads = running("osdb-oltp")
        with database.session() as connection, connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE domtune_osdb_2000.updates")
            blocked = seconds_of(loads, 3)[-1]
            assert (blocked.count, blocked.missing_users) == (0, 0)
            loads.park()
            cursor.execute("COMMIT")
        loads.unpark()
        assert working(loads)
        assert loads.stop().passed

    def test_user_who_waits_for_ever_ends_the_load(self, running, database, monkeypatch):
        monkeypatch.setattr(user_pool, "_STUCK_S", 1.0)
        loads = running("osdb-oltp")
        with database.session() as connection, connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE domtune_osdb_2000.updates")
            with pytest.raises(LoadDied, match=r"has waited \d+ s for one answer"):
                seconds_of(loads, 6)
            cursor.execute("COMMIT")

    def test_stopped_user_process_is_counted_as_missing(self, running, monkeypatch):
        monkeypatch.setattr(second_merger, "GRACE_S", 1.0)
        loads = running("osdb-ir")
        seconds_of(loads, 1)
        os.kill(loads.pids[0], signal.SIGSTOP)
        assert seconds_of(loads, 3)[-1].missing_users == 1
        os.kill(loads.pids[0], signal.SIGCONT)
        assert loads.stop().passed

    def test_users_hold_no_password_in_sight_and_stay_on_their_cpus(self, database):
        (last,) = list(os.sched_getaffinity(0))[-1:]
        pool = database.pool(client_cpus=(last,))
        try:
            pool.preflight()
            pool.prepare("osdb-ir")
            pool.start("osdb-ir")
            for pid in pool.pids:
                seen = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
                assert database.server.password.encode() not in seen
                assert os.sched_getaffinity(pid) == {last}
                assert os.getsid(pid) == pid
        finally:
            pool.close()

    def test_no_user_outlives_the_pool(self, running):
        loads = running("osdb-ir")
        pids = loads.pids
        assert len(pids) == 2
        loads.close()
        assert all(has_ended(pid) for pid in pids)

    def test_no_user_outlives_a_killed_parent(self, database):
        victim = subprocess.Popen([sys.executable, "-c", VICTIM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with victim:
            victim.stdin.write(json.dumps([database.url, database.server.password]).encode() + b"\n")
            victim.stdin.flush()
            pids = json.loads(victim.stdout.readline())
            assert not any(has_ended(pid) for pid in pids)
            victim.kill()
            wait_until(lambda: all(has_ended(pid) for pid in pids), "the end of all users", 5.0)

    def test_probe_reader_is_counted_by_itself(self, database):
        pool = database.pool(LoadSpec("osdb-oltp", users=2, tuples=TUPLES, probe=True))
        try:
            pool.preflight()
            pool.prepare("osdb-oltp")
            pool.start("osdb-oltp")
            assert len(pool.pids) == 3
            assert seconds_until(pool, lambda found: any(each.probe_count for each in found), "a reading of the probe")
            assert pool.stop().passed
        finally:
            pool.close()

    def test_loaded_data_are_used_again_and_half_loaded_are_not(self, running, database):
        numbers = "SELECT relname, relfilenode FROM pg_class WHERE oid = '@.uniques'::regclass"
        running("osdb-ir").stop()
        first = database.ask(numbers)
        running("osdb-ir").stop()
        assert database.ask(numbers) == first
        database.ask("UPDATE @.domtune_marker SET value = 'begun' WHERE name = 'state'")
        running("osdb-ir").stop()
        assert database.ask(numbers) != first
        tables = database.ask("SELECT tablename FROM pg_tables WHERE schemaname || '.' = '@.'")
        assert {row[0] for row in tables} == {*RELATIONS, TINY, BACKUP, MARKER}

    def test_two_sweeps_do_not_share_tables(self, loads, database, monkeypatch):
        monkeypatch.setattr(databases, "_LOCK_WAIT", "200ms")
        loads.preflight()
        second = database.pool()
        try:
            with pytest.raises(DatabaseUnsuitable, match="another sweep is using"):
                second.preflight()
        finally:
            second.close()
