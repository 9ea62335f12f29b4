"""One libvirt connection in a process of its own, with time limits."""

import json
import threading
from collections.abc import Mapping
from pathlib import Path

from scheduler.children import ChildProgram, OutputTooLong, environment_without_secrets, python_script
from scheduler.translation import _

_WORKER = Path(__file__).with_name("worker.py")
_END_S = 2.0


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
        # The first request has the secret; the worker's children do not need it.
        self._process = ChildProgram(python_script(_WORKER, python=python), environment_without_secrets())

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
            if not self._process.write(json.dumps(request).encode() + b"\n"):
                self.end()
                raise ConnectionLost(_("the process that held the connection ended"))
            line = self._read_line(str(request["do"]), limit_s)
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
        self._process.close_pipes()
        self._process.wait_for(_END_S)
        self._process.kill_and_close()  # includes the worker's ssh

    def _read_line(self, what: str, limit_s: float) -> bytes:
        try:
            line = self._process.read_line(limit_s)
        except TimeoutError as error:
            self._process.kill_group()
            self.end()
            raise ConnectionLost(
                _("no answer to '{what}' within {limit_s:g} s").format(what=what, limit_s=limit_s)
            ) from error
        except OutputTooLong as error:
            self.end()
            raise ConnectionLost(_("the answer to '{what}' is too long").format(what=what)) from error
        if line is None:
            self.end()
            raise ConnectionLost(_("the process that held the connection ended"))
        return line
