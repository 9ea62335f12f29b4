"""TPC-B by pgbench itself on a real PostgreSQL: its own laws; test_osdb_loads has those of all loads."""

import os
import re
import signal
from pathlib import Path

import pytest

from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadDied, LoadError
from scheduler.loads.tpcb import pgbench_program, pgbench_tables
from scheduler.model.load import LoadSpec
from tests.contract.loads_contract import seconds_of, wait_until
from tests.contract.postgres_fixture import facts_of, small, spec_of
from tests.one_load import open_pool

KIND = "tpcb"
SCHEMA = pgbench_tables.pgbench_schema(1)


@pytest.fixture
def loads(database):
    pool = database.pool(small(KIND))
    yield pool
    pool.close()


@pytest.fixture
def running(loads):
    loads.preflight()
    loads.prepare(KIND)
    loads.start(KIND)
    return loads


def ask(database, query: str, schema: str = SCHEMA) -> list[tuple]:
    """Run a query; `$.` is the schema of our tables."""
    return database.ask(query.replace("$.", f"{schema}."))


def fails(loads, said: str, error: type[LoadError] = LoadDied) -> None:
    with pytest.raises(error, match=said):
        wait_until(lambda: loads.poll() is None, "an error")


def test_history_has_every_transaction_of_all_its_runs_and_the_lines_reported_them(running, database):
    counted = sum(second.count for second in seconds_of(running, 2))
    running.park()
    running.unpark()
    counted += sum(second.count for second in seconds_of(running, 1))
    check = running.stop()
    (rows,) = ask(database, "SELECT count(*) FROM $.pgbench_history")[0]
    assert check.passed, check.text
    assert check.text.startswith(f"{rows} transactions in history, all balances grew by ")
    assert counted <= rows


def test_version_and_deviations_name_pgbench_and_who_waits_for_whom(loads, database):
    versions = loads.preflight()
    assert re.fullmatch(r"1[89]\S*|[2-9]\d\S*", versions["pgbench"])
    reported = " ".join(loads.differences())
    assert f"not TPC-B, but the TPC-B-like script of pgbench {versions['pgbench']}" in reported
    assert "2 users share 1 branch:" in reported
    assert "no service times" in reported
    wide = database.pool(LoadSpec(KIND, users=2, parameters={"scale": 2}))
    assert "users share" not in " ".join(wide.differences())
    wide.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM $.pgbench_history WHERE ctid = '(0,1)'", "pgbench reports"),
        (
            "UPDATE $.pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 3",
            "branches, tellers and accounts",
        ),
    ],
)
def test_foreign_writer_makes_the_check_fail(running, database, change, said):
    ask(database, change)
    check = running.stop()
    assert not check.passed
    assert said in check.text


def test_tables_of_another_else_are_neither_used_nor_changed(loads, database):
    database.ask("CREATE TABLE public.pgbench_accounts AS SELECT 1 AS aid, 7 AS abalance")
    foreign = pgbench_tables.pgbench_schema(3)
    database.ask(f"CREATE SCHEMA {foreign}")
    database.ask(f"CREATE TABLE {foreign}.pgbench_history (theirs int)")
    other = database.pool(LoadSpec(KIND, users=2, parameters={"scale": 3}))
    try:
        with pytest.raises(DatabaseUnsuitable, match=f"a schema {foreign} that DomTune did not create"):
            other.preflight()
        other.close()
        loads.preflight()
        loads.prepare(KIND)
        loads.start(KIND)
        assert loads.stop().passed
        assert database.ask("SELECT aid, abalance FROM public.pgbench_accounts") == [(1, 7)]
        assert ask(database, "SELECT * FROM $.pgbench_history", foreign) == []
    finally:
        other.close()
        database.ask("DROP TABLE public.pgbench_accounts")
        database.ask(f"DROP SCHEMA {foreign} CASCADE")


def test_tables_are_used_again_and_damaged_ones_are_made_again(loads, database):
    def file_of_accounts():
        return ask(database, "SELECT relfilenode FROM pg_class WHERE oid = '$.pgbench_accounts'::regclass")

    loads.preflight()
    loads.prepare(KIND)
    first = file_of_accounts()
    loads.prepare(KIND)
    assert file_of_accounts() == first
    ask(database, "UPDATE $.pgbench_branches SET bbalance = bbalance + 1")
    loads.prepare(KIND)
    assert file_of_accounts() != first
    assert ask(database, "SELECT value FROM $.domtune_marker WHERE name = 'state'") == [("complete",)]


def test_server_error_ends_the_load_with_the_servers_words(running, database):
    ask(
        database,
        "CREATE FUNCTION $.no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION"
        " 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$",
    )
    make = "CREATE TRIGGER no_space BEFORE INSERT ON $.pgbench_history FOR EACH ROW EXECUTE FUNCTION $.no_space()"
    ask(database, make)
    try:
        fails(running, r"pgbench has ended unexpectedly \(status 2\); its last output: .*No space left on device")
    finally:
        ask(database, "DROP FUNCTION $.no_space CASCADE")


def test_lost_connection_of_one_user_ends_the_load(running, database):
    one = "SELECT pg_terminate_backend(min(pid)) FROM pg_stat_activity WHERE application_name = 'domtune tpcb'"
    database.ask(one)
    fails(running, r"pgbench has ended unexpectedly.*terminating connection")


def test_killed_pgbench_ends_the_load(running):
    os.kill(running.pids[1], signal.SIGKILL)
    fails(running, r"pgbench has ended unexpectedly \(signal 9\)")


def test_more_users_than_the_server_lets_in_are_reported_so(loads, database):
    loads.preflight()
    loads.prepare(KIND)
    loads.close()
    server = database.server
    database.ask(f"CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 2 IN ROLE \"{server.user}\"")
    url = f"postgresql://few@127.0.0.1:{server.port}/{server.database}"
    pool = open_pool(spec_of(small(KIND)), facts_of(), url, {url: "few"})
    try:
        pool.preflight()
        pool.prepare(KIND)
        with pytest.raises(DatabaseUnreachable, match="it has no connection left"):
            pool.start(KIND)
    finally:
        pool.close()
        database.ask("DROP ROLE few")


def test_it_holds_no_password_in_sight_and_stays_on_its_cpus(database):
    last = max(os.sched_getaffinity(0))
    pool = database.pool(small(KIND), client_cpus=(last,))
    try:
        pool.preflight()
        pool.prepare(KIND)
        pool.start(KIND)
        assert len(pool.pids) == 2
        for pid in pool.pids:
            seen = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
            assert database.server.password.encode() not in seen
            assert os.sched_getaffinity(pid) == {last}
    finally:
        pool.close()


def test_default_isolation_of_the_servers_makes_no_transaction_fail(loads, database):
    database.ask("ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'")
    try:
        loads.preflight()
        loads.prepare(KIND)
        loads.start(KIND)
        assert seconds_of(loads, 1)[0].errors == 0
        assert loads.stop().passed
    finally:
        database.ask("ALTER DATABASE postgres RESET default_transaction_isolation")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("echo 'pgbench (PostgreSQL) 15.4'", r"needs pgbench 17 or newer; .* reports pgbench \(PostgreSQL\) 15.4"),
        ("exit 1", "needs pgbench 17 or newer; .* reports nothing"),
        ("", "needs pgbench, and .* is not there"),
    ],
)
def test_pgbench_that_will_not_do_is_refused_before_anything_is_touched(loads, monkeypatch, tmp_path, said, told):
    class Binary:
        bin_dir = tmp_path

    if said:
        (tmp_path / "pgbench").write_text(f"#!/bin/sh\n{said}\n")
        (tmp_path / "pgbench").chmod(0o755)
    monkeypatch.setattr(pgbench_program, "find_server", lambda: Binary)
    with pytest.raises(LoadError, match=told) as refused:
        loads.preflight()
    assert refused.value.hint


def test_facts_report_where_it_runs(database):
    pool = database.pool(small(KIND), client_cpus=(1,))
    assert any("pgbench runs on CPU 1." in sentence for sentence in pool.differences())
    pool.close()
