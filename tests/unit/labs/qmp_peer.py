"""What listens as an emulator's monitor and speaks QMP, in a thread of the test."""

import array
import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

from labs.xen import qmp

Answers = Mapping[str, Any]
GREETING = {"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 0}}, "capabilities": []}}
STOPPED = {"event": "STOP", "timestamp": {"seconds": 0, "microseconds": 0}}


class Peer:
    """One monitor: keeps what it was told, and answers by command.

    Args:
        answers: By command: what to return; a text refuses with it; a function is called with the file that came with
            the line before, and gives the answer. Whatever is not named is fine.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.told: list[tuple[str, dict[str, Any]]] = []
        self._file = -1

    @property
    def commands(self) -> list[str]:
        return [command for command, _ in self.told]

    def talk(self, line: socket.socket) -> None:
        """Greet, then answer until the other side has gone, or has said `quit`."""
        self._send(line, GREETING)
        while text := self._line(line):
            reported = json.loads(text)
            self.told.append((reported["execute"], reported["arguments"]))
            self._send(line, STOPPED)
            answer = self._answers.get(reported["execute"], {})
            if isinstance(answer, Callable):
                answer = answer(self._file)
            self._send(line, {"error": {"desc": answer}} if isinstance(answer, str) else {"return": answer})
            if reported["execute"] == "quit":
                return

    def _line(self, line: socket.socket) -> bytes:
        text, rights, _, _ = line.recvmsg(4096, socket.CMSG_SPACE(array.array("i").itemsize))
        for _, _, content in rights:
            self._file = array.array("i", content)[0]
        return text

    @staticmethod
    def _send(line: socket.socket, answer: object) -> None:
        line.sendall(json.dumps(answer).encode() + b"\r\n")

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)


@contextlib.contextmanager
def listening(folder: Path, talk: Callable[[socket.socket], None]) -> Generator[None, None, None]:
    """Have `talk` answer each connection to the monitor of this folder, one after the other."""
    here = os.open(folder, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/{qmp.SOCKET}")
        os.close(here)
        listener.listen(5)

        def serve() -> None:
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:  # it is shut down
                    return
                with line, contextlib.suppress(OSError):
                    talk(line)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)


@contextlib.contextmanager
def monitor_of(folder: Path, answers: Answers) -> Generator[Peer, None, None]:
    """Have a peer listen as the monitor of the lab in this folder."""
    peer = Peer(answers)
    with listening(folder, peer.talk):
        yield peer
    peer.close()
