"""Counting the statements of a user's MariaDB: others' only, and what goes wrong is said without a password."""

import contextlib

import pytest

from scheduler.errors import DatabaseUnreachable, LoadError, SpecError
from scheduler.loads.statement_counter import StatementCounter

_STATEMENTS = 200


@pytest.fixture
def url(maria, monkeypatch):
    monkeypatch.setenv("MYSQL_PWD", maria.secrets[maria.url])
    return maria.url


def test_statements_of_others_are_counted_and_ours_are_not(maria, url):
    with contextlib.closing(StatementCounter(url)) as counted:
        before = counted.look().commits
        for _ in range(30):
            counted.look()
        with maria.session() as cursor:
            for _ in range(_STATEMENTS):
                cursor.execute("SELECT 1")
        assert _STATEMENTS <= counted.look().commits - before < _STATEMENTS + 25


def test_wrong_password_and_a_url_with_one_are_reported_at_the_start(maria, monkeypatch):
    monkeypatch.setenv("MYSQL_PWD", "not this one")
    with pytest.raises(DatabaseUnreachable) as caught:
        StatementCounter(maria.url)
    assert "not this one" not in str(caught.value)
    with pytest.raises(SpecError) as refused:
        StatementCounter(maria.url.replace("@", ":secret@"))
    assert "secret" not in str(refused.value)


def test_connection_that_was_ended_is_made_again_at_the_next_look(maria, url):
    with contextlib.closing(StatementCounter(url)) as counted:
        counted.look()
        maria.ask(f"KILL {counted._connection.thread_id()}")
        with pytest.raises(LoadError, match="counting the statements"):
            counted.look()
        before = counted.look().commits
        assert counted.look().commits - before < 25
