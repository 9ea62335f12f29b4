"""What pgbench prints, read: every form of its progress line, and whatever else comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import DatabaseUnreachable, LoadDied
from scheduler.loads.engines.program import ProgramLine
from scheduler.loads.tpcb.pgbench_program import PgbenchLines, PgbenchScript, pgbench_job
from scheduler.loads.user_messages import BeginOrder

WALL_S = 1_795_000_000.0
BEGIN = BeginOrder(
    {"host": "h", "user": "u", "dbname": "n", "password": "top:secret"}, "tpcb", 0, 7, 0, (), {"scale": 3}
)


def lines() -> PgbenchLines:
    return PgbenchLines(WALL_S)


def told(at_s: float, tps: str, rest: str = ", 0 failed") -> ProgramLine:
    text = f"progress: {WALL_S + at_s:.3f} s, {tps} tps, lat 0.350 ms stddev 1.016{rest}"
    return ProgramLine(at_s + 0.01, text)


def test_report_counts_what_fell_between_it_and_the_one_before():
    reader = lines()
    first = reader.read(told(11.25, "500.0"), since_s=10.0)
    assert (first.since_s, first.until_s, first.count) == (10.25, 11.25, 500.0)  # it worked from 10.25 on
    second = reader.read(told(12.25, "600.0"), since_s=first.until_s)
    assert (second.since_s, second.until_s) == (11.25, 12.25)
    assert second.count == pytest.approx(600.0)


@pytest.mark.parametrize(
    ("rest", "errors", "retries"),
    [
        ("", 0, 0),
        (", 0 failed", 0, 0),
        (", 12 failed", 12, 0),
        (", 235 failed, 316 retried, 589 retries", 235, 589),
        (", 3 failed, lag 0.587 ms, 8 skipped", 3, 0),
    ],
)
def test_failed_and_repeated_transactions_are_reported(rest, errors, retries):
    found = lines().read(told(2.0, "10.0", rest), since_s=0.0)
    assert (found.errors, found.retries) == (errors, retries)


def test_second_without_a_transaction_counts_none():
    line = ProgramLine(2.0, f"progress: {WALL_S + 2:.3f} s, 0.0 tps, lat NaN ms stddev NaN, 0 failed")
    assert lines().read(line, since_s=0.0).count == 0.0


def test_clock_that_was_set_meanwhile_gives_way_to_ours():
    found = lines().read(ProgramLine(12.0, told(5000.0, "100.0").text), since_s=11.0)
    assert (found.since_s, found.until_s, found.count) == (11.0, 12.0, 100.0)


@given(st.text(max_size=200))
def test_nothing_else_counts(text):
    assert lines().read(ProgramLine(1.0, text), since_s=0.0) is None or text.startswith("progress: ")


def test_only_its_closing_words_report_how_many_there_were():
    reader = lines()
    reader.read(told(2.0, "10.0"), since_s=0.0)
    with pytest.raises(LoadDied, match=r"without a total number of transactions; its lines report 10"):
        reader.completed(10.0)
    reader.read(ProgramLine(3.0, "number of transactions actually processed: 4711"), since_s=2.0)
    assert reader.completed(10.0) == 4711


def test_no_word_of_its_command_line_is_secret():
    called = pgbench_job(BEGIN.connection, 3, ("--initialize",))
    assert "secret" not in " ".join(called.words) + repr(called) + str(called.environment)
    assert called.password_file == "*:*:*:*:top\\:secret\n"
    assert "search_path=domtune_tpcb_3" in called.words[-1]


def test_connection_that_fails_is_reported_in_our_words():
    said = 'pgbench: error: connection to server at "h", port 5432 failed: FATAL:  sorry, too many clients already'
    refused = PgbenchScript(BEGIN, 5).refused(said)
    assert isinstance(refused, DatabaseUnreachable)
    assert "it has no connection left" in str(refused)
    assert PgbenchScript(BEGIN, 5).refused("pgbench: error: something else") is None


@pytest.mark.parametrize("odd", ["9" * 400, "\u0663", "1" * 5_000, "9999999999999"])
def test_line_with_a_number_that_is_none_reports_nothing(odd):
    assert lines().read(told(2.0, odd), since_s=0.0) is None
    assert lines().read(told(2.0, "10.0", f", {odd} failed"), since_s=0.0) is None
    assert lines().read(told(2.0, "10.0", f", 0 failed, 1 retried, {odd} retries"), since_s=0.0) is None
    reader = lines()
    reader.read(ProgramLine(1.0, f"number of transactions actually processed: {'9' * 400}"), since_s=0.0)
    with pytest.raises(LoadDied):
        reader.completed(1.0)
