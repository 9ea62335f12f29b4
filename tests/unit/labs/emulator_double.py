"""A double of QEMU with a lab in it: it boots or goes on from a state, is told by QMP, and its PostgreSQL answers.

Run as a program with QEMU's words. What it cannot do is in the file `cannot` of the folder that DOUBLE names: `save`,
`load` (it ends), `answer` (after a load). Each start is written to the file `starts` there, what it was told to `told`.
"""

import array
import contextlib
import json
import os
import re
import socket
import struct
import sys
import threading
from pathlib import Path

FOLDER = Path(os.environ["DOUBLE"])
READY = b"Z" + struct.pack("!ic", 5, b"I")
ROW = (
    b"T" + struct.pack("!ih", 33, 1) + b"?column?\0" + struct.pack("!ihihih", 0, 0, 23, 4, -1, 0),
    b"D" + struct.pack("!ihi", 11, 1, 1) + b"1",
    b"C" + struct.pack("!i", 13) + b"SELECT 1\0",
)
SETTINGS = {"client_encoding": "UTF8", "server_version": "15.0", "DateStyle": "ISO, MDY", "integer_datetimes": "on"}


def main(words: list[str]) -> None:
    if words == ["--version"]:
        print((FOLDER / "version").read_text())
        return
    machine = Machine(words)
    if os.fork() == 0:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        Path(machine.after("-pidfile")).write_text(str(os.getpid()))
        machine.run()


class Machine:
    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._scheduler = self.after("-append").rpartition("sched=")[2]
        self._waits = "-incoming" in words
        self._databases = [_listener(port) for port in re.findall(r"127\.0\.0\.1:(\d+)-[0-9.]+:5432", " ".join(words))]
        with (FOLDER / "starts").open("a") as starts:
            starts.write(f"{'waits' if self._waits else 'boots'} {self._scheduler} {' '.join(self._drives())}\n")
        self._monitor = socket.socket(socket.AF_UNIX)
        Path("monitor").unlink(missing_ok=True)
        self._monitor.bind("monitor")
        self._monitor.listen(5)
        self._status, self._file = "", -1
        self._answer(answers=not self._waits)

    def after(self, word: str) -> str:
        return self._words[self._words.index(word) + 1]

    def run(self) -> None:
        for database in self._databases:
            threading.Thread(target=_serve, args=(database,), daemon=True).start()
        while True:
            line, _ = self._monitor.accept()
            with line, contextlib.suppress(OSError):
                self._talk(line)

    def _drives(self) -> list[str]:
        return [word.split(",")[0].removeprefix("file=") for word in self._words if word.startswith("file=")]

    def _answer(self, *, answers: bool) -> None:
        """Let the double of ssh say the scheduler, or nothing."""
        Path("double-runs").unlink(missing_ok=True)
        if answers:
            Path("double-runs").write_text(self._scheduler)

    def _talk(self, line: socket.socket) -> None:
        line.sendall(b'{"QMP": {}}\n')
        while received := line.recvmsg(4096, 100):
            if not received[0]:
                return
            for _, _, content in received[1]:
                self._file = array.array("i", content)[0]
            reported = json.loads(received[0])
            with (FOLDER / "told").open("a") as file:
                file.write(f"{reported['execute']}\n")
            line.sendall(json.dumps({"return": self._done(reported["execute"])}).encode() + b"\n")
            if reported["execute"] == "quit":
                os._exit(0)

    def _done(self, command: str) -> dict[str, str]:
        if command == "query-migrate":
            return {"status": self._status, "error-desc": "no space left on device"}
        if command == "migrate":
            os.write(self._file, json.dumps({"scheduler": self._scheduler}).encode())
            self._status = "failed" if self._cannot("save") else "completed"
        if command == "migrate-incoming":
            if self._cannot("load"):
                os._exit(1)
            self._scheduler = json.loads(os.read(self._file, 1000))["scheduler"]
            self._status = "completed"
        if command == "cont":
            self._answer(answers=not (self._waits and self._cannot("answer")))
        return {}

    def _cannot(self, what: str) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return what in (FOLDER / "cannot").read_text().split()
        return False


def _listener(port: str) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", int(port)))
    except OSError:
        sys.exit(f"-netdev user: Could not set up host forwarding rule 'tcp:127.0.0.1:{port}'")  # in QEMU's words


def _serve(database: socket.socket) -> None:
    while True:
        line, _ = database.accept()
        with line, contextlib.suppress(OSError):
            _speak_postgresql(line)


def _speak_postgresql(line: socket.socket) -> None:
    """Let everybody in, and answer every question with 1."""
    while line.recv(10_000)[4:8] == struct.pack("!i", 80877103):  # may it be encrypted?
        line.sendall(b"N")
    line.sendall(b"R" + struct.pack("!ii", 8, 0))
    for name, value in SETTINGS.items():
        pair = f"{name}\0{value}\0".encode()
        line.sendall(b"S" + struct.pack("!i", 4 + len(pair)) + pair)
    line.sendall(READY)
    while text := line.recv(10_000):
        if text[:1] == b"Q":
            line.sendall((b"".join(ROW) if b"SELECT" in text else b"C" + struct.pack("!i", 8) + b"SET\0") + READY)


if __name__ == "__main__":
    main(sys.argv[1:])
