"""What sysbench says, and what the check makes of it; the whole runs in the contract tests."""

import pytest

from scheduler.errors import DatabaseUnreachable, LoadDied
from scheduler.loads.engines.program import Line
from scheduler.loads.orders import Begin, Totals
from scheduler.loads.sysbench.program import SysbenchLines, SysbenchScript
from scheduler.loads.sysbench.workload import State, after_users

SIZE = 1_000
PARAMS = {"user": "u", "host": "h", "port": "3306", "dbname": "mysql"}


def read(*lines: tuple[float, str]):
    reader, found, since_s = SysbenchLines(), [], 0.0
    for heard_s, text in lines:
        told = reader.read(Line(heard_s, text), since_s)
        if told is not None:
            found.append(told)
            since_s = told.until_s
    return reader, found


def test_that_a_line_is_the_time_that_it_says_and_no_time_is_told_twice():
    line = "domtune: 1.0 s, {} s, {} events, 4.5 ms, 5 repeated, 1 reconnects"
    _, found = read((9.0, "Threads started!"), (10.0, line.format(1.0, 7)), (10.9, line.format(1.0, 0)))
    assert [(told.since_s, told.until_s, told.count) for told in found] == [(9.0, 10.0, 7), (10.0, 10.9, 0)]
    assert (found[0].times_ms, found[0].retries, found[0].errors) == ({"p95": 4.5}, 5, 1)
    assert found[1].times_ms == {}


def test_that_only_closing_words_tell_how_many_there_were():
    reader, _ = read((1.0, "total number of events:              2560"))
    assert reader.completed(9.0) == 2560
    with pytest.raises(LoadDied, match="without saying how many"):
        SysbenchLines().completed(9.0)


def test_that_its_words_for_a_refused_connection_become_ours():
    script = SysbenchScript(Begin(PARAMS, "sysbench", 0, 1, 0), 2)
    said = "FATAL: unable to connect to MySQL server on host 'h', port 1, aborting... / FATAL: error 1040: Too many / x"
    refused = script.refused(said)
    assert isinstance(refused, DatabaseUnreachable)
    assert "no connection to u@h:3306/mysql: it has no connection left" in str(refused)
    assert script.refused("FATAL: something else") is None


@pytest.mark.parametrize(
    ("after", "totals", "said"),
    [
        (State((SIZE, SIZE), (0, 0), (1, 2), 30), Totals(20, 0, 0, 20), ""),
        (State((SIZE, SIZE), (0, 0), (1, 2), 29), Totals(20, 0, 0, 20), "the server counted 19 only"),
        (State((SIZE, SIZE), (0, 0), (1, 2), 30), Totals(20, 0, 0, 21), "its lines told of 21"),
        (State((SIZE, 9), (0, 0), (1, 2), 30), Totals(20, 0, 0, 20), "sbtest2 has 9 rows"),
        (State((SIZE, SIZE), (0, 3), (1, 2), 30), Totals(20, 0, 0, 20), "sbtest2 has 3 rows of other keys"),
        (State((SIZE, SIZE), (0, 0), (1, 3), 30), Totals(20, 0, 0, 20), "users only read"),
    ],
)
def test_that_each_part_of_the_check_can_fail(after, totals, said):
    check = after_users(State((SIZE, SIZE), (0, 0), (1, 2), 10), after, SIZE, totals)
    assert check.passed is not bool(said)
    assert said in check.text
