"""Laws of the relay: nothing is lost, nothing piles up, it ends when it should."""

import contextlib
import os
import signal
import socket
import stat
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from scheduler.children import python_module
from scheduler.hosts.local.relay_process import RelayBytes, RelayProcess

REPO = Path(__file__).resolve().parents[3]
LIMIT_S = 60.0

# A parent that is killed: it starts a relay, says which, and waits.
PARENT = """
import sys
from scheduler.children import python_module
from scheduler.hosts.local.relay_process import RelayProcess
relay = RelayProcess("127.0.0.1", 9)
relay.start()
print(relay.pid, flush=True)
sys.stdin.read()
"""


def wait_until(fine):
    deadline_s = time.monotonic() + LIMIT_S
    while not fine():
        assert time.monotonic() < deadline_s
        threading.Event().wait(0.01)


def echo(listener):
    """Answer every connection with what it sends, until the listener is closed."""

    def serve(connection):
        with connection, contextlib.suppress(OSError):
            while data := connection.recv(65536):
                connection.sendall(data)

    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


@contextlib.contextmanager
def listening(family=socket.AF_INET, address=("127.0.0.1", 0)):
    with socket.socket(family) as listener:
        listener.bind(address)
        listener.listen()
        yield listener
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts


@pytest.fixture
def echoing():
    with listening() as listener:
        thread = threading.Thread(target=echo, args=(listener,))
        thread.start()
        yield listener.getsockname()[1]
    thread.join(LIMIT_S)


@contextlib.contextmanager
def running(host, port):
    relay = RelayProcess(host, port)
    relay.start()
    try:
        yield relay
    finally:
        relay.stop()


def connected(relay):
    host, port = relay.address
    if host.startswith("/"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(host)
    else:
        connection = socket.create_connection((host, port), timeout=LIMIT_S)
    connection.settimeout(LIMIT_S)
    return connection


def exchange(connection, payload):
    sender = threading.Thread(target=connection.sendall, args=(payload,))
    sender.start()
    got = bytearray()
    while len(got) < len(payload):
        got += connection.recv(1 << 20)
    sender.join()
    return bytes(got)


def sent_mib(connection, most):
    """Send until nothing is taken any more; return how much went."""
    chunk = bytes(1 << 20)
    for count in range(most):
        try:
            connection.sendall(chunk)
        except TimeoutError:
            return count
    return most


def page_faults(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])  # minflt, proc_pid_stat(5)


def test_every_byte_arrives_in_order_and_is_counted_on_both_sides(echoing):
    payload = os.urandom(5_000_000)
    with running("127.0.0.1", echoing) as relay:
        with connected(relay) as one, connected(relay) as other:
            assert exchange(one, payload) == payload
            assert exchange(other, b"small") == b"small"
        total = len(payload) + 5
        assert relay.passed() == RelayBytes(total, total, total, total)


def test_unix_socket_can_be_served(tmp_path):
    path = tmp_path / "server"
    with listening(socket.AF_UNIX, str(path)) as listener:
        thread = threading.Thread(target=echo, args=(listener,))
        thread.start()
        with running(str(path), 0) as relay, connected(relay) as connection:
            assert exchange(connection, b"hello") == b"hello"
            assert relay.address == (relay.address[0], 0)
            folder = Path(relay.address[0]).parent
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert psutil.Process(relay.pid).net_connections("inet") == []
    assert not folder.exists()
    thread.join(LIMIT_S)


def test_relay_joins_no_private_socket_with_a_port(tmp_path):
    memory = os.memfd_create("counters")
    words = python_module("scheduler.hosts.local.relay", str(memory), str(tmp_path / "server"), "0")
    done = subprocess.run(words, pass_fds=(memory,), capture_output=True, timeout=LIMIT_S, check=False, input=b"")
    os.close(memory)
    assert (done.returncode, done.stdout) == (1, b"")


def test_server_that_does_not_read_stops_the_sender_and_fills_no_memory():
    with listening() as listener, running("127.0.0.1", listener.getsockname()[1]) as relay, connected(relay) as sender:
        before_bytes = psutil.Process(relay.pid).memory_info().rss
        sender.settimeout(1.0)
        assert sent_mib(sender, 256) < 64  # what the kernel's own buffers take
        assert psutil.Process(relay.pid).memory_info().rss - before_bytes < 8 << 20


def test_connection_ends_when_either_end_does(echoing):
    with running("127.0.0.1", echoing) as relay, connected(relay) as connection:
        assert exchange(connection, b"x") == b"x"
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    with (
        listening() as listener,
        running("127.0.0.1", listener.getsockname()[1]) as relay,
        connected(relay) as connection,
    ):
        server, _ = listener.accept()
        server.sendall(b"the last word")
        server.close()
        assert connection.recv(100) == b"the last word"
        assert connection.recv(1) == b""


def test_clients_of_a_server_that_is_gone_are_turned_away_and_the_relay_goes_on(echoing):
    with listening() as listener:
        gone = listener.getsockname()[1]
    with running("127.0.0.1", gone) as relay:
        for _ in range(2):
            with connected(relay) as connection:
                assert connection.recv(1) == b""
        assert relay.pid


def test_many_clients_may_connect_at_once(echoing):
    with running("127.0.0.1", echoing) as relay, contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connected(relay)) for _ in range(65)]
        for number, connection in enumerate(connections):
            assert exchange(connection, str(number).encode()) == str(number).encode()


def test_small_messages_are_not_throttled(echoing):
    with running("127.0.0.1", echoing) as relay, connected(relay) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        exchange(connection, b"warm")
        took_s: list[float] = []
        for _ in range(50):
            began_s = time.monotonic()
            # Two small writes, then a wait: Nagle's algorithm would hold the second for a delayed answer (40 ms).
            connection.sendall(b"a")
            connection.sendall(b"b")
            got = b""
            while len(got) < 2:
                got += connection.recv(2)
            assert got == b"ab"
            took_s.append(time.monotonic() - began_s)
        assert statistics.median(took_s) < 0.02


def test_no_message_makes_the_relay_ask_for_memory(echoing):
    """What a message costs would else depend on what the relay's memory was used for before: 2.3 times as much."""
    with running("127.0.0.1", echoing) as relay, connected(relay) as connection:
        for _ in range(50):
            exchange(connection, b"warm")
        before = page_faults(relay.pid)
        for _ in range(500):
            exchange(connection, b"a message")
        assert page_faults(relay.pid) - before < 50


def test_it_ends_with_its_standard_input_and_its_counters_stay(echoing):
    relay = RelayProcess("127.0.0.1", echoing)
    relay.start()
    process = psutil.Process(relay.pid)
    with connected(relay) as connection:
        assert exchange(connection, b"12345") == b"12345"
        relay.stop()
        relay.stop()
        assert not process.is_running()
        assert relay.pid == 0
        assert relay.passed().from_clients == 5


def test_it_dies_with_its_parent():
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        relay = psutil.Process(int(parent.stdout.readline()))
        relay.send_signal(signal.SIGSTOP)  # it cannot even see the end of its standard input
        parent.kill()
    wait_until(lambda: not relay.is_running() or relay.status() == psutil.STATUS_ZOMBIE)
