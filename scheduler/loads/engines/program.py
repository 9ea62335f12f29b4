"""A program under a warden: its lines as they come, with the moment of each, its CPU time, and an end that comes."""

import os
import select
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from scheduler.children import close_pipes, environment_without_secrets, python_module, terminate
from scheduler.errors import LoadError
from scheduler.loads.engines.cpu_time import CpuTimeCounter, CpuUsed, find_offspring
from scheduler.loads.engines.process_mark import choose_mark, kill_marked
from scheduler.private_folders import PrivateFolder

_WARDEN = "scheduler.loads.engines.program_supervisor"
_END_STEPS_S = (12.0, 1.0, 5.0)  # its stdin closes, which takes the warden's ladder; terminated, killed
_LOOK_S = 0.5
_MOST_LINES, _MOST_BYTES = 1_000, 1 << 20  # within a second; who prints more would cost more CPU than it may
_LONGEST_BYTES = 4_096
_LAST = 5


class ProgramJob(msgspec.Struct, frozen=True, kw_only=True):
    """What to run.

    Attributes:
        words: The program and its arguments; no secret may stand there.
        environment: What it finds in its environment besides ours, which holds no password.
        password_file: What a file holds that tells the program its password; empty for none.
        password_option: Option that names that file; empty where PGPASSFILE does, and it is a line of libpq's.
        cpus: CPUs that it is confined to; empty for all.
        asked: Signal that asks it to end by itself; 0 for none.
        files: Files that it finds in its current folder, by their names there; it has a folder of its own then.
    """

    words: Sequence[str]
    environment: Mapping[str, str] = {}
    password_file: str = ""
    password_option: str = ""
    cpus: Sequence[int] = ()
    asked: int = 0
    files: Mapping[str, Path] = {}

    def __repr__(self) -> str:
        """Keep the password out of every log."""
        return f"Job({self.words[0]!r})"


class ProgramLine(msgspec.Struct, frozen=True):
    """One line of its output, without what is no text, and when it came on the monotonic clock."""

    heard_s: float
    text: str


class SupervisedProgram:
    """Begins at once.

    Args:
        job: What to run.

    Raises:
        LoadError: Nothing more can be started here.

    Attributes:
        wall_offset_s: What the clock on the wall was ahead of the monotonic one when it began.
        flooded: It printed more than anybody reads; what came later was not read.
        unended: What it has printed since its last end of a line.
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
            self._process = subprocess.Popen(
                python_module(_WARDEN, str(job.asked), cpus, str(self._mark), *words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                env=environment,
                pass_fds=passed,
                cwd=self._folder.path if self._folder else None,
                start_new_session=True,  # Ctrl-C in a terminal is for the core, which ends its programs itself
            )
        except (OSError, ValueError) as error:  # a NUL in an argument is a ValueError
            raise LoadError(f"{job.words[0]} cannot be started: {error}") from error
        finally:
            for handle in passed:
                os.close(handle)
        self._reader = threading.Thread(target=self._read_output, name="engine", daemon=True)
        self._reader.start()

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the warden, the program and its offspring."""
        return (self._process.pid, *find_offspring(self._process.pid))

    @property
    def status(self) -> int | None:
        """Its exit status, with all lines read; None while it runs. Killed by a signal it is 128 and the signal."""
        status = self._process.poll()
        if status is not None:
            self._reader.join(2 * _LOOK_S)
        return status

    @property
    def last_words(self) -> str:
        """Its last lines, for a message."""
        return " / ".join(self._last)

    def cpu(self) -> CpuUsed:
        """Return what it has used until now."""
        return self._cpu.look(self._process.pid)

    def lines(self) -> list[ProgramLine]:
        """Return what it said since the last call."""
        found: list[ProgramLine] = []
        while self._lines:
            found.append(self._lines.popleft())
        return found

    def ask(self) -> None:
        """Ask it to end by itself; that it has ended already shows in its status."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.write(b"\n")
            except OSError:
                return

    def wait(self, patience_s: float) -> int | None:
        """Wait for its end; return its status, None when it did not come."""
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return None
        return self.status

    def end(self) -> None:
        """End it and all its offspring: interrupted, terminated, killed; never raises, may be called twice."""
        terminate(self._process, *_END_STEPS_S)
        if self._process.returncode is None or self._process.returncode < 0:  # its warden could not end the others
            kill_marked(self._mark)
        self._given_up.set()
        self._reader.join(4 * _LOOK_S)
        close_pipes(self._process)
        if self._folder:
            self._folder.close()

    def _read_output(self) -> None:
        """Read until nobody can write any more, or nobody listens; runs in a thread of its own."""
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
    """Split at LF, CR LF and CR: a line that is overwritten is one. The last part has no end yet."""
    return printed.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _printable_text(line: bytes) -> str:
    text = line[:_LONGEST_BYTES].decode("utf-8", "replace").strip()
    return "".join(letter if letter.isprintable() else " " for letter in text)


class _OutputBudget:
    """What is read within a second."""

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
    """Return the descriptor of a file that holds the line and has no name anywhere; none for no line."""
    if not line:
        return ()
    handle = os.memfd_create("password")
    os.fchmod(handle, 0o600)  # libpq reads no file that others could
    os.write(handle, line.encode("utf-8", "surrogateescape"))
    return (handle,)


def _descriptor_path(passed: Sequence[int]) -> str:
    return f"/proc/self/fd/{passed[0]}"
