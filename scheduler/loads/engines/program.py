"""Program under a supervisor: its output with times, its CPU time, and its end."""

import os
import select
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from scheduler.children import PIPE, STDOUT, ChildProgram, environment_without_secrets, python_module
from scheduler.errors import LoadError
from scheduler.loads.engines.cpu_time import CpuTimeCounter, CpuUsed, find_offspring
from scheduler.loads.engines.process_mark import choose_mark, kill_marked
from scheduler.private_folders import PrivateFolder
from scheduler.translation import _

_WARDEN = "scheduler.loads.engines.program_supervisor"
_END_STEPS_S = (12.0, 1.0, 5.0)  # stdin closed, which lets the supervisor end the program; terminated; killed
_LOOK_S = 0.5
_MOST_LINES, _MOST_BYTES = 1_000, 1 << 20  # per second; reading more would cost too much CPU
_LONGEST_BYTES = 4_096
_LAST = 5


class ProgramJob(msgspec.Struct, frozen=True, kw_only=True):
    """Command to run, with its environment.

    Attributes:
        words: Program and arguments, without secrets.
        environment: Variables in addition to our environment, which is passed without passwords.
        password_file: Contents of a file with the password. Empty for none.
        password_option: Option that names this file. Empty to name it in PGPASSFILE; then the contents are a line for
            libpq.
        cpus: CPUs that the program runs on. Empty for all.
        asked: Signal that asks the program to end. 0 for none.
        files: Name to path of files in the program's current folder, which is then a private folder.
    """

    words: Sequence[str]
    environment: Mapping[str, str] = {}
    password_file: str = ""
    password_option: str = ""
    cpus: Sequence[int] = ()
    asked: int = 0
    files: Mapping[str, Path] = {}

    def __repr__(self) -> str:
        """Return a text without the password, for logs."""
        return f"Job({self.words[0]!r})"


class ProgramLine(msgspec.Struct, frozen=True):
    """Line of output, in printable characters, with its time on the monotonic clock."""

    heard_s: float
    text: str


class SupervisedProgram:
    """Program that runs under a supervisor process. The constructor starts it.

    Args:
        job: Command to run.

    Raises:
        LoadError: The program cannot be started.

    Attributes:
        wall_offset_s: Seconds by which the wall clock was ahead of the monotonic clock at the start.
        flooded: True once the program printed too much. Later output is not read.
        unended: Output since the last end of a line.
    """

    def __init__(self, job: ProgramJob) -> None:
        self.wall_offset_s = time.time() - time.monotonic()
        self.flooded = False
        self.unended = ""
        self._lines: deque[ProgramLine] = deque(maxlen=10 * _MOST_LINES)
        self._last: deque[str] = deque(maxlen=_LAST)
        self._cpu = CpuTimeCounter()
        self._given_up = threading.Event()
        self._mark = choose_mark()
        cpus = ",".join(map(str, job.cpus)) or "-"
        passed = _open_password_file(job.password_file)
        environment = {**environment_without_secrets(), **job.environment}
        words = list(job.words)
        if passed and job.password_option:
            words.insert(1, f"{job.password_option}{_descriptor_path(passed)}")
        elif passed:
            environment["PGPASSFILE"] = _descriptor_path(passed)
        try:
            self._folder = _link_files(job.files)
            self._process = ChildProgram(
                python_module(_WARDEN, str(job.asked), cpus, str(self._mark), *words),
                environment,
                outputs=(PIPE, STDOUT),
                folder=self._folder.path if self._folder else None,
                passed=passed,
            )
        except (OSError, ValueError) as error:  # a NUL in an argument is a ValueError
            raise LoadError(_("{words} cannot be started: {error}").format(words=job.words[0], error=error)) from error
        finally:
            for handle in passed:
                os.close(handle)
        self._reader = threading.Thread(target=self._read_output, name="engine", daemon=True)
        self._reader.start()

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the supervisor, the program and its offspring."""
        return (self._process.pid, *find_offspring(self._process.pid))

    @property
    def status(self) -> int | None:
        """Exit status, once all lines are read; None while the program runs.

        For a program that a signal killed, the status is 128 plus the signal.
        """
        status = self._process.poll()
        if status is not None:
            self._reader.join(2 * _LOOK_S)
        return status

    @property
    def last_words(self) -> str:
        """The last lines of output, for a message."""
        return " / ".join(self._last)

    def cpu(self) -> CpuUsed:
        """Return the CPU time that the program has used so far."""
        return self._cpu.look(self._process.pid)

    def lines(self) -> list[ProgramLine]:
        """Return the lines of output since the last call."""
        found: list[ProgramLine] = []
        while self._lines:
            found.append(self._lines.popleft())
        return found

    def ask(self) -> None:
        """Ask the program to end; do nothing if it has ended already."""
        self._process.write(b"\n")

    def wait(self, patience_s: float) -> int | None:
        """Wait for the end for some seconds; return the status, None while it runs."""
        return self.status if self._process.wait_for(patience_s) else None

    def end(self) -> None:
        """End the program and all its offspring: interrupt, terminate, kill.

        Never raise. A second call does nothing.
        """
        self._process.end(*_END_STEPS_S)
        if self._process.returncode is None or self._process.returncode < 0:  # offspring may be left
            kill_marked(self._mark)
        self._given_up.set()
        self._reader.join(4 * _LOOK_S)
        self._process.close_pipes()
        if self._folder:
            self._folder.close()

    def _read_output(self) -> None:
        """Read output until its end or until `end`, in a separate thread."""
        if self._process.stdout is None:
            return
        handle, rest, budget = self._process.stdout.fileno(), b"", _OutputBudget()
        while not self._given_up.is_set():
            if not select.select([handle], [], [], _LOOK_S)[0]:
                continue
            chunk = os.read(handle, 65_536)
            heard_s = time.monotonic()
            *whole, rest = split_lines(rest + chunk)
            if not chunk and rest:
                whole, rest = [rest], b""
            rest = rest[:_LONGEST_BYTES]
            self.unended = _printable_text(rest)
            for line in whole[:_MOST_LINES]:
                self._add_line(heard_s, line)
            if not chunk:
                return
            if budget.is_exceeded_after(heard_s, len(whole), len(chunk)):
                self.flooded = True
                return

    def _add_line(self, heard_s: float, line: bytes) -> None:
        text = _printable_text(line)
        if text:
            self._lines.append(ProgramLine(heard_s, text))
            self._last.append(text[:300])


def split_lines(printed: bytes) -> list[bytes]:
    """Split output at LF, CR LF and CR; the last part has no line end yet.

    A line that CR overwrites is a separate line.
    """
    return printed.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _printable_text(line: bytes) -> str:
    text = line[:_LONGEST_BYTES].decode("utf-8", "replace").strip()
    return "".join(letter if letter.isprintable() else " " for letter in text)


class _OutputBudget:
    """Limit of the output that is read per second."""

    def __init__(self) -> None:
        self._second, self._lines, self._bytes = 0, 0, 0

    def is_exceeded_after(self, now_s: float, lines: int, size: int) -> bool:
        if int(now_s) != self._second:
            self._second, self._lines, self._bytes = int(now_s), 0, 0
        self._lines += lines
        self._bytes += size
        return self._lines > _MOST_LINES or self._bytes > _MOST_BYTES


def _link_files(files: Mapping[str, Path]) -> PrivateFolder | None:
    """Return a folder with links to these files; None for no files."""
    if not files:
        return None
    folder = PrivateFolder("program")
    for name, file in files.items():
        (folder.path / name).symlink_to(file)
    return folder


def _open_password_file(line: str) -> tuple[int, ...]:
    """Return the descriptor of an unnamed file with the line; empty for no line."""
    if not line:
        return ()
    handle = os.memfd_create("password")
    os.fchmod(handle, 0o600)  # libpq refuses a password file that other users can read
    os.write(handle, line.encode("utf-8", "surrogateescape"))
    return (handle,)


def _descriptor_path(passed: Sequence[int]) -> str:
    return f"/proc/self/fd/{passed[0]}"
