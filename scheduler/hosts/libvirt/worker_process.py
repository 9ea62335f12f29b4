"""One libvirt connection, held by a process of its own; every question has a time limit."""

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from scheduler.children import close_pipes, environment_without_secrets, python_script

_WORKER = Path(__file__).with_name("worker.py")
_END_S = 2.0
_CHUNK = 65_536


class ConnectionLost(Exception):
    """The connection is gone: the process ended, the daemon did, or no answer came in time."""


class CallRefused(Exception):
    """Libvirt answered with an error.

    Args:
        code: `VIR_ERR_...`; 0 for errors of the binding itself.
        part: `VIR_FROM_...`, the part of libvirt that it comes from.
        text: Libvirt's sentence.
    """

    def __init__(self, code: int, part: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.part = part
        self.text = text


class WorkerProcess:
    """A worker process; one question at a time.

    Args:
        python: An interpreter that can import libvirt.
    """

    def __init__(self, python: str) -> None:
        self._lock = threading.Lock()  # two calls in flight crash libvirt's client when the connection ends
        self._buffer = b""
        # In a session of its own nothing that it starts (ssh) has a terminal to ask on.
        self._process = subprocess.Popen(
            python_script(_WORKER, python=python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment_without_secrets(),  # the first question brings one; what it starts need not see it
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def ask(self, request: Mapping[str, object], limit_s: float) -> object:
        """Return the answer; raises Lost, CallRefused. After Lost there is nothing left to ask."""
        with self._lock:
            self._send_request(request)
            line = self._hear(str(request["do"]), limit_s)
        answer = json.loads(line)
        if "error" not in answer:
            return answer["ok"]
        error = answer["error"]
        if error["alive"] or request["do"] == "open":
            raise CallRefused(error["code"], error["part"], error["text"])
        self.end()
        raise ConnectionLost(error["text"])

    def end(self) -> None:
        """End the process and with it the connection; never raises, may be called twice."""
        process = self._process
        close_pipes(process)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # its ssh too
        self._process.wait()

    def _send_request(self, request: Mapping[str, object]) -> None:
        stdin = self._process.stdin
        try:
            if stdin is None or stdin.closed:
                raise ConnectionLost("the connection was closed")
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
        except OSError as error:
            self.end()
            raise ConnectionLost("the process that held the connection ended") from error

    def _hear(self, what: str, limit_s: float) -> bytes:
        stdout = self._process.stdout
        deadline_s = time.monotonic() + limit_s
        while stdout is not None and b"\n" not in self._buffer:
            if not select.select([stdout], [], [], max(0.0, deadline_s - time.monotonic()))[0]:
                self._kill_group()
                self.end()
                raise ConnectionLost(f"no answer to '{what}' within {limit_s:g} s")
            chunk = os.read(stdout.fileno(), _CHUNK)
            if not chunk:
                self.end()
                raise ConnectionLost("the process that held the connection ended")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line
