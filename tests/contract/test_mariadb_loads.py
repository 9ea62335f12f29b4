"""The osdb loads obey the laws of loads on a real MariaDB, too, and end with the same figures as on PostgreSQL."""

from pathlib import Path

import pytest

from scheduler.databases.mariadb import database as databases
from scheduler.errors import DatabaseUnsuitable, LoadDied
from scheduler.loads.osdb.osdb_schema import BACKUP, RELATIONS, TINY
from scheduler.loads.tables.table_set import MARKER
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from tests import volume
from tests.contract.loads_contract import retried, seconds_of, wait_until
from tests.contract.mariadb_fixture import KINDS
from tests.contract.osdb_contract import OsdbContract
from tests.contract.postgres_fixture import TUPLES

SUMS = (
    "SELECT count(*), sum(col_key), sum(col_signed), sum(col_double), sum(col_decim), count(DISTINCT col_code),"
    " min(col_code), max(col_name), count(DISTINCT col_address) FROM @.{table}"
)
OSDB = ("osdb-ir", "osdb-oltp")
TABLES = ("uniques", "hundred", "tenpct", "updates", "updates_backup")


class TestOsdbLoadsOnMariadb(OsdbContract):
    # Each server that runs tpch loads its tables first, for seconds: test_tpch_on_mariadb has one that does.
    kinds = KINDS if volume.deep() else tuple(kind for kind in KINDS if kind != "tpch")

    if not volume.deep():  # laws of the crew, whatever its users speak to: PostgreSQL's hold them, too
        test_users_parked_before_their_first_operation_go_on_later = None
        test_first_whole_second_after_they_go_on_is_reported = None

    @staticmethod
    def sorts(kinds):
        """Return the kinds that only MariaDB runs; PostgreSQL's tests hold what any server's users do."""
        return [kind for kind in kinds if LOAD_KINDS[kind].engine]

    @pytest.fixture
    def loads(self, maria):
        pool = maria.pool()
        yield pool
        pool.close()

    def test_committed_updates_of_the_whole_run_are_in_the_table(self, running, maria):
        loads = running("osdb-oltp")
        seconds = seconds_of(loads, 1)
        check = loads.stop()
        (grown,) = maria.ask("SELECT sum(col_signed) FROM @.updates")[0]
        assert check.passed
        assert check.text == f"{grown} committed, sum(signed) grew by {grown}"
        assert grown >= sum(second.count for second in seconds)  # warm-up and tail come on top

    def test_data_are_those_of_postgresql(self, loads, maria, database):
        other = database.pool(LoadSpec("osdb-ir", users=1, tuples=TUPLES))
        for pool in (loads, other):
            pool.preflight()
            pool.prepare("osdb-ir")
        other.close()
        for table in TABLES:
            ours, theirs = (
                where.ask(SUMS.format(table=table).replace("min(col_code)", low))
                for where, low in ((maria, "min(col_code)"), (database, 'min(col_code COLLATE "C")'))
            )
            assert list(map(str, map(plain, ours[0]))) == list(map(str, map(plain, theirs[0]))), table

    def test_each_block_starts_from_the_same_rows(self, running, maria):
        state = "SELECT * FROM @.updates ORDER BY col_key"
        loads = running("osdb-oltp")
        seconds_of(loads, 1)
        loads.stop()
        changed = maria.ask(state)
        loads.prepare("osdb-ir")
        assert maria.ask(state) == maria.ask(state.replace("updates", "updates_backup")) != changed
        constraints = (  # other loads' tables have theirs on the same server
            "SELECT count(*) FROM information_schema.referential_constraints"
            " WHERE concat(constraint_schema, '.') = '@.'"
        )
        assert maria.value(constraints) == 1

    def test_foreign_writer_makes_the_check_fail(self, running, maria):
        loads = running("osdb-oltp")
        maria.ask("UPDATE @.updates SET col_decim = col_decim + 1 WHERE col_key = 5")
        assert not loads.stop().passed

    def test_missing_rows_are_counted_as_misses(self, running, maria):
        loads = running("osdb-ir")
        maria.ask("SET STATEMENT foreign_key_checks=0 FOR DELETE FROM @.updates WHERE col_key > 9")
        seconds_of(loads, 1)
        check = loads.stop()
        assert not check.passed
        assert "missed their row" in check.text

    def test_server_error_ends_the_load_with_the_servers_words(self, running, maria):
        loads = running("osdb-oltp")
        maria.ask("RENAME TABLE @.updates TO @.elsewhere")
        try:
            with pytest.raises(LoadDied, match=r"Table 'domtune_osdb_2000.updates' doesn't exist \(error 1146\)"):
                wait_until(lambda: loads.poll() is None, "an error")
        finally:
            maria.ask("RENAME TABLE @.elsewhere TO @.updates")

    def test_lost_connection_ends_the_load(self, running, maria):
        loads = running("osdb-ir")
        kill_others(maria)
        with pytest.raises(LoadDied, match="connection broke"):
            wait_until(lambda: loads.poll() is None, "an error")

    def test_deadlocks_and_locks_that_last_too_long_are_repeated(self, running, maria):
        loads = running("osdb-oltp")
        # One-row updates cannot deadlock; a trigger can say so in the server's place.
        maria.ask(
            "CREATE TRIGGER @.fail BEFORE UPDATE ON @.updates FOR EACH ROW IF rand() < 0.02 THEN"
            " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; ELSEIF rand() < 0.02 THEN"
            " SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205; END IF"
        )
        try:
            assert retried(loads)
            assert loads.stop().passed
        finally:
            maria.ask("DROP TRIGGER @.fail")

    def test_users_hold_no_password_in_sight(self, running, maria):
        loads = running("osdb-ir")
        for pid in loads.pids:
            seen = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
            assert maria.server.password.encode() not in seen

    def test_loaded_data_are_used_again_and_half_loaded_or_of_another_engine_are_not(self, loads, maria):
        made = (
            "SELECT create_time, engine FROM information_schema.tables"
            " WHERE table_name = 'uniques' AND concat(table_schema, '.') = '@.'"
        )
        loads.preflight()
        loads.prepare("osdb-ir")
        first = maria.ask(made)
        loads.prepare("osdb-ir")
        assert maria.ask(made) == first
        loads.close()
        other = maria.pool(maria.load("osdb-ir", parameters={"engine": "aria"}))
        other.preflight()
        other.prepare("osdb-ir")
        assert [row[1] for row in maria.ask(made)] == ["Aria"]
        maria.ask("UPDATE @.domtune_marker SET value = 'begun' WHERE name = 'state'")
        maria.ask("CREATE TABLE @.notes (answer INT)")
        other.prepare("osdb-ir")
        other.close()
        tables = maria.ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'domtune_osdb_2000'")
        assert {row[0] for row in tables} == {*RELATIONS, TINY, BACKUP, MARKER, "notes"}
        maria.ask("DROP TABLE @.notes")

    @pytest.mark.parametrize("engine", ["myisam", "aria"])
    def test_engines_without_transactions_pass_the_same_checks(self, maria, engine):
        pool = maria.pool(*(maria.load(kind, parameters={"engine": engine}) for kind in OSDB))
        try:
            pool.preflight()
            assert any(f"engine {engine}" in sentence for sentence in pool.differences())
            for kind in OSDB:
                pool.prepare(kind)
            pool.start("osdb-oltp")
            seconds_of(pool, 1)
            assert pool.stop().passed
        finally:
            pool.close()

    def test_two_sweeps_do_not_share_tables(self, loads, maria, monkeypatch):
        monkeypatch.setattr(databases, "_LOCK_WAIT_S", 0.2)
        loads.preflight()
        second = maria.pool()
        try:
            with pytest.raises(DatabaseUnsuitable, match="another sweep is using"):
                second.preflight()
        finally:
            second.close()

    def test_broken_connection_is_made_again(self, loads, maria):
        loads.preflight()
        kill_others(maria)
        loads.prepare("osdb-ir")
        loads.start("osdb-ir")
        assert loads.stop().passed


def plain(value: object) -> object:
    """Return a value as both drivers give it: sums are integers on one and decimals on the other."""
    return value.strip() if isinstance(value, str) else int(value)


def kill_others(maria) -> None:
    """Cut every connection but the one that says so."""
    with maria.session() as cursor:
        cursor.execute("SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND user = 'domtune'")
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")
