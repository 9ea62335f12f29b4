"""Laws of users on other computers that need no cluster: clocks, late runs, what is out of reach."""

import math
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import LoadDied, SpecError
from scheduler.loads.cluster.clock_offset import ClockOffset, ClockPing, best_offset
from scheduler.loads.user_messages import AlignClockOrder, GoOrder, SecondReport, decode_answer
from scheduler.loads.worker import OrderListener, WorkerState
from scheduler.model.clients import ClientsSpec

MS = st.floats(0.0, 0.2)
AHEAD_S = st.floats(-1e6, 1e6)


@given(AHEAD_S, st.lists(st.tuples(MS, MS), min_size=1, max_size=20))
def test_stated_error_holds_however_unlike_the_ways_there_and_back_are(ahead_s, ways):
    sent_s, pings = 1000.0, []
    for there_s, back_s in ways:
        pings.append(ClockPing(sent_s, sent_s + there_s + ahead_s, sent_s + there_s + back_s))
        sent_s += 1.0
    found = best_offset(pings)
    assert abs(found.ahead_s - ahead_s) <= found.error_s + 1e-9 * (1 + abs(ahead_s))
    assert found.error_s <= min(there + back for there, back in ways) / 2 + 1e-9


@given(AHEAD_S, st.floats(-50e-6, 50e-6), MS, MS)
def test_clock_that_drifts_is_followed_within_the_stated_error(ahead_s, drift, first_s, second_s):
    before = ClockOffset(ahead_s, first_s, 1000.0)
    later = ClockOffset(ahead_s + 60 * drift, second_s, 1060.0)
    found = before.followed_by(later)
    assert found is not None
    now_s = 1065.0
    true_s = ahead_s + drift * (now_s - 1000.0)
    assert abs(found.ahead_s - true_s) <= found.error_at(now_s) + 1e-9 * (1 + abs(ahead_s))


def test_clock_that_jumps_is_not_believed_any_more():
    assert ClockOffset(10.0, 0.001, 1000.0).followed_by(ClockOffset(10.2, 0.001, 1005.0)) is None


@pytest.mark.parametrize("ahead_s", [-7200.4, 0.25, 86_400.75])
def test_users_count_by_the_seconds_of_their_load(ahead_s, capfd):
    """Their own clock is ahead by a part of a second, too: their whole seconds are not the crew's."""
    user, crew_s = WorkerState(), math.floor(time.monotonic() - ahead_s) - 5.0  # by the crew's clock
    listener = OrderListener(user)
    listener._obey_order(AlignClockOrder(ahead_s))
    listener._obey_order(GoOrder(crew_s))
    for ended_s, many in ((crew_s + 0.01, 1), (crew_s + 0.99, 1), (crew_s + 1.01, 1), (crew_s + 2.5, 1)):
        user.tally.note((ended_s + ahead_s - 0.005, ended_s + ahead_s, many))
    listener._report_seconds()
    reports = [decode_answer(line.encode()) for line in capfd.readouterr().out.splitlines()]
    assert all(isinstance(report, SecondReport) for report in reports)
    assert [(report.second - crew_s, report.count) for report in reports[:3]] == [(0, 2), (1, 1), (2, 1)]
    assert all(report.second + 1 <= time.monotonic() - ahead_s for report in reports)


def test_share_that_dask_runs_again_is_refused():
    from scheduler.loads.cluster.supervisor import (
        supervise_users,  # Dask takes its time: not for every worker that collects
    )

    with pytest.raises(LoadDied, match=r"the share x was begun \d+\.\d s too late"):
        supervise_users("x", time.monotonic() - 0.5)


@pytest.mark.parametrize(
    ("connection", "fine"),
    [
        ({"host": "127.0.0.1", "port": "5432"}, False),
        ({"host": "localhost"}, False),
        ({"host": "/run/postgresql"}, False),
        ({"dbname": "x"}, False),  # libpq's default is a socket
        ({"host": "db1,::1"}, False),
        ({"host": "db1"}, True),
        ({"host": "localhost", "hostaddr": "192.0.2.1"}, True),
    ],
)
def test_another_computer_is_not_sent_to_a_database_that_listens_here_only(connection, fine):
    from scheduler.loads.cluster.cluster_clients import DaskClientSite  # likewise
    from scheduler.loads.cluster.dask_cluster import DaskWorker

    clients = DaskClientSite(ClientsSpec("tcp://127.0.0.1:8786"), ())
    worker = DaskWorker("a", "tcp://192.0.2.7:4000", "another kernel", 4)
    if fine:
        clients._refuse_unreachable(worker, connection)
    else:
        with pytest.raises(SpecError, match=r"the worker a \(tcp://192.0.2.7:4000\) is another computer"):
            clients._refuse_unreachable(worker, connection)
    here = DaskWorker("b", "tcp://127.0.0.1:4000", clients._computer, 4)
    clients._refuse_unreachable(here, connection)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        7,
        "x",
        {"a": 1},
        [["x", 1]],
        [(0, "text")],
        [(0, b"\xff")],
        [(10**9, b"{}")],
        [(0, b"x" * (2 << 20))],
        [()],
    ],
)
def test_odd_words_of_a_share_are_a_loss_and_end_no_thread(odd):
    from scheduler.loads.cluster.cluster_messages import ShareOver, ShareWords
    from scheduler.loads.cluster.dask_process import _share_lines  # likewise

    assert _share_lines("s", [(0, b"{}")]) == ShareWords("s", ((0, "{}"),))
    lost = _share_lines("s", odd)
    assert isinstance(lost, ShareOver)
    assert not lost.ended


def test_core_never_imports_dask():
    modules = "scheduler.loads.cluster.cluster_clients, scheduler.loads.database_loads, scheduler.commands.sweep"
    code = f"import sys, {modules}; sys.exit('distributed' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
