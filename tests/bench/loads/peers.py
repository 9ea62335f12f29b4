"""Programs with one client each, as many as there are users: started, read second by second, ended."""

import contextlib
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from tests.bench.loads.turn import Turn, starting_on

_FIRST_S = 60.0  # until all have told of a first second; the computer may be busy
_LATE_S = 10.0  # that a second's line may come late
_ONE_SECOND_S = 0.5  # what is told within this time is told of the same second
_WORDS = 5  # last lines of a program that ended


class Job(msgspec.Struct, frozen=True):
    """A command line, and variables beside ours."""

    words: Sequence[str]
    environment: Mapping[str, str] = {}


class Peer(Protocol):
    """A program to compare with.

    Attributes:
        title: What people call it, for example `pgbench`.
    """

    title: str

    def job(self, number: int) -> Job:
        """Return how its client of that number is run: without an end, with a line each second."""
        ...

    def told(self, line: str) -> float | None:
        """Return the transactions per second that a line tells of; None for another line."""
        ...


class _Client:
    """One process; `seconds` has what it told of each."""

    def __init__(self, job: Job, told: Callable[[str], float | None]) -> None:
        self.seconds: list[float] = []
        self.process = subprocess.Popen(
            list(job.words),
            env={**os.environ, **job.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )
        assert self.process.stdout is not None
        self.output = self.process.stdout
        self._told = told
        self._buffer = b""
        self._words: deque[str] = deque(maxlen=_WORDS)
        self._began_s = 0.0

    def read(self) -> None:
        """Take what it has said."""
        chunk = os.read(self.output.fileno(), 65_536)
        assert chunk, f"{self.process.args[0]} ended: {' | '.join(self._words)}"
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self._take(line.decode("utf-8", "replace"))

    def _take(self, line: str) -> None:
        self._words.append(line)
        tps = self._told(line)
        if tps is None:
            return
        now_s = time.monotonic()
        if now_s - self._began_s < _ONE_SECOND_S:
            self.seconds[-1] += tps
            return
        self._began_s = now_s
        self.seconds.append(tps)

    def cpu_s(self) -> float:
        """Return what its threads have used (Documentation/scheduler/sched-stats.rst: ns, in the first field)."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def end(self) -> None:
        """Kill it: what it has not told yet is nobody's."""
        self.process.kill()
        self.process.wait()
        self.output.close()


def take_turn(peer: Peer, users: int, seconds: int, cpus: Sequence[int]) -> Turn:
    """Return what so many of them did together in whole seconds in which all of them worked."""
    with _started(peer, users, cpus) as clients:
        _hear(clients, 1, _FIRST_S)
        marks = [len(client.seconds) for client in clients]
        before_s, began_s = _cpu_s(clients), time.monotonic()
        _hear(clients, seconds, seconds + _LATE_S, marks)
        used_s, took_s = _cpu_s(clients) - before_s, time.monotonic() - began_s
        reported = [sum(client.seconds[mark : mark + seconds]) for client, mark in zip(clients, marks, strict=True)]
    tps = sum(reported) / seconds
    return Turn(tps, used_s / (tps * took_s))


@contextlib.contextmanager
def _started(peer: Peer, users: int, cpus: Sequence[int]) -> Iterator[list[_Client]]:
    clients: list[_Client] = []
    try:
        with starting_on(cpus):
            for number in range(users):
                clients.append(_Client(peer.job(number), peer.told))  # noqa: PERF401 - those that began are ended
        yield clients
    finally:
        for client in clients:
            client.end()


def _hear(clients: Sequence[_Client], more: int, limit_s: float, marks: Sequence[int] = ()) -> None:
    """Read until each has told of so many seconds since its mark, the last one to its end."""
    until = [mark + more for mark in marks or [0] * len(clients)]
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client.output, selectors.EVENT_READ, client)
        ends_s, rest_s = time.monotonic() + limit_s, 0.0
        while rest_s == 0.0 or time.monotonic() < rest_s:
            assert time.monotonic() < ends_s, f"a peer told of no second for {limit_s:.0f} s"
            for key, _ in selector.select(0.05):
                key.data.read()
            if rest_s == 0.0 and all(len(c.seconds) >= n for c, n in zip(clients, until, strict=True)):
                rest_s = time.monotonic() + 0.05


def _cpu_s(clients: Sequence[_Client]) -> float:
    return sum(client.cpu_s() for client in clients)
