"""Start and end of child processes.

A child process imports no module from the current folder, and its environment has no password of DomTune. DomTune waits
for the end of every child.
"""

import atexit
import contextlib
import os
import re
import selectors
import shutil
import signal
import site
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypeAlias

from scheduler.translation import _

PIPE, DEVNULL, STDOUT = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
MOST_BYTES = 16 << 20
"""Bytes of one output or line that are read; the longest expected output has a few hundred kilobytes."""

_Stream: TypeAlias = int | IO[bytes] | None
_PIECE_BYTES = 65_536
_TAIL_BYTES = 80  # bytes before a piece in which a pattern may begin
_KILLED_S = 2.0
_SECRET_VARIABLE = re.compile(r"DOMTUNE_\w*PASSWORD|PGPASSWORD|MYSQL_PWD")
_ROOT = str(Path(__file__).parent.parent)
_LOCK = threading.Lock()
_ABANDONED: list[subprocess.Popen[bytes]] = []  # kept, as Python warns about a dropped process that was not reaped
_STILL_RUNNING = 0  # exit status of processes that outlive this one


def python_module(module: str, *words: str) -> list[str]:
    """Return the command line that runs a module of DomTune with this interpreter.

    Without `-P`, `python -m` first searches the current folder for every module. A user who may write there (`cd /tmp`)
    could then run code with DomTune's rights.

    Args:
        module: Name of the module.
        words: Arguments of the module.
    """
    return [sys.executable, "-P", "-m", module, *words]


def python_script(path: Path, *words: str, python: str = "") -> list[str]:
    """Return the command line that runs a file without user or site packages.

    `-I` isolates the interpreter from user folders and variables. `-S` excludes packages, so that the file may import
    the standard library only.

    Args:
        path: The file.
        words: Arguments of the file.
        python: Another interpreter, whose packages the file may import; empty for this interpreter.
    """
    return [python, "-I", str(path), *words] if python else [sys.executable, "-I", "-S", str(path), *words]


def find_program(name: str, path: str | None = None) -> str:
    """Return the absolute path of a program; empty when it is not found.

    Relative and empty entries of PATH are skipped, since they refer to the current folder.

    Args:
        name: Name of the program, or its absolute path.
        path: Folders to search, in the format of PATH; None for PATH itself.
    """
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    if "/" in name and not name.startswith("/"):
        return ""
    absolute = [folder for folder in folders if folder.startswith("/")]
    return shutil.which(name, path=os.pathsep.join(absolute)) or ""


def drop_relative_folders() -> None:
    """Remove relative and empty entries from this process's PATH.

    Programs that this process starts by name are then never from the current folder.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(folder for folder in folders if folder.startswith("/"))


class OutputTooLong(OSError):
    """Output longer than `MOST_BYTES`; the rest was not read."""

    def __init__(self) -> None:
        super().__init__(_("the output is longer than {most_bytes} MiB").format(most_bytes=MOST_BYTES >> 20))


class ChildProgram(subprocess.Popen[bytes]):
    """Child process in its own session, with unbuffered pipes.

    The constructor starts the child. In its own session, no Ctrl+C from a terminal reaches the child. The child and its
    descendants cannot ask on a terminal.

    Args:
        words: Command line, without secrets.
        environment: All environment variables of the child.
        stdin: Standard input: `PIPE`, `DEVNULL`, a file or a descriptor.
        outputs: Standard output and standard error: as `stdin`, `STDOUT`, or None to inherit.
        folder: Working folder; None for the current folder.
        passed: Descriptors that the child inherits.

    Raises:
        OSError: The program does not start.
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        *,
        stdin: _Stream = PIPE,
        outputs: tuple[_Stream, _Stream] = (PIPE, DEVNULL),
        folder: Path | None = None,
        passed: Sequence[int] = (),
    ) -> None:
        self._unread = bytearray()
        super().__init__(
            list(words),
            bufsize=0,
            stdin=stdin,
            stdout=outputs[0],
            stderr=outputs[1],
            cwd=folder,
            env=dict(environment),
            pass_fds=passed,
            start_new_session=True,
        )

    def write(self, data: bytes) -> bool:
        """Write to the child's input; return False if the child cannot take all of it.

        The child may have exited, or its input may be closed or, if nonblocking, full.
        """
        rest = memoryview(data)
        try:
            while rest and self.stdin is not None and (written := self.stdin.write(rest)):
                rest = rest[written:]
        except (OSError, ValueError):
            return False
        return not rest

    def read_line(self, limit_s: float) -> bytes | None:
        """Return the next whole output line without its line end; None at the end.

        Args:
            limit_s: Time limit, seconds.

        Raises:
            TimeoutError: No whole line within the limit.
            OutputTooLong: The line is too long.
        """
        end_s = time.monotonic() + limit_s
        with selectors.DefaultSelector() as selector:
            if self.stdout is not None and not self.stdout.closed:
                selector.register(self.stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                piece = os.read(_select_ready(selector, end_s)[0].fd, _PIECE_BYTES) if selector.get_map() else b""
                if not piece:
                    return None
                _append_piece(self._unread, piece)
        line, _, self._unread = self._unread.partition(b"\n")
        return bytes(line)

    def read_outputs(self, end_s: float, until: Sequence[re.Pattern[bytes] | None] = (None, None)) -> tuple[str, str]:
        """Read standard output and standard error at once, and return both.

        Bytes that are not UTF-8 are replaced.

        Args:
            end_s: Deadline (`time.monotonic`).
            until: Patterns after which reading of an output stops; None to read to its end.

        Raises:
            TimeoutError: The deadline has passed.
            OutputTooLong: An output exceeds the limit.
        """
        found = (bytearray(), bytearray())
        with selectors.DefaultSelector() as selector:
            for pipe, data, pattern in zip((self.stdout, self.stderr), found, until, strict=True):
                if pipe is not None:
                    selector.register(pipe, selectors.EVENT_READ, (data, pattern))
            while selector.get_map():
                for key in _select_ready(selector, end_s):
                    data, pattern = key.data
                    piece = os.read(key.fd, _PIECE_BYTES)
                    _append_piece(data, piece)
                    if not piece or (pattern and pattern.search(data[-len(piece) - _TAIL_BYTES :])):
                        selector.unregister(key.fileobj)
        return found[0].decode(errors="replace"), found[1].decode(errors="replace")

    def read_to_exit(self, limit_s: float) -> tuple[str, str]:
        """Wait for the exit; return standard output and standard error.

        Args:
            limit_s: Time limit, seconds.

        Raises:
            TimeoutError: The child has not exited in time.
            OutputTooLong: An output exceeds the limit.
        """
        end_s = time.monotonic() + limit_s
        outputs = self.read_outputs(end_s)
        if not self.wait_for(max(0.0, end_s - time.monotonic())):
            raise TimeoutError
        return outputs

    def wait_for(self, limit_s: float) -> bool:
        """Wait for the exit; return False after the limit, seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(limit_s)
        return self.returncode is not None

    def close_input(self) -> None:
        """Close the child's input; never raise an error."""
        if self.stdin is not None:
            with contextlib.suppress(OSError):
                self.stdin.close()

    def close_pipes(self) -> None:
        """Close this side of the pipes, with any unread data; never raise an error."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def end(self, asked_s: float, terminated_s: float, killed_s: float) -> None:
        """End the child: close its input, terminate it, then kill it.

        Each step waits for the exit. A child that does not exit is abandoned. The function never raises an error.

        Args:
            asked_s: Time to wait after its input is closed, seconds.
            terminated_s: Time to wait after SIGTERM, seconds.
            killed_s: Time to wait after SIGKILL, seconds.
        """
        self.close_input()
        for tell, patience_s in ((None, asked_s), (self.terminate, terminated_s), (self.kill, killed_s)):
            if tell is not None:
                # sudo runs as root, and accepts no signal from this account.
                with contextlib.suppress(PermissionError):
                    tell()
            if self.wait_for(patience_s):
                return
        self.abandon()

    def kill_group(self) -> None:
        """Kill the child and its process group, unless the child has exited."""
        if self.poll() is not None:
            return  # the process id may have been reused
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # sudo runs as root and ignores signals of this account: its command may continue.
            with contextlib.suppress(PermissionError):
                self.kill()

    def kill_and_close(self) -> None:
        """Kill the child's process group and close the pipes; raise no error.

        A child that has exited is not killed. A child that may not be killed is abandoned.
        """
        self.kill_group()
        if not self.wait_for(_KILLED_S):
            self.abandon()
        self.close_pipes()

    def abandon(self) -> None:
        """Abandon a child that does not exit; reap it later.

        A command of root accepts no signal from other accounts. A process that the kernel blocks (a disk, a throttled
        group) reacts late. Abandoned processes are checked when the next one is abandoned, and when this process ends.
        The function never raises an error.
        """
        with _LOCK:
            _ABANDONED[:] = [other for other in _ABANDONED if other.poll() is None]
            if self.poll() is None and self not in _ABANDONED:
                _ABANDONED.append(self)


def _select_ready(selector: selectors.BaseSelector, end_s: float) -> list[selectors.SelectorKey]:
    left_s = end_s - time.monotonic()
    ready = selector.select(left_s) if left_s > 0 else []
    if not ready:
        raise TimeoutError
    return [key for key, _ in ready]


def _append_piece(data: bytearray, piece: bytes) -> None:
    if len(data) + len(piece) > MOST_BYTES:
        raise OutputTooLong
    data += piece


def run_and_capture(
    words: Sequence[str],
    limit_s: float,
    folder: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    stdin: _Stream = DEVNULL,
    outputs: tuple[_Stream, _Stream] = (PIPE, PIPE),
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and capture its outputs.

    Args:
        words: Command line.
        limit_s: Time limit, seconds; the program and its process group are killed then.
        folder: Working folder; None for the current folder.
        environment: All environment variables; None for this process's without any password.
        stdin: Standard input; see `open_input` for a text.
        outputs: As for `ChildProgram`.

    Raises:
        TimeoutError: The program took longer than the limit.
        OSError: The program does not start, or an output is too long.
    """
    variables = environment_without_secrets() if environment is None else environment
    child = ChildProgram(words, variables, stdin=stdin, outputs=outputs, folder=folder)
    try:
        out, err = child.read_to_exit(limit_s)
    except TimeoutError as error:
        raise TimeoutError(_("it has not ended within {limit_s:g} s").format(limit_s=limit_s)) from error
    finally:
        child.kill_and_close()
    return subprocess.CompletedProcess(list(words), child.returncode, out, err)


@contextlib.contextmanager
def open_input(text: str, uid: int = -1, gid: int = -1) -> Generator[int, None, None]:
    """Yield a descriptor of an unnamed file with a child's input.

    For an empty text, the descriptor is `DEVNULL`. A pipe may be too small for the input, and a child that does not
    read would block the writer.

    Args:
        text: The input.
        uid: User who may also open the input by name (`/dev/stdin`); -1 for the current user.
        gid: Group of the file; -1 for the current group.
    """
    if not text:
        yield DEVNULL
        return
    with os.fdopen(os.memfd_create("domtune-input"), "r+b") as memory:
        os.fchown(memory.fileno(), uid, gid)
        memory.write(text.encode())
        memory.seek(0)
        yield memory.fileno()


@atexit.register
def _reap_at_exit() -> None:
    """Reap abandoned processes that have exited; mark the others as ended.

    Others still run on purpose. The mark prevents Python's warning about an unreaped process.
    """
    with _LOCK:
        for child in _ABANDONED:
            if child.poll() is None:
                child.returncode = _STILL_RUNNING
        _ABANDONED.clear()


def environment_without_secrets() -> dict[str, str]:
    """Return this process's environment without any password.

    A program that needs a password is given it separately.
    """
    return {name: value for name, value in os.environ.items() if not _SECRET_VARIABLE.fullmatch(name)}


def python_environment() -> dict[str, str]:
    """Return the environment without passwords for a module of DomTune.

    The module is found even when DomTune runs from a source tree.
    """
    return {**environment_without_secrets(), **import_path()}


def bare_environment() -> dict[str, str]:
    """Return a minimal environment for a module that reads untrusted input.

    The user's environment is not part of it.
    """
    fixed = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    return {**fixed, **import_path()}


def our_environment() -> dict[str, str]:
    """Return the whole environment, passwords included.

    Use it only for a process of this program that continues the work of this process.
    """
    return {**os.environ, **import_path()}


def import_path() -> dict[str, str]:
    """Return the PYTHONPATH variable that a child needs to find DomTune.

    The result is empty when DomTune is installed, editable or not.
    """
    installed = {*site.getsitepackages(), site.getusersitepackages()}
    if _ROOT in installed or _ROOT not in sys.path:
        return {}
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path not in {"", _ROOT}]
    return {"PYTHONPATH": os.pathsep.join([_ROOT, *others])}
