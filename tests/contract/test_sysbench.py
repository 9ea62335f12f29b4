"""The load of sysbench on a real MariaDB: its own laws; test_mariadb_loads has those of all loads."""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadDied, LoadError
from scheduler.loads.sysbench import sysbench_program, sysbench_tables
from tests import volume
from tests.contract.loads_contract import seconds_of, wait_until, working
from tests.contract.mariadb_fixture import running_server
from tests.contract.postgres_fixture import facts_of, small, spec_of
from tests.one_load import OneLoad, open_pool

KIND = "sysbench"
VALUES = small(KIND).values
SCHEMA = sysbench_tables.sysbench_schema(VALUES["tables"], VALUES["table_size"])


def pool_of(maria, client_cpus=(), **parameters):
    return maria.pool(maria.load(KIND, parameters={**small(KIND).parameters, **parameters}), client_cpus=client_cpus)


@pytest.fixture
def loads(maria):
    pool = pool_of(maria)
    yield pool
    pool.close()


@pytest.fixture
def running(loads):
    loads.preflight()
    loads.prepare(KIND)
    loads.start(KIND)
    return loads


def ask(maria, query: str, schema: str = SCHEMA) -> list[tuple]:
    """Run a query; `$.` is the database of our tables."""
    return maria.ask(query.replace("$.", f"{schema}."))


def fails(loads, said: str, error: type[LoadError] = LoadDied) -> None:
    with pytest.raises(error, match=said):
        wait_until(lambda: loads.poll() is None, "an error", 30)


# Each ends with another statement that the server counts; the laws of all loads are held by read-write.
@pytest.mark.parametrize("script", sysbench_program.SCRIPTS if volume.deep() else ("point-select",))
def test_server_counted_what_all_its_runs_report_and_the_lines_reported_no_more(maria, script):
    loads = pool_of(maria, script=script)
    try:
        loads.preflight()
        loads.prepare(KIND)
        loads.start(KIND)
        seconds = working(loads)
        for _ in range(volume.times(0, 5)):
            loads.park()
            loads.unpark()
            seconds += seconds_of(loads, 1)
        check = loads.stop()
    finally:
        loads.close()
    assert check.passed, check.text
    (completed,) = re.findall(r"reports ([0-9]+) completed events; 2000 rows in 2 tables", check.text)
    assert int(completed) >= sum(second.count for second in seconds) > 0
    assert all(set(second.reported_ms) == {"p95"} and second.reported_ms["p95"] > 0 for second in seconds)


def test_version_and_deviations_name_sysbench_and_its_script(loads):
    versions = loads.preflight()
    assert "users' driver" not in versions
    assert re.fullmatch(r"1\.[0-9]+\.[0-9]+", versions["sysbench"])
    reported = " ".join(loads.differences())
    assert f"oltp_read_write of sysbench {versions['sysbench']} as it is" in reported
    assert "2 tables of 1,000 rows" in reported


@pytest.mark.parametrize(
    ("script", "change", "said"),
    [
        ("read-write", "DELETE FROM $.sbtest2 WHERE id = 5", "sbtest2 has 999 rows, not 1000"),
        ("read-only", "UPDATE $.sbtest1 SET k = k + 1 WHERE id = 7", "tables were changed, and users only read"),
    ],
)
def test_foreign_writer_makes_the_check_fail_and_tables_that_lack_rows_are_made_again(maria, script, change, said):
    loads = pool_of(maria, script=script)
    try:
        loads.preflight()
        loads.prepare(KIND)
        loads.start(KIND)
        seconds_of(loads, 1)
        ask(maria, change)
        check = loads.stop()
        assert not check.passed
        assert said in check.text
        loads.prepare(KIND)
        assert ask(maria, "SELECT count(*), min(id), max(id) FROM $.sbtest2") == [(1000, 1, 1000)]
    finally:
        loads.close()


def test_tables_of_another_else_are_neither_used_nor_changed(loads, maria):
    foreign = sysbench_tables.sysbench_schema(2, 3_000)
    maria.ask(f"CREATE DATABASE {foreign}")
    maria.ask(f"CREATE TABLE {foreign}.sbtest1 (theirs INT)")
    other = pool_of(maria, table_size=3_000)
    try:
        with pytest.raises(DatabaseUnsuitable, match=f"a schema {foreign} that DomTune did not create"):
            other.preflight()
        assert ask(maria, "SELECT count(*) FROM $.sbtest1", foreign) == [(0,)]
    finally:
        other.close()
        maria.ask(f"DROP DATABASE {foreign}")


def test_tables_are_used_again_and_half_made_ones_are_not(loads, maria):
    made = "SELECT create_time FROM information_schema.tables WHERE table_name = 'sbtest1' ORDER BY table_schema"
    loads.preflight()
    loads.prepare(KIND)
    first = maria.ask(made)
    loads.prepare(KIND)
    assert maria.ask(made) == first
    ask(maria, "UPDATE $.domtune_marker SET value = 'begun' WHERE name = 'state'")
    ask(maria, "DROP TABLE $.sbtest1")
    loads.prepare(KIND)
    assert ask(maria, "SELECT value FROM $.domtune_marker WHERE name = 'state'") == [("complete",)]
    assert ask(maria, "SELECT count(*) FROM $.sbtest1") == [(1000,)]


def test_server_error_ends_the_load_with_the_servers_words(running, maria):
    ask(maria, "CREATE TRIGGER $.full BEFORE INSERT ON $.sbtest1 FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET"
        " MYSQL_ERRNO = 1021, MESSAGE_TEXT = 'Disk full'")  # fmt: skip
    try:
        fails(running, r"sysbench has given up: .*returned error 1021 \(Disk full\)")
    finally:
        running.close()  # a user in a transaction would keep the table
        ask(maria, "DROP TRIGGER $.full")


def test_lost_connection_of_one_user_ends_the_load(running, maria):
    (number,) = ask(maria, "SELECT min(id) FROM information_schema.processlist WHERE db LIKE 'domtune\\_sysbench%'")[0]
    maria.ask(f"KILL {number}")
    fails(running, r"sysbench has given up: .*returned error (2006|2013|1927|1317)")


def test_killed_sysbench_ends_the_load(running):
    os.kill(running.pids[1], signal.SIGKILL)
    fails(running, r"sysbench has ended unexpectedly \(signal 9\)")


def test_server_that_dies_ends_the_load():
    with running_server() as own:
        loads = pool_of(own)
        try:
            loads.preflight()
            loads.prepare(KIND)
            loads.start(KIND)
            os.kill(own.server.pid, signal.SIGKILL)
            fails(loads, r"sysbench has given up: .*returned error (2006|2013)")
        finally:
            loads.close()


@contextlib.contextmanager
def pool_of_user(maria, password: str, limit: int = 9) -> Iterator[OneLoad]:
    """Yield a pool by a user of that password, who may have so many connections; its tables are prepared."""
    with maria.session() as cursor:
        cursor.execute(f"CREATE USER few@127.0.0.1 IDENTIFIED BY %s WITH MAX_USER_CONNECTIONS {limit}", (password,))
        cursor.execute("GRANT ALL ON *.* TO few@127.0.0.1")
    url = f"mariadb://few@127.0.0.1:{maria.server.port}/mysql"
    pool = open_pool(spec_of(msgspec.structs.replace(small(KIND), database=url)), facts_of(), url, {url: password})
    try:
        pool.preflight()
        pool.prepare(KIND)
        yield pool
    finally:
        pool.close()
        maria.ask("DROP USER few@127.0.0.1")


def test_tables_that_could_not_be_made_are_reported_with_the_reason(maria):
    maria.ask(f"DROP DATABASE IF EXISTS {SCHEMA}")
    # The connection that prepares holds the only one: no connection that makes a table is let in.
    with pytest.raises(DatabaseUnreachable, match="has no connection left"), pool_of_user(maria, "few", 1):
        pass


def test_users_who_are_not_let_in_learn_why(maria):
    with contextlib.closing(pool_of(maria)) as pool:
        pool.preflight()
        pool.prepare(KIND)
    with pool_of_user(maria, "few", 2) as pool, pytest.raises(DatabaseUnreachable, match="has no connection left"):
        pool.start(KIND)


def test_password_of_any_signs_reaches_it(maria):
    with pool_of_user(maria, """#a, b='c=\\$'""") as pool:
        ask(maria, "DROP TABLE $.sbtest1")
        pool.prepare(KIND)
        assert ask(maria, "SELECT count(*) FROM $.sbtest1") == [(1000,)]


def test_it_holds_no_password_in_sight_and_stays_on_its_cpus(maria):
    last = max(os.sched_getaffinity(0))
    pool = pool_of(maria, client_cpus=(last,))
    try:
        pool.preflight()
        pool.prepare(KIND)
        pool.start(KIND)
        assert len(pool.pids) == 2
        for pid in pool.pids:
            seen = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
            assert maria.server.password.encode() not in seen
            assert os.sched_getaffinity(pid) == {last}
    finally:
        pool.close()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("echo 'sysbench 0.4.12'", "needs sysbench 1.0 or newer; .* reports sysbench 0.4.12"),
        ("", "sysbench is not in "),
    ],
)
def test_sysbench_that_will_not_do_is_refused_before_anything_is_touched(loads, monkeypatch, tmp_path, said, told):
    if said:
        (tmp_path / "sysbench").write_text(f"#!/bin/sh\n{said}\n")
        (tmp_path / "sysbench").chmod(0o755)
    monkeypatch.setattr(sysbench_program, "PLACES", str(tmp_path))
    with pytest.raises(LoadError, match=told) as refused:
        loads.preflight()
    assert "apt-get install sysbench" in refused.value.hint
