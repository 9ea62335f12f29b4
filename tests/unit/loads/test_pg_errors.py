"""What libpq and the server say becomes a sentence with a cause and a hint; secrets never show."""

import psycopg2
import pytest

from scheduler.databases.postgresql.pg_client import (
    describe_place,
    parse_parameters,
    statement_error,
    unreachable_error,
)
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadError, SpecError

PARAMS = {"host": "10.0.0.5", "port": "5433", "user": "osdb", "dbname": "db1", "password": "top-secret"}


class ServerError(psycopg2.Error):
    """psycopg2 sets the code in C; a subclass may say it in Python."""

    def __init__(self, code: str | None, message: str) -> None:
        super().__init__(message)
        self._code = code

    @property
    def pgcode(self):
        return self._code


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ('connection to server at "10.0.0.5", port 5433 failed: Connection refused', "no server listens"),
        ("connection to server failed: timeout expired", "no answer within 10 s"),
        ('FATAL:  password authentication failed for user "osdb"', "user or password is wrong"),
        ("fe_sendauth: no password supplied", "wants a password"),
        ('FATAL:  database "db1" does not exist', "no such database"),
        ('FATAL:  role "osdb" does not exist', "no such user"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1"', "refuses logins"),
        ('could not translate host name "x" to address', "name of the host is unknown"),
        ("FATAL:  the database system is starting up", "starting or stopping"),
        ("FATAL:  sorry, too many clients already", "no connection left"),
        (
            "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n"
            "\tbefore or while processing the request.\n",
            "it closed the connection",
        ),
    ],
)
def test_failed_connection_has_place_cause_and_hint(said, cause):
    error = unreachable_error(said, PARAMS)
    assert "osdb@10.0.0.5:5433/db1" in str(error)
    assert cause in str(error)
    assert error.hint
    assert "top-secret" not in f"{error} {error.hint}"


def test_unknown_failure_keeps_all_that_libpq_reported_on_one_line():
    assert str(unreachable_error("first\n\tFATAL: something new\n", PARAMS)).endswith(": first FATAL: something new")


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("53100", LoadError, "disk is full"),
        ("42501", DatabaseUnsuitable, "no right"),
        ("25006", DatabaseUnsuitable, "no right"),
        ("08006", DatabaseUnreachable, "connection broke"),
        ("57P01", DatabaseUnreachable, "connection broke"),
        (None, DatabaseUnreachable, "connection broke"),
        ("42P01", LoadError, "SQLSTATE 42P01"),
    ],
)
def test_failed_statement_is_named_by_what_it_means(code, kind, words):
    error = statement_error("loading", ServerError(code, "no right\nto it"))
    assert type(error) is kind
    assert words in str(error)
    assert str(error).startswith("loading: ")
    assert "\n" not in str(error)


def test_parameters_have_time_limits_and_only_a_given_password():
    found = parse_parameters("postgresql://osdb@10.0.0.5:5433/db1?sslmode=require")
    assert found["connect_timeout"] == "10"
    assert found["tcp_user_timeout"] == "15000"
    assert found["sslmode"] == "require"
    assert found["password"] == ""
    assert parse_parameters("postgresql://osdb@10.0.0.5/db1", "secret")["password"] == "secret"


REDIRECTING = (
    *("hostaddr=192.0.2.1", "service=x", "servicefile=/x", "passfile=/x", "options=-c%20x%3Dy", "connect_timeout=0"),
    *("keepalives=0", "sslkey=engine%3Ax", "sslcert=/x", "sslkeylogfile=/x", "krbsrvname=x", "require_auth=password"),
    *("requiressl=0", "host=a,b", "host=%40abstract", "port=5432&port=5433", "sslrootcert=ca.pem", "%68ostaddr=1"),
)


@pytest.mark.parametrize("query", REDIRECTING)
def test_parameters_refuse_what_redirects_or_weakens(query):
    with pytest.raises(SpecError, match=r"^load\.database: ") as caught:
        parse_parameters(f"postgresql://x@y/z?{query}")
    assert caught.value.hint


@pytest.mark.parametrize("url", ["postgresql://x@a,b/z", "postgresql://x@a:1,b:2/z", "postgresql://x@a%2Cb/z"])
def test_parameters_refuse_several_servers(url):
    with pytest.raises(SpecError):
        parse_parameters(url)


@pytest.mark.parametrize(
    ("query", "weak"),
    [
        ("", False),
        ("sslmode=require", False),
        ("sslmode=verify-ca&sslrootcert=/ca.pem", True),
        ("sslmode=verify-full", True),
        ("host=/", True),
        ("host=/tmp", False),
        ("host=/not/there", False),
    ],
)
def test_parameters_refuse_weak_logins_unless_no_one_else_can_listen(query, weak, monkeypatch):
    monkeypatch.delenv("PGSSLMODE", raising=False)
    assert ("require_auth" not in parse_parameters(f"postgresql://x@y/z?{query}")) is weak


def test_parameters_refuse_a_libpq_that_cannot_refuse(monkeypatch):
    monkeypatch.setattr(psycopg2.extensions, "libpq_version", lambda: 150_004)
    with pytest.raises(DatabaseUnreachable, match="clear text") as caught:
        parse_parameters("postgresql://x@y/z")
    assert "psycopg2-binary" in caught.value.hint
    parse_parameters("postgresql://x@y/z?sslmode=verify-full")


@pytest.mark.parametrize("port", ["0", "65536", "port"])
def test_port_outside_its_range_is_refused(port):
    with pytest.raises(SpecError, match="not a number from 1 to 65535"):
        parse_parameters(f"postgresql://x@y/z?port={port}")


def test_place_never_shows_the_password():
    assert describe_place(PARAMS) == "osdb@10.0.0.5:5433/db1"
    assert describe_place({}) == "localhost:5432/"
