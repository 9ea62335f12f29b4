"""A server that answers for the programs of doubled Xen hosts, so that no command starts an interpreter.

Its process ends with the one that started it. A program that finds no server runs by itself: see `state.Double`.
"""

import atexit
import contextlib
import io
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from tests.xen_double.programs import run
from tests.xen_double.schedulers import Refused

_MAIN = "import sys; sys.path.insert(0, sys.argv[1]); import tests.xen_double.answer_server as a; a.serve(sys.argv[2])"
_REPO = Path(__file__).resolve().parents[2]
_RUN_IT_YOURSELF = "-"


class AnswerServer:
    """The server of this process, started when a double asks for it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""

    def socket_path(self) -> Path:
        """Return where it listens."""
        if self._process is None:
            self._folder = tempfile.mkdtemp(prefix="xen-")  # short: a socket's path has 107 bytes at most
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-I", "-c", _MAIN, str(_REPO), f"{self._folder}/s"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert self._process.stdout
            assert self._process.stdout.read(1) == b"+"  # it listens
            atexit.register(self.stop)
        return Path(self._folder, "s")

    def stop(self) -> None:
        """End it; the next double starts another."""
        if self._process is None:
            return
        self._process.communicate()  # it reads the end of its input
        shutil.rmtree(self._folder)
        self._process = None


SERVER = AnswerServer()


def serve(path: str) -> None:
    """Answer one program after the other until standard input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        os.write(1, b"+")
        while sys.stdin not in select.select([sys.stdin, listener], [], [])[0]:
            line, _ = listener.accept()
            with line, contextlib.suppress(ConnectionError):
                line.sendall(_answer(line))


class _NotHere(Exception):
    """The program is to run by itself, or nobody waits for it any longer."""


def _answer(line: socket.socket) -> bytes:
    words = b"".join(iter(lambda: line.recv(65536), b"")).decode(errors="surrogateescape").split("\0")

    def check(state: dict) -> None:
        # A busy Dom0 delays the program; or the program was killed while others held the state.
        if state["slow_s"] or _hung_up(line):
            raise _NotHere

    code, errors = "0", ""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            run(words[0], words[1], words[2:], check)
        except _NotHere:
            code = _RUN_IT_YOURSELF
        except Refused as refused:
            code, errors = "1", f"{refused}\n"
        except Exception:  # noqa: BLE001 -- the test that called the program prints it
            code, errors = "1", traceback.format_exc()
    printed = output.getvalue().encode(errors="surrogateescape")
    return f"{code} {len(printed)} ".encode() + printed + errors.encode(errors="surrogateescape")


def _hung_up(line: socket.socket) -> bool:
    look = select.poll()
    look.register(line, 0)
    return bool(look.poll(0))  # POLLHUP is always looked for
