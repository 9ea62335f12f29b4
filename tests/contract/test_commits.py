"""Counting the transactions of a user's PostgreSQL: others' only, read-only, and refused where nothing is counted."""

import contextlib
import threading
import time

import pytest

from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable
from scheduler.loads.commit_counter import CommitCounter
from tests.hostile_databases import hostile

_COMMITS = 200


@pytest.fixture
def url(database, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", database.secrets[database.url])
    return database.url


def settled(commits, least):
    """Return what is counted once it is as much: a session reports a second late."""
    deadline_s = time.monotonic() + 15
    while (count := commits.look().commits) < least and time.monotonic() < deadline_s:
        threading.Event().wait(0.2)
    return count


def test_transactions_of_others_are_counted_and_ours_are_not(database, url):
    with contextlib.closing(CommitCounter(url)) as commits:
        before = commits.look().commits
        for _ in range(30):
            commits.look()
        with database.session() as connection, connection.cursor() as cursor:
            for _ in range(_COMMITS):
                cursor.execute("SELECT 1")
        counted = settled(commits, before + _COMMITS) - before
    assert _COMMITS <= counted < _COMMITS + 25


def test_time_which_sessions_are_in_statements_is_reported(database, url):
    with contextlib.closing(CommitCounter(url)) as commits:
        before = commits.look()
        with database.session() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.5)")
        settled(commits, before.commits + 1)
        deadline_s = time.monotonic() + 15
        while (spent_s := commits.look().active_s - before.active_s) < 0.5 and time.monotonic() < deadline_s:
            threading.Event().wait(0.2)
    assert 0.5 <= spent_s < 3


def test_its_session_can_change_nothing_and_is_named(database, url):
    with contextlib.closing(CommitCounter(url)) as commits:
        commits.look()
        asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'domtune watch'"
        assert database.value(asked) == 1
        cursor = commits._connection.cursor()
        cursor.execute("SHOW default_transaction_read_only")
        assert cursor.fetchone() == ("on",)
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("2s",)


def test_wrong_password_is_reported_at_the_start(database, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "not this one")
    with pytest.raises(DatabaseUnreachable, match="password is wrong") as caught:
        CommitCounter(database.url)
    assert "not this one" not in str(caught.value)


def test_database_which_counts_nothing_is_refused(database, url):
    database.ask(f"ALTER ROLE {database.server.user} SET track_counts = off")
    try:
        with pytest.raises(DatabaseUnsuitable, match="track_counts is off") as caught:
            CommitCounter(url)
    finally:
        database.ask(f"ALTER ROLE {database.server.user} RESET track_counts")
    assert "omit --database" in caught.value.hint


def test_silent_server_holds_up_no_look_that_connects_again(url, monkeypatch):
    monkeypatch.setattr("scheduler.loads.commit_counter.COUNTED_S", 0.3)
    with contextlib.closing(CommitCounter(url)) as commits, hostile(lambda client: client.silence()) as silent:
        commits.close()
        commits._params = {**commits._params, "port": str(silent.port)}
        began_s = time.monotonic()
        with pytest.raises(DatabaseUnreachable, match=r"has not answered for 0\.3 s"):
            commits.look()
        assert time.monotonic() - began_s < 4


def test_connection_that_was_ended_is_made_again_at_the_next_look(database, url):
    with contextlib.closing(CommitCounter(url)) as commits:
        commits.look()
        database.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'domtune watch'")
        with pytest.raises(DatabaseUnreachable, match="counting the transactions"):
            commits.look()
        before = commits.look().commits
        for _ in range(30):
            commits.look()
        assert settled(commits, before) - before < 10
        assert database.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'domtune watch'") == 1
