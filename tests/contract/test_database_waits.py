"""Every wait for a database ends: an abort ends it within 5 s, a dead server within 60 s."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

from scheduler.databases import abortable as module
from scheduler.databases.database_registry import open_database
from scheduler.errors import DatabaseUnreachable, LoadError
from scheduler.loads.load_registry import open_loads
from scheduler.loads.osdb.osdb_schema import osdb_schema_name
from scheduler.loads.user_messages import BeginOrder
from scheduler.loads.user_pool import UserPool
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.run.control import AbortRequested, MonotonicClock, RunControl
from scheduler.waiting import abortable
from tests.contract.postgres_fixture import TUPLES, facts_of, spec_of
from tests.crash.trial import REPO
from tests.hostile_databases import (
    Listening,
    answer_queries,
    answer_statements,
    greeting,
    hostile,
    let_in,
    message,
    packet,
    read_message,
    read_packet,
    read_startup,
    welcome,
)
from tests.one_load import one_load, side_of
from tests.xen_double.standing import stand_up

pytestmark = pytest.mark.shared_server("maria")
ABORT_S = 5.0


def silent(connection: Listening) -> None:
    connection.silence()


def mariadb_silent_at_login(connection: Listening) -> None:
    connection.sendall(greeting())
    connection.silence()


def mariadb_drips_its_greeting(connection: Listening) -> None:
    connection.sendall(packet(0, b"x" * 60_000)[:4])
    connection.drip(b"x")


def mariadb_drips_at_login(connection: Listening) -> None:
    connection.sendall(greeting())
    number, _ = read_packet(connection)
    connection.sendall(packet(number + 1, b"x" * 60_000)[:4])
    connection.drip(b"\0")


def mariadb_silent_at_statement(which: int, drips: bool = False):
    def serve(connection: Listening) -> None:
        let_in(connection)
        left = [which]

        def answer(_: bytes) -> None:
            left[0] -= 1
            if left[0] <= 0 and drips:
                connection.sendall(packet(1, b"x" * 60_000)[:4])
                connection.drip(b"\0")
            elif left[0] <= 0:
                connection.silence()

        answer_statements(connection, answer)

    return serve


def postgresql_silent_at_login(connection: Listening) -> None:
    read_startup(connection)
    connection.silence()


def postgresql_drips_at_login(connection: Listening) -> None:
    read_startup(connection)
    connection.sendall(message(b"E", b"\0" * 20_000)[:5])
    connection.drip(b"\0")


def postgresql_silent_at_statement(which: int, drips: bool = False):
    def serve(connection: Listening) -> None:
        welcome(connection)
        left = [which]

        def answer(_: bytes) -> None:
            left[0] -= 1
            if left[0] <= 0 and drips:
                connection.sendall(message(b"T", b"\0" * 60_000)[:5])
                connection.drip(b"\0")
            elif left[0] <= 0:
                connection.silence()

        answer_queries(connection, answer)

    return serve


def postgresql_silent_at_the_end_of_the_login(connection: Listening) -> None:
    read_startup(connection)
    connection.sendall(message(b"R", (10).to_bytes(4, "big") + b"SCRAM-SHA-256\0\0"))
    read_message(connection)
    connection.silence()


MODES = {
    "mariadb, silent": silent,
    "mariadb, silent at login": mariadb_silent_at_login,
    "mariadb, drips its greeting": mariadb_drips_its_greeting,
    "mariadb, drips at login": mariadb_drips_at_login,
    "mariadb, silent at the first statement": mariadb_silent_at_statement(1),
    "mariadb, silent at a later statement": mariadb_silent_at_statement(6),
    "mariadb, drips at a statement": mariadb_silent_at_statement(3, drips=True),
    "postgresql, silent": silent,
    "postgresql, silent at login": postgresql_silent_at_login,
    "postgresql, silent at the end of the login": postgresql_silent_at_the_end_of_the_login,
    "postgresql, drips at login": postgresql_drips_at_login,
    "postgresql, silent at the first statement": postgresql_silent_at_statement(1),
    "postgresql, silent at a later statement": postgresql_silent_at_statement(3),
    "postgresql, drips at a statement": postgresql_silent_at_statement(2, drips=True),
}


def loads_on(url: str, password: str = "x"):
    spec = spec_of(LoadSpec("osdb-ir", users=2, tuples=TUPLES, database=url))
    return one_load(open_loads(spec, facts_of(), "", {url: password}), spec)


@pytest.fixture(autouse=True)
def nobody_left():
    """A thread that was left behind ends once the connection is broken."""
    yield
    for thread in threading.enumerate():
        if thread.name == "call":
            thread.join(15.0)
            assert not thread.is_alive()


@contextlib.contextmanager
def aborting(after_s: float):
    """Have a person press the button so much later; yields the moment when that was done, on the monotonic clock."""
    control, pressed = RunControl(MonotonicClock()), []

    def press() -> None:
        threading.Event().wait(after_s)
        pressed.append(time.monotonic())
        control.abort()

    with ThreadPoolExecutor(1) as pool, abortable(control.check_abort):
        pool.submit(press)
        yield pressed


@pytest.mark.parametrize("mode", MODES)
def test_abort_ends_a_wait_for_a_hostile_server(mode):
    with hostile(MODES[mode]) as server:
        loads = loads_on(f"{mode.partition(',')[0]}://me@127.0.0.1:{server.port}/db")
        with aborting(0.4) as pressed, pytest.raises(AbortRequested):
            loads.preflight()
        loads.close()
        assert time.monotonic() - pressed[0] < ABORT_S


@pytest.mark.parametrize("url", ["mariadb://me@/db?socket={}/.s.PGSQL.5433", "postgresql://me@/db?host={}&port=5433"])
def test_abort_ends_a_wait_at_a_unix_socket_that_is_named_by_a_link(url, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "var").symlink_to(tmp_path / "run")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "run" / ".s.PGSQL.5433"))
        server.listen()  # connections are made, and nobody accepts them
        loads = loads_on(url.format(tmp_path / "var"))
        with aborting(0.4) as pressed, pytest.raises(AbortRequested):
            loads.preflight()
        loads.close()
        assert time.monotonic() - pressed[0] < ABORT_S
        for thread in threading.enumerate():
            if thread.name == "call":  # ends as its connection is broken, while the server is there
                thread.join(2.0)
                assert not thread.is_alive()


@pytest.mark.parametrize("mode", MODES)
def test_dead_server_is_given_up(mode, monkeypatch):
    monkeypatch.setattr(module.DriverCalls.call, "__defaults__", (0.6,))
    with hostile(MODES[mode]) as server:
        loads = loads_on(f"{mode.partition(',')[0]}://me@127.0.0.1:{server.port}/db")
        with pytest.raises(DatabaseUnreachable) as caught:
            loads.preflight()
        loads.close()
    assert "has not answered" in str(caught.value)


@pytest.mark.parametrize("kind", ["mariadb", "postgresql"])
def test_abort_ends_a_wait_for_users_who_connect(kind):
    with hostile(silent) as server:
        database = open_database(f"{kind}://me@127.0.0.1:{server.port}/db", "x")
        crew = UserPool(
            [BeginOrder(database.params, "osdb-ir", TUPLES, 1, number, (), {}, kind) for number in range(2)]
        )
        with aborting(0.5) as pressed, pytest.raises(AbortRequested):
            crew.connect()
        crew.end()
        assert time.monotonic() - pressed[0] < ABORT_S


@pytest.mark.parametrize("kind", ["tpcb", "sysbench"])
def test_abort_ends_a_wait_for_a_program_that_connects(kind):
    name = "mariadb" if kind == "sysbench" else "postgresql"
    values = {each.name: each.default for each in LOAD_KINDS[kind].parameters}
    with hostile(silent) as server:
        database = open_database(f"{name}://me@127.0.0.1:{server.port}/db", "x")
        engine = import_module(LOAD_KINDS[kind].engine).open_engine(
            BeginOrder(database.params, kind, 0, 1, 0, (), values, name), 2
        )
        with aborting(0.5) as pressed, pytest.raises(AbortRequested):
            engine.connect()
        engine.end()
        assert time.monotonic() - pressed[0] < ABORT_S


def test_limits_keep_to_a_minute():
    assert module.BRIEF_S <= 60.0
    assert module._SILENT_S + module._MOST_MISSES * (module._ALIVE_S + module._GOODBYE_S) <= 60.0


@pytest.mark.parametrize("named", ["database", "maria"])
def test_long_statement_of_a_living_server_is_waited_for(named, request, monkeypatch):
    server = request.getfixturevalue(named)
    monkeypatch.setattr(module, "_SILENT_S", 0.3)
    asked = []
    answered = module.AbortableDatabase._is_alive

    def counted(self):
        asked.append(answered(self))
        return asked[-1]

    monkeypatch.setattr(module.AbortableDatabase, "_is_alive", counted)
    loads = loads_on(server.url, server.server.password)
    session = side_of(loads.loads)._databases["osdb-ir"].session()
    query = "SELECT pg_sleep(1.5)" if named == "database" else "SELECT sleep(1.5)"
    assert len(session.rows(query)) == 1
    loads.close()
    assert asked
    assert all(asked)


@pytest.mark.parametrize("mode", ["mariadb", "postgresql"])
def test_server_that_dies_in_a_long_statement_is_noticed(mode, monkeypatch):
    """The first connection is let in, and never answers a longer statement; later ones are not even let in."""
    monkeypatch.setattr(module, "_SILENT_S", 0.3)
    monkeypatch.setattr(module, "_ALIVE_S", 1.2)
    seen = []

    def serve(connection: Listening) -> None:
        seen.append(connection)
        if len(seen) > 1:
            connection.silence()
        elif mode == "mariadb":
            let_in(connection)
            answer_statements(connection, lambda said: connection.silence() if b"long" in said else None)
        else:
            welcome(connection)
            answer_queries(connection, lambda said: connection.silence() if b"long" in said else None)

    with hostile(serve) as server:
        loads = loads_on(f"{mode}://me@127.0.0.1:{server.port}/db")
        session = side_of(loads.loads)._databases["osdb-ir"].session()
        with pytest.raises(DatabaseUnreachable, match="has not answered"):
            session.rows("SELECT long")
        with pytest.raises(DatabaseUnreachable, match="given up"):
            session.rows("SELECT long")
        loads.close()
    assert len(seen) == 3


@contextlib.contextmanager
def locked(named: str, server):
    """Hold every table of ours."""
    schema = osdb_schema_name(TUPLES)
    catalogue = "SELECT table_name FROM information_schema.tables WHERE table_schema = "
    names = [f"{schema}.{name}" for (name,) in server.ask(f"{catalogue}'{schema}'")]
    with contextlib.ExitStack() as stack:
        if named == "database":
            cursor = stack.enter_context(stack.enter_context(server.session()).cursor())
            cursor.execute("BEGIN")
            cursor.execute(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
        else:
            cursor = stack.enter_context(server.session())
            cursor.execute(f"LOCK TABLES {', '.join(f'{name} WRITE' for name in names)}")
        yield


def waiting_sessions(named: str, server) -> int:
    """Return how many sessions of the server wait for a lock."""
    if named == "database":
        return int(server.value("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"))
    return sum("lock" in str(row[6] or "").lower() for row in server.ask("SHOW PROCESSLIST"))


@pytest.mark.parametrize("named", ["database", "maria"])
def test_abort_ends_a_wait_behind_a_lock_and_leaves_no_session_waiting(named, request):
    server = request.getfixturevalue(named)
    loads = loads_on(server.url, server.server.password)
    loads.preflight()
    loads.prepare("osdb-ir")
    with locked(named, server):
        with aborting(1.0) as pressed, pytest.raises(AbortRequested):
            loads.prepare("osdb-ir")
        took_s = time.monotonic() - pressed[0]
        loads.close()
        assert took_s < ABORT_S
        deadline_s = time.monotonic() + 10.0
        while waiting_sessions(named, server) and time.monotonic() < deadline_s:
            threading.Event().wait(0.1)
        assert waiting_sessions(named, server) == 0


@pytest.mark.parametrize("named", ["database", "maria"])
def test_lock_that_is_never_free_is_named(named, request, monkeypatch):
    server = request.getfixturevalue(named)
    loads = loads_on(server.url, server.server.password)
    loads.preflight()
    loads.prepare("osdb-ir")
    session = side_of(loads.loads)._databases["osdb-ir"].session()
    session.execute("SET lock_timeout = '300ms'" if named == "database" else "SET SESSION lock_wait_timeout = 1")
    with locked(named, server), pytest.raises(LoadError, match="lock on DomTune's tables") as caught:
        loads.prepare("osdb-ir")
    loads.close()
    assert "Another session holds " in caught.value.hint


@pytest.fixture
def world(tmp_path, monkeypatch):
    stand_up(tmp_path, monkeypatch)
    (tmp_path / "home").mkdir(exist_ok=True)
    return tmp_path


def started_sweep(folder, url):
    plan = folder / "plan.toml"
    plan.write_text(
        "host = 'xl:'\nsplits = ['1:1']\n[[load]]\nkind = 'osdb-ir'\nusers = 2\n"
        f"tuples = {TUPLES}\ndatabase = '{url}'\n"
    )
    return subprocess.Popen(
        [sys.executable, "-m", "scheduler", "run", str(plan), "--json", "--despite-errors", "--allow-password"],
        cwd=REPO,
        env=dict(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("kind", "number"),
    [("mariadb", signal.SIGINT), ("postgresql", signal.SIGTERM), ("postgresql", signal.SIGHUP)],
    ids=lambda value: getattr(value, "name", value),
)
def test_signal_ends_a_real_sweep_that_waits_for_a_silent_server(world, kind, number):
    reached = threading.Event()

    def serve(connection: Listening) -> None:
        def answer(said: bytes) -> None:
            if b"version" in said:
                reached.set()
                connection.silence()

        if kind == "mariadb":
            let_in(connection)
            answer_statements(connection, answer)
        else:
            welcome(connection)
            answer_queries(connection, answer)

    with hostile(serve) as server:
        sweep = started_sweep(world, f"{kind}://me@127.0.0.1:{server.port}/db")
        assert ends_by(sweep, number, reached) < ABORT_S


@pytest.mark.parametrize(
    ("named", "number"),
    [("database", signal.SIGINT), ("maria", signal.SIGTERM)],
    ids=lambda value: getattr(value, "name", value),
)
def test_signal_ends_a_real_sweep_behind_a_lock(world, named, number, request, monkeypatch):
    server = request.getfixturevalue(named)
    monkeypatch.setenv("PGPASSWORD", server.server.password)
    monkeypatch.setenv("MYSQL_PWD", server.server.password)
    loads = loads_on(server.url, server.server.password)
    loads.preflight()
    loads.prepare("osdb-ir")
    loads.close()
    with locked(named, server):
        sweep = started_sweep(world, server.url)
        reached = threading.Event()

        def look() -> None:
            while not reached.is_set() and sweep.poll() is None:
                if waiting_sessions(named, server):
                    reached.set()
                reached.wait(0.1)

        threading.Thread(target=look, daemon=True).start()
        assert ends_by(sweep, number, reached) < ABORT_S


def ends_by(sweep, number, reached) -> float:
    """Send a signal once the sweep waits; return the seconds until it has ended, aborted and with the host restored."""
    try:
        assert reached.wait(60.0), sweep.communicate(timeout=1)[1][-2000:]
        sweep.send_signal(number)
        began_s = time.monotonic()
        out, said = sweep.communicate(timeout=60)
        took_s = time.monotonic() - began_s
    finally:
        sweep.kill()
        sweep.communicate()
    answer = json.loads(out)
    assert (sweep.returncode, answer["outcome"], answer["restored"]) == (3, "aborted", True), said[-2000:]
    print(f"{number.name}: {took_s:.2f} s")
    return took_s


@pytest.mark.parametrize("kind", ["mariadb", "postgresql"])
def test_ctrl_c_ends_check_database_at_once(kind, tmp_path):
    reached = threading.Event()

    def serve(connection: Listening) -> None:
        reached.set()
        connection.silence()

    with hostile(serve) as server:
        words = ["check-database", f"{kind}://me@127.0.0.1:{server.port}/db", "--json"]
        looking = subprocess.Popen(
            [sys.executable, "-m", "scheduler", *words],
            cwd=REPO,
            env={**os.environ, "DOMTUNE_HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert reached.wait(60.0)
            looking.send_signal(signal.SIGINT)
            began_s = time.monotonic()
            out, _ = looking.communicate(timeout=60)
            assert time.monotonic() - began_s < ABORT_S
        finally:
            looking.kill()
            looking.communicate()
    assert looking.returncode == 3
    assert json.loads(out)["error"] == "stopped by the user"
