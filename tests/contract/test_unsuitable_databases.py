"""Databases that must not or cannot be used: a message with a hint, and nothing touched."""

import secrets
import socket

import pytest

from scheduler.databases.postgresql.passfile import own_password
from scheduler.databases.postgresql.pg_client import refuse_unsuitable
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, SpecError
from scheduler.loads.osdb.osdb_schema import osdb_schema_name
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import TUPLES, facts_of, spec_of
from tests.one_load import open_pool

LOAD = LoadSpec("osdb-ir", users=1, tuples=TUPLES)


@pytest.fixture
def other(database):
    """Yield the URL of a fresh database on the same server."""
    name = f"other_{secrets.token_hex(4)}"
    database.ask(f"CREATE DATABASE {name}")
    yield database.url.rpartition("/")[0] + f"/{name}"
    database.ask(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def in_other(database, other):
    """Return a function that runs a statement there."""

    def in_other(statement: str, *values: object) -> list[tuple]:
        with database.session(other.rpartition("/")[2]) as connection, connection.cursor() as cursor:
            cursor.execute(statement.replace("@", osdb_schema_name(TUPLES)), values or None)
            return cursor.fetchall() if cursor.description else []

    return in_other


def pool_on(url: str, password: str):
    return open_pool(spec_of(LOAD), facts_of(), url, {url: password})


def preflight(url: str, password: str):
    pool = pool_on(url, password)
    try:
        return pool.preflight()
    finally:
        pool.close()


def refused(url: str, password: str, kind: type) -> str:
    """Return the message with its hint."""
    with pytest.raises(kind) as caught:
        preflight(url, password)
    assert caught.value.hint
    return f"{caught.value} | {caught.value.hint}"


def test_refused_port_is_named(database):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but nobody listens
        port = closed.getsockname()[1]
        said = refused(f"postgresql://domtune@127.0.0.1:{port}/postgres", "x", DatabaseUnreachable)
    assert f"127.0.0.1:{port}" in said
    assert "no server listens there" in said


def test_wrong_password_is_reported_and_not_shown(database):
    said = refused(database.url, "wrong-secret", DatabaseUnreachable)
    assert "user or password is wrong" in said
    assert "wrong-secret" not in said


def test_missing_password_is_reported(database, monkeypatch, tmp_path):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    file = tmp_path / "pgpass"
    monkeypatch.setenv("PGPASSFILE", str(file))
    said = refused(database.url, "", DatabaseUnreachable)
    assert "wants a password" in said
    assert "is not used" not in said
    file.write_text("*:*:*:*:x\n")
    file.chmod(0o640)
    said = refused(database.url, "", DatabaseUnreachable)
    assert f"{file} is not used: others have rights to it (mode 0640). Run chmod 600 {file}." in said


def test_password_may_come_from_the_environment(database, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", database.server.password)
    assert "wants a password" in refused(database.url, "", DatabaseUnreachable)
    assert preflight(database.url, own_password(database.url))["postgresql"] == database.server.version


def test_missing_database_is_reported(database):
    url = database.url.rpartition("/")[0] + "/no_such_one"
    assert "no such database" in refused(url, database.server.password, DatabaseUnreachable)


def test_unknown_host_is_reported():
    said = refused("postgresql://x@no-such-host.invalid/postgres", "x", DatabaseUnreachable)
    assert "the name of the host is unknown" in said


@pytest.mark.parametrize("url", ["oracle://x@y/z", "mysql://x@y/z?a=b", "postgresql://x@y:port/z", "nonsense"])
def test_what_is_no_url_is_refused_before_anything_else(url):
    with pytest.raises(SpecError, match=r"load\.database"):
        pool_on(url, "")


def test_url_with_a_password_is_refused_and_not_repeated():
    with pytest.raises(SpecError, match="holds a password") as caught:
        pool_on("postgresql://x:top-secret@127.0.0.1/z", "")
    assert "top-secret" not in str(caught.value)


def test_load_without_a_database_is_refused():
    with pytest.raises(SpecError, match="the host brings none"):
        pool_on("", "")


@pytest.mark.parametrize(
    ("version", "standby", "read_only", "said"),
    [
        (110_022, False, False, "PostgreSQL 11, at least 12"),
        (180_000, True, False, "pg_is_in_recovery"),
        (180_000, False, True, "default_transaction_read_only is on"),
    ],
)
def test_old_standby_and_read_only_servers_are_refused(version, standby, read_only, said):
    with pytest.raises(DatabaseUnsuitable, match=said) as caught:
        refuse_unsuitable(version, in_recovery=standby, read_only=read_only)
    assert caught.value.hint


def test_new_major_version_is_not_refused():
    refuse_unsuitable(990_000, in_recovery=False, read_only=False)


def test_updates_under_a_publication_of_all_tables_are_allowed(database, other, in_other):
    in_other("CREATE PUBLICATION everything FOR ALL TABLES")
    load = LoadSpec("osdb-oltp", users=1, tuples=TUPLES)
    pool = open_pool(spec_of(load), facts_of(), other, {other: database.server.password})
    try:
        pool.preflight()
        pool.prepare(load.name)
        pool.start(load.name)
        assert pool.stop().passed
    finally:
        pool.close()


def test_tables_of_another_tool_in_our_schema_are_left_alone(database, other, in_other):
    in_other("CREATE SCHEMA @")
    in_other("CREATE TABLE @.updates AS SELECT 42 AS answer")
    before = in_other("SELECT oid, relfilenode, xmin::text FROM pg_class WHERE relnamespace = '@'::regnamespace")
    said = refused(other, database.server.password, DatabaseUnsuitable)
    assert "did not create (it has updates)" in said
    pool = pool_on(other, database.server.password)
    with pytest.raises(DatabaseUnsuitable):
        pool.prepare("osdb-ir")  # even when nobody asked preflight
    pool.close()
    assert in_other("SELECT answer FROM @.updates") == [(42,)]
    after = in_other("SELECT oid, relfilenode, xmin::text FROM pg_class WHERE relnamespace = '@'::regnamespace")
    assert after == before


@pytest.mark.parametrize("columns", ["name text, value text", "something integer"])
def test_marker_of_another_tool_does_not_count(database, other, in_other, columns):
    in_other("CREATE SCHEMA @")
    in_other(f"CREATE TABLE @.domtune_marker ({columns})")
    assert "did not create" in refused(other, database.server.password, DatabaseUnsuitable)
    assert in_other("SELECT count(*) FROM @.domtune_marker") == [(0,)]


def test_tables_of_the_same_names_elsewhere_are_left_alone(database, other, in_other):
    for table in ("updates", "uniques", "hundred", "tenpct", "tiny", "updates_backup"):
        in_other(f"CREATE TABLE public.{table} (answer) AS VALUES (42)")
    pool = pool_on(other, database.server.password)
    pool.preflight()
    pool.prepare("osdb-ir")
    pool.prepare("osdb-ir")
    pool.close()
    for table in ("updates", "uniques", "hundred", "tenpct", "tiny", "updates_backup"):
        assert in_other(f"TABLE public.{table}") == [(42,)]


def test_table_added_to_our_schema_survives_a_new_load(database, other, in_other):
    pool = pool_on(other, database.server.password)
    pool.preflight()
    pool.prepare("osdb-ir")
    in_other("CREATE TABLE @.notes AS SELECT 42 AS answer")
    in_other("UPDATE @.domtune_marker SET value = '0' WHERE name = 'format'")
    pool.prepare("osdb-ir")
    pool.close()
    assert in_other("SELECT answer FROM @.notes") == [(42,)]


def test_user_without_the_right_to_create_is_reported(database, other, in_other):
    database.ask("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    try:
        url = other.replace("domtune@", "guest@")
        assert "may not create the schema" in refused(url, "guest", DatabaseUnsuitable)
    finally:
        database.ask("DROP ROLE guest")


def test_user_who_is_not_superuser_can_run_the_loads(database, other, in_other):
    database.ask("CREATE ROLE plain LOGIN PASSWORD 'plain'")
    in_other(f"GRANT CREATE ON DATABASE {other.rpartition('/')[2]} TO plain")
    url = other.replace("domtune@", "plain@")
    pool = pool_on(url, "plain")
    try:
        pool.preflight()
        pool.prepare("osdb-ir")
        pool.start("osdb-ir")
        assert pool.stop().passed
    finally:
        pool.close()
        in_other("DROP OWNED BY plain CASCADE")
        database.ask("DROP ROLE plain")


def test_preflight_writes_nothing(database, other, in_other):
    count = "SELECT count(*) FROM pg_class"
    before = in_other(count)
    versions = preflight(other, database.server.password)
    assert versions["postgresql"] == database.server.version
    assert versions["fsync"] == "on"
    assert in_other(count) == before


def test_broken_connection_is_made_again(database, other):
    pool = pool_on(other, database.server.password)
    try:
        pool.preflight()
        database.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'other%'")
        pool.prepare("osdb-ir")
        pool.start("osdb-ir")
        assert pool.stop().passed
    finally:
        pool.close()
