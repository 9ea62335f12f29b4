"""A MariaDB that must not or cannot be used: a message with a hint, nothing touched; odd settings change nothing."""

import secrets
import socket

import pytest

from scheduler.databases.database_registry import own_password
from scheduler.databases.mariadb import option_file
from scheduler.databases.mariadb.database import refuse_unsuitable
from scheduler.databases.mariadb.mariadb_errors import statement_error, unreachable_error
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadError
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import facts_of, spec_of
from tests.one_load import open_pool

ODD_TUPLES = 3_000  # a schema of its own, beside those of other tests
SCHEMA = f"domtune_osdb_{ODD_TUPLES}"


def pool_on(url: str, password: str, **more):
    load = LoadSpec("osdb-ir", database=url, **{"users": 1, "tuples": ODD_TUPLES, **more})
    return open_pool(spec_of(load), facts_of(), url, {url: password})


def refused(url: str, password: str, kind: type, **more) -> str:
    """Return the message with its hint."""
    pool = pool_on(url, password, **more)
    try:
        with pytest.raises(kind) as caught:
            pool.preflight()
    finally:
        pool.close()
    assert caught.value.hint
    return f"{caught.value} | {caught.value.hint}"


@pytest.fixture
def account(maria):
    """Return a function that makes an account and returns its URL; its name is its password."""
    made = []

    def account(rights: str = "", limits: str = "") -> tuple[str, str]:
        name = f"u{secrets.token_hex(4)}"
        maria.ask(f"CREATE USER {name}@'127.0.0.1' IDENTIFIED BY '{name}' {limits}")
        made.append(name)
        if rights:
            maria.ask(f"GRANT {rights} TO {name}@'127.0.0.1'")
        return maria.url.replace("domtune@", f"{name}@").replace("/mysql", "/"), name

    yield account
    for name in made:
        maria.ask(f"DROP USER {name}@'127.0.0.1'")


def test_refused_port_a_wrong_password_and_an_unknown_name_are_distinguished(maria, monkeypatch):
    monkeypatch.delenv("MYSQL_PWD", raising=False)
    monkeypatch.setattr(option_file, "read_private_text", lambda _: "")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but nobody listens
        url = f"mariadb://domtune@127.0.0.1:{closed.getsockname()[1]}/mysql"
        assert "no server listens there" in refused(url, "x", DatabaseUnreachable)
    said = refused(maria.url, "wrong-secret", DatabaseUnreachable)
    assert "user or password is wrong" in said
    assert "wrong-secret" not in said
    assert "wants a password" in refused(maria.url, "", DatabaseUnreachable)
    unknown = maria.url.replace("/mysql", "/no_such_one")
    assert "no such database" in refused(unknown, maria.server.password, DatabaseUnreachable)
    assert "name of the host is unknown" in refused("mysql://x@no-such-host.invalid/x", "x", DatabaseUnreachable)


def test_password_may_come_from_the_environment_or_ones_own_file(maria, monkeypatch, tmp_path):
    for variable, home in ((maria.server.password, tmp_path / "none"), ("", tmp_path)):
        monkeypatch.setenv("MYSQL_PWD", variable)
        monkeypatch.setenv("HOME", str(home))
        (tmp_path / ".my.cnf").write_text(
            f"[client]\nuser=x\npassword = '{maria.server.password}'\n[other]\npassword=y\n"
        )
        (tmp_path / ".my.cnf").chmod(0o600)
        assert ".my.cnf is not used" not in refused(maria.url, "", DatabaseUnreachable)
        (tmp_path / ".my.cnf").chmod(0o644)
        said = refused(maria.url, "", DatabaseUnreachable)
        assert (f"{home}/.my.cnf is not used: others have rights to it (mode 0644). Run chmod 600" in said) is (
            home == tmp_path
        )
        (tmp_path / ".my.cnf").chmod(0o600)
        pool = pool_on(maria.url, own_password(maria.url))
        assert pool.preflight()["mariadb"].startswith(maria.server.version)
        pool.close()
    (tmp_path / ".my.cnf").chmod(0o644)
    assert option_file.own_password() == ""


def test_too_few_connections_are_reported(account):
    url, name = account(f"ALL ON `{SCHEMA.replace('_', chr(92) + '_')}`.*", "WITH MAX_USER_CONNECTIONS 2")
    pool = pool_on(url, name, users=4)
    try:
        pool.preflight()
        pool.prepare("osdb-ir")
        with pytest.raises(DatabaseUnreachable, match="no connection left") as caught:
            pool.start("osdb-ir")
        assert "fewer users" in caught.value.hint
    finally:
        pool.close()


def test_user_without_the_right_to_create_is_reported(account):
    url, name = account()
    assert "may not create the schema" in refused(url, name, DatabaseUnsuitable, tuples=4_000)


def test_tables_of_another_tool_in_our_schema_are_left_alone(maria):
    other = "domtune_osdb_5000"
    maria.ask(f"CREATE DATABASE {other}")
    maria.ask(f"CREATE TABLE {other}.updates AS SELECT 42 AS answer")
    try:
        for marker in ("", "something INT", "name VARCHAR(9), value VARCHAR(9)"):
            if marker:
                maria.ask(" ".join(("CREATE OR REPLACE TABLE", f"{other}.domtune_marker", f"({marker})")))
            said = refused(maria.url, maria.server.password, DatabaseUnsuitable, tuples=5_000)
            assert "did not create" in said
            pool = pool_on(maria.url, maria.server.password, tuples=5_000)
            with pytest.raises(DatabaseUnsuitable):
                pool.prepare("osdb-ir")  # even when nobody asked preflight
            pool.close()
        assert maria.ask("SELECT answer FROM @.updates".replace("@", other)) == [(42,)]
    finally:
        maria.ask(f"DROP DATABASE {other}")


ODD = {
    "sql_mode": "'ANSI,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,ORACLE'",
    "character_set_server": "'utf16'",
    "collation_server": "'utf16_general_ci'",
    "tx_isolation": "'SERIALIZABLE'",
    "sql_safe_updates": "ON",
    "sql_select_limit": "1",
    "default_storage_engine": "'Aria'",
}


def test_servers_own_defaults_change_no_result(maria):
    before = {name: maria.value(f"SELECT @@global.{name}") for name in ODD}
    try:
        for name, value in ODD.items():
            maria.ask(f"SET GLOBAL {name} = {value}")
        pool = pool_on(maria.url, maria.server.password, tuples=6_000)
        pool.preflight()
        pool.prepare("osdb-ir")  # with all checks of what was loaded
        pool.start("osdb-ir")
        assert pool.stop().passed
        pool.close()
    finally:
        with maria.session() as cursor:
            for name, value in before.items():
                cursor.execute(f"SET GLOBAL {name} = %s", (value,))
    assert maria.ask(
        "SELECT DISTINCT engine, table_collation FROM information_schema.tables"
        " WHERE table_schema = 'domtune_osdb_6000'"
    ) == [("InnoDB", "latin1_bin")]


def test_server_without_the_engine_is_named_with_what_it_has(maria, monkeypatch):
    monkeypatch.setattr("scheduler.databases.mariadb.mariadb_session.MariadbSession.rows", without_aria)
    said = refused(maria.url, maria.server.password, DatabaseUnsuitable, parameters={"engine": "aria"})
    assert "no storage engine aria (it has InnoDB, MyISAM)" in said


def without_aria(session, query: str, *values: object) -> list:
    """Answer as a server does that was built without Aria."""
    if "information_schema.engines" in query:
        return [("InnoDB",), ("MyISAM",)]
    with session._connection.cursor() as cursor:
        cursor.execute(query, values or None)
        return list(cursor.fetchall())


@pytest.mark.parametrize(
    ("version", "settings", "said"),
    [
        ("10.3.39-MariaDB", {}, "MariaDB 10.3.39-MariaDB, at least 10.4"),
        ("5.7.44-log", {}, "MySQL 5.7.44-log, at least 8.0"),
        ("nonsense", {}, "MySQL nonsense"),
        ("10.11.6-MariaDB", {"read_only": "ON"}, "read_only is ON"),
        ("8.0.36", {"super_read_only": "ON"}, "super_read_only is ON"),
        ("10.11.6-MariaDB", {"tx_read_only": "ON"}, "tx_read_only is ON"),
        ("8.0.36", {"transaction_read_only": "1"}, "transaction_read_only is 1"),
        ("12.1.2-MariaDB", {"read_only": "NO_LOCK_NO_ADMIN"}, "read_only is NO_LOCK_NO_ADMIN"),
        ("8.0.36-28.1", {"pxc_strict_mode": "ENFORCING"}, "pxc_strict_mode is ENFORCING"),
        ("10.11.6-MariaDB", {"log_bin": "ON", "binlog_format": "STATEMENT"}, "binary log of statements"),
    ],
)
def test_old_and_read_only_servers_are_refused(version, settings, said):
    with pytest.raises(DatabaseUnsuitable, match=said) as caught:
        refuse_unsuitable(version, settings)
    assert caught.value.hint


def test_newer_ones_are_not_refused():
    refuse_unsuitable("12.9.1-MariaDB", {"log_bin": "ON", "binlog_format": "ROW"})
    refuse_unsuitable("9.4.0", {"read_only": "OFF", "sql_require_primary_key": "ON"})
    refuse_unsuitable("8.0.36-28.1", {"pxc_strict_mode": "PERMISSIVE", "transaction_read_only": "OFF"})


@pytest.fixture
def setting(maria):
    """Return a function that sets a global variable of the server until the test ends."""
    before = {}

    def setting(name: str, value: str) -> None:
        before[name] = maria.value(f"SELECT @@global.{name}")
        maria.ask(f"SET GLOBAL {name} = {value}")

    yield setting
    for name, value in before.items():
        maria.ask(f"SET GLOBAL {name} = {value}")


def test_preflight_with_read_only_transactions_names_the_setting(maria, setting):
    setting("tx_read_only", "ON")
    said = refused(maria.url, maria.server.password, DatabaseUnsuitable)
    assert "tx_read_only is ON" in said
    assert "SET GLOBAL tx_read_only = OFF" in said


def test_prepare_where_primary_keys_are_required_succeeds(maria, setting):
    setting("innodb_force_primary_key", "ON")
    load = maria.load("order-entry")
    pool = maria.pool(load)
    try:
        pool.preflight()
        pool.prepare(load.name)
        pool.start(load.name)
        assert pool.stop().passed
    finally:
        pool.close()


@pytest.mark.parametrize(("number", "text"), [(1235, "GET_LOCK in cluster"), (1792, "in a READ ONLY transaction")])
def test_statement_refused_by_a_cluster_or_read_only_server_has_a_hint(number, text):
    error = statement_error("locking", RuntimeError(number, text))
    assert type(error) is DatabaseUnsuitable
    assert error.hint


@pytest.mark.parametrize(
    ("number", "text", "kind", "words"),
    [
        (1021, "Disk full", LoadError, "disk is full"),
        (1114, "The table 'x' is full", LoadError, "disk is full"),
        (1142, "INSERT command denied", DatabaseUnsuitable, "denied"),
        (1290, "running with --read-only", DatabaseUnsuitable, "read-only"),
        (2013, "Lost connection\nto it", DatabaseUnreachable, "connection broke"),
        (1969, "max_statement_time exceeded", LoadError, "longer than the server allows"),
        (1064, "You have an error", LoadError, "error 1064"),
    ],
)
def test_failed_statement_is_named_by_what_it_means(number, text, kind, words):
    error = statement_error("loading", RuntimeError(number, text))
    assert type(error) is kind
    assert words in str(error)
    assert str(error).startswith("loading: ")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TimeoutError("timed out"), "no answer within 10 s"),
        (RuntimeError(1040, "Too many connections"), "no connection left"),
        (RuntimeError(2002, "Can't connect to server on '127.0.0.1' (115)"), "no server listens"),
        (RuntimeError(2013, "Lost connection to server at 'handshake'"), "it closed the connection"),
        (RuntimeError("'cryptography' package is required for caching_sha2_password"), "more than a password"),
        (
            RuntimeError(1045, "Plugin caching_sha2_password could not be loaded: /x.so"),
            "readable form",
        ),
        (RuntimeError(2026, "8.0.40 does not check certificates"), "a library that does not check"),
        (RuntimeError(1130, "Host 'x' is not allowed"), "refuses logins"),
        (RuntimeError(1999, "something new"), "something new (error 1999)"),
    ],
)
def test_failed_connection_has_place_and_cause(error, words):
    said = str(unreachable_error(error, "u@h:3306/db"))
    assert said.startswith("no connection to u@h:3306/db: ")
    assert words in said
