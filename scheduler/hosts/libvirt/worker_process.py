"""One libvirt connection in a process of its own, with time limits."""

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
    """Loss of the connection to libvirt.

    The worker or the daemon ended, or no answer arrived in time.
    """


class CallRefused(Exception):
    """Error that libvirt reports for a call.

    Args:
        code: `VIR_ERR_...`; 0 for errors of the binding itself.
        part: `VIR_FROM_...`, the part of libvirt with the error.
        text: libvirt's message.
    """

    def __init__(self, code: int, part: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.part = part
        self.text = text


class WorkerProcess:
    """A worker process for one request at a time.

    Args:
        python: An interpreter that can import libvirt.
    """

    def __init__(self, python: str) -> None:
        self._lock = threading.Lock()  # two concurrent calls crash libvirt's client when the connection ends
        self._buffer = b""
        # In a session of its own, no child of the worker (ssh) can ask on a terminal.
        self._process = subprocess.Popen(
            python_script(_WORKER, python=python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment_without_secrets(),  # the first request has the secret; children do not need it
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._process.pid

    def ask(self, request: Mapping[str, object], limit_s: float) -> object:
        """Send a request and return its answer.

        Args:
            request: Request for the worker.
            limit_s: Time limit, seconds.

        Raises:
            ConnectionLost: The connection is lost, and the worker has ended.
            CallRefused: libvirt reports an error.
        """
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
        """End the process and with it the connection; never raise, may be called twice."""
        process = self._process
        close_pipes(process)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # includes the worker's ssh
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
