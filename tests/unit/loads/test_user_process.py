"""A user process ends whenever nobody needs it: at once when asked, by force when it hangs, with its last words."""

import os
import signal
import socket
import subprocess
import sys

import psutil
import pytest

from scheduler.loads import user_process
from scheduler.loads.user_messages import BeginOrder, FailedAnswer, ReadyAnswer, decode_answer
from scheduler.loads.user_process import UserProcess
from tests.contract.loads_contract import wait_until

WORKER = [sys.executable, "-P", "-m", "scheduler.loads.worker"]


@pytest.fixture
def silent():
    """Yield a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        yield {"host": host, "port": str(port), "user": "x", "dbname": "x", "connect_timeout": "20"}


@pytest.fixture
def refusing():
    """Yield a port that is taken, but where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        host, port = bound.getsockname()
        yield {"host": host, "port": str(port), "user": "x", "dbname": "x", "password": "top-secret"}


def begin(params) -> BeginOrder:
    return BeginOrder(params, "osdb-ir", tuples=2000, seed=1, user=3)


def first_answers(process):
    found = []

    def heard():
        found.extend(process.answers())
        return bool(found)

    wait_until(heard, "an answer")
    return found


def test_worker_without_orders_ends():
    done = subprocess.run(WORKER, input=b"", capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_orders_that_cannot_be_read_end_it():
    done = subprocess.run(WORKER, input=b"nonsense\n", capture_output=True, timeout=20, check=False)
    assert done.returncode == 1
    assert b"DecodeError" in done.stderr


def test_refused_connection_is_reported_without_the_password(refusing):
    process = UserProcess(begin(refusing))
    try:
        [answer] = first_answers(process)
        assert isinstance(answer, FailedAnswer)
        assert (answer.error, answer.text[:13]) == ("DatabaseUnreachable", "no connection")
        assert "top-secret" not in answer.text + answer.hint
        assert answer.hint
    finally:
        process.end()


def test_it_is_gone_at_once_even_while_it_waits_for_the_database(silent):
    process = UserProcess(begin(silent))
    wait_until(lambda: psutil.Process(process.pid).net_connections(), "a connection")
    process.ask_to_end()
    wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, "its end", 2.0)
    process.end()


def test_hanging_process_is_killed(silent, monkeypatch):
    monkeypatch.setattr(user_process, "_END_STEPS_S", (0.1, 0.1, 5.0))
    process = UserProcess(begin(silent))
    os.kill(process.pid, signal.SIGSTOP)
    process.end()
    process.end()
    assert not psutil.pid_exists(process.pid)


def test_killed_process_leaves_word_of_how_it_ended_once(silent):
    process = UserProcess(begin(silent))
    try:
        os.kill(process.pid, signal.SIGKILL)
        [answer] = first_answers(process)
        assert isinstance(answer, FailedAnswer)
        assert "signal 9" in answer.text
        assert process.answers() == []
    finally:
        process.end()


def test_broken_listener_ends_the_process_with_its_traceback(silent):
    with subprocess.Popen(WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as worker:
        worker.stdin.write(user_process.encode_line(begin(silent)) + b"nonsense\n")
        worker.stdin.flush()
        _, stderr = worker.communicate(timeout=20)
    assert worker.returncode == 70
    assert b"DecodeError" in stderr


def test_answers_cut_in_two_are_put_together(silent):
    process = UserProcess(begin(silent))
    try:
        whole = user_process.encode_line(ReadyAnswer())
        assert process.read(whole[:5]) == []
        assert [type(answer) for answer in process.read(whole[5:] + whole)] == [ReadyAnswer, ReadyAnswer]
        assert decode_answer(whole) == ReadyAnswer()
    finally:
        process.end()
