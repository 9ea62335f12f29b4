"""Answers that make no sense are errors with their cause, in the sweep's process and in a user's."""

import select
import time

import pytest

from scheduler.databases.database_registry import open_database
from scheduler.errors import LoadError
from scheduler.loads.load_registry import open_loads
from scheduler.loads.user_messages import BeginOrder, FailedAnswer, GoOrder, ReadyAnswer
from scheduler.loads.user_process import UserProcess
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import TUPLES, facts_of, spec_of
from tests.hostile_databases import (
    Listening,
    answer_queries,
    answer_statements,
    data_row,
    described,
    greeting,
    hostile,
    let_in,
    message,
    result,
    welcome,
)


def proxy(connection: Listening) -> None:
    """A proxy in front of MariaDB that tells its own version."""
    connection.sendall(greeting(version="x.y-proxy"))
    connection.silence()


def letters_for_numbers(connection: Listening) -> None:
    let_in(connection)
    answer_statements(connection, lambda said: result([[b"xyz"]], [b"a"], kind=8) if b"SELECT" in said else None)


def too_few_columns(connection: Listening) -> None:
    welcome(connection)
    row = described([b"a"]) + data_row([b"16"]) + message(b"C", b"SELECT 1\0")
    answer_queries(connection, lambda said: row if b"SELECT" in said else None)


def no_text(connection: Listening) -> None:
    welcome(connection)
    row = described([b"a"] * 14) + data_row([b"\xff\xfe"] * 14) + message(b"C", b"SELECT 1\0")
    answer_queries(connection, lambda said: row if b"version" in said else None)


ODD = {"mariadb": (proxy, letters_for_numbers), "postgresql": (too_few_columns, no_text)}
CASES = [(scheme, serve) for scheme, all_of_it in ODD.items() for serve in all_of_it]


@pytest.mark.parametrize(("scheme", "serve"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_odd_answer_is_an_error_that_shows_its_cause(scheme, serve):
    with hostile(serve) as server:
        url = f"{scheme}://me@127.0.0.1:{server.port}/db"
        loads = open_loads(spec_of(LoadSpec("osdb-ir", database=url)), facts_of(), "", {url: "x"})
        with pytest.raises(LoadError, match=r"Error: |UnicodeDecodeError") as caught:
            loads.preflight()
        loads.close()
    assert "Is it the server that you mean" in caught.value.hint
    assert caught.value.__cause__ is not None


def test_odd_answer_to_a_user_reaches_the_sweep():
    with hostile(letters_for_numbers) as server:
        database = open_database(f"mariadb://me@127.0.0.1:{server.port}/db", "x")
        user = UserProcess(BeginOrder(database.params, "osdb-ir", TUPLES, 1, 0, (), {}, "mariadb"))
        try:
            failed, deadline_s = None, time.monotonic() + 30.0
            while failed is None:
                assert time.monotonic() < deadline_s
                assert select.select([user], [], [], 30.0)[0]
                for answer in user.answers():
                    if isinstance(answer, ReadyAnswer):
                        user.send(GoOrder(time.monotonic()))
                    failed = answer if isinstance(answer, FailedAnswer) else failed
        finally:
            user.end()
    assert "ValueError" in failed.text
    assert "xyz" in failed.text
    assert failed.hint
