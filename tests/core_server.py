"""Start cores without starting Python: a process that has imported the core forks itself for each of them.

`python -m scheduler WORDS` costs 0.1 to 0.3 s of CPU before it reads its words, and tests start hundreds. Under the
fixture `forked_cores`, `subprocess` asks a server of this test process for each of them instead. The core that the
server forks is a process as any other: a child of the test, with the pipes, the folder, the environment, the command
line and the session that were asked for. It can be killed, and its CPU time is counted when it is reaped.

A start that asks for more than that (another account, another Python environment, descriptors to inherit) is a start
of Python as ever, as is every module but the core's, a user's and those of the tests that kill it. Programs that tests
write (`python -c TEXT`) are forked under `forked_programs` only: some tests list what a fresh Python has imported.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from scheduler.model import load_kinds

ROOT = str(Path(__file__).parents[1])
_PR_SET_MM, _PR_SET_MM_MAP, _PR_SET_CHILD_SUBREAPER = 35, 14, 36  # prctl(2)
_MOST_BYTES = 1 << 18  # of an order, of which the environment is the most
_HIGHEST_FD = 4096
_MODULES = r"scheduler(\.loads\.worker)?|tests\.(crash\.[\w.]+|guard_client)"
_FIRST_FIELD = 3  # of /proc/PID/stat, after the name
_PLAIN = {"preexec_fn": None, "pass_fds": (), "shell": False, "gid": None, "gids": None, "uid": None, "umask": -1}
_start_python = subprocess.Popen._execute_child
_NAMES = list(inspect.signature(_start_python).parameters)[2:]
_libc = ctypes.CDLL(None, use_errno=True)


class CoreServer:
    """A process that has imported the core, and forks one for each order."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.core_server", str(theirs.fileno())],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(_import_paths(os.environ))},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def start(self, order: Mapping[str, Any], streams: Sequence[int]) -> int:
        """Fork a core.

        Args:
            order: Its words, folder, environment and umask, and whether it has a session of its own.
            streams: Descriptors of its standard input, output and error.

        Returns:
            Its process id: it is a child of this process.
        """
        with self._lock, _adopting_orphans():
            socket.send_fds(self._ours, [json.dumps(order).encode()], streams)
            return int(self._ours.recv(64))

    def close(self) -> None:
        """End the server; its cores go on."""
        self._ours.close()
        self._process.wait()


_server: list[CoreServer] = []
_forks_programs: list[bool] = []
_shown: list[object] = []  # what the kernel shows of this process is read from its memory


@pytest.fixture(scope="session")
def _core_server() -> Iterator[None]:
    yield
    while _server:
        _server.pop().close()


@pytest.fixture(scope="module")
def forked_cores(_core_server: None) -> Iterator[None]:
    """Have the cores of a module's tests forked by a server, which begins with the first of them."""
    subprocess.Popen._execute_child = _execute_child
    yield
    subprocess.Popen._execute_child = _start_python


@pytest.fixture(scope="module")
def forked_programs(forked_cores: None) -> Iterator[None]:
    """Have the programs of a module's tests forked, too."""
    _forks_programs.append(True)
    yield
    _forks_programs.pop()


@pytest.fixture
def python_started(forked_cores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start Python for the cores of a test that is about their start."""
    monkeypatch.setattr(subprocess.Popen, "_execute_child", _start_python)


@contextlib.contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Become the parent of a process whose own parent ends meanwhile (prctl(2), PR_SET_CHILD_SUBREAPER)."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _execute_child(self: subprocess.Popen[Any], args: object, *more: Any) -> None:
    asked = dict(zip(_NAMES, more, strict=True))
    env = os.environ if asked["env"] is None else asked["env"]
    words = _core_words(args)
    if words is None or any(asked[name] != plain for name, plain in _PLAIN.items()) or _is_other_python(env):
        _start_python(self, args, *more)
        return
    if not _server:
        _server.append(CoreServer())
    umask = os.umask(0o022)
    os.umask(umask)
    order = {
        "line": [os.fsdecode(word) for word in args],
        "words": words,
        "folder": os.fspath(asked["cwd"] or Path.cwd()),
        "environment": {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()},
        "umask": umask,
        "own_session": asked["start_new_session"],
    }
    pipes = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
    self.pid = _server[0].start(order, [number if pipe == -1 else pipe for number, pipe in enumerate(pipes)])
    self._child_created = True
    ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
    self._close_pipe_fds(*(asked[name] for name in ends))


def _core_words(args: object) -> list[str] | None:
    """Return what the core server is to run for a command line; None where it is a start of Python.

    Returns:
        A module of the core or of a client of it, and its words; `-c`, a program's text and its words.
    """
    if not isinstance(args, list | tuple):
        return None
    line = [os.fsdecode(word) for word in args]
    plain = [line[0], *(line[2:] if line[1:2] == ["-P"] else line[1:])]
    if plain[:2] == [sys.executable, "-c"] and _forks_programs:
        return plain[1:]
    if plain[:2] != [sys.executable, "-m"] or not re.fullmatch(_MODULES, "".join(plain[2:3])):
        return None
    return plain[2:]


def _is_other_python(env: Mapping[Any, Any]) -> bool:
    """Return whether Python would start otherwise in this environment than the server has."""
    return _start_settings(env) != _start_settings(os.environ)


def _start_settings(env: Mapping[Any, Any]) -> dict[str, object]:
    text = {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}
    named = ("PYTHON", "LC_", "LANG", "OPENBLAS", "LD_")
    settings: dict[str, object] = {name: value for name, value in text.items() if name.startswith(named)}
    settings.pop("PYTHONUNBUFFERED", None)
    return {**settings, "PYTHONPATH": _import_paths(text)}


def _import_paths(env: Mapping[str, str]) -> list[str]:
    others = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path not in {"", ROOT}]
    return [ROOT, *others]


def _serve(channel: socket.socket) -> None:
    """Fork a core for each order, until the test process has gone."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for package in ("scheduler.commands", "scheduler.hosts", "scheduler.sim", "scheduler.run", "scheduler.store"):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            with contextlib.suppress(ImportError):  # of an optional package that is not there
                importlib.import_module(module.name)
    for kind in load_kinds.LOAD_KINDS.values():  # the modules of the users, except the one that they run
        if kind.operation:
            importlib.import_module(kind.operation)
    gc.collect()
    gc.freeze()  # a core that collects garbage copies none of this
    while True:
        text, streams, _, _ = socket.recv_fds(channel, _MOST_BYTES, 3)
        if not text:
            return
        pid = _fork_orphan(channel, json.loads(text), streams)
        for stream in streams:
            os.close(stream)
        channel.send(str(pid).encode())


def _fork_orphan(channel: socket.socket, order: dict[str, Any], streams: Sequence[int]) -> int:
    """Fork twice, and return the process id of the second once the first has ended: the test process adopts it."""
    reading, writing = os.pipe()
    first = os.fork()
    if not first:
        second = os.fork()
        if second:
            os.write(writing, str(second).encode())
            os._exit(0)
        channel.detach()
        _become_core(order, streams)
    os.close(writing)
    os.waitpid(first, 0)
    with os.fdopen(reading) as answer:
        return int(answer.read())


def _become_core(order: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    code = 1
    try:
        if order["own_session"]:
            os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, _HIGHEST_FD)
        os.chdir(order["folder"])
        os.umask(order["umask"])
        os.environ.clear()
        os.environ.update(order["environment"])
        time.tzset()
        _show_as(order["line"], order["environment"])
        _open_streams()
        module, *words = order["words"]
        if module == "-c":
            text, *words = words
            sys.argv = ["-c", *words]
            code = _exit_code(lambda: exec(text, {"__name__": "__main__"}))
        else:
            sys.argv = [module, *words]
            code = _exit_code(lambda: runpy.run_module(module, run_name="__main__", alter_sys=True))
    except BaseException:  # noqa: BLE001 - as an interpreter that ends
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


def _show_as(line: Sequence[str], environment: Mapping[str, str]) -> None:
    """Let the kernel show this process's command line and environment as of a process that was started with them."""
    texts = [_nul_ended(line), _nul_ended(f"{name}={value}" for name, value in environment.items())]
    edges: list[int] = []
    for text in texts:
        buffer = ctypes.create_string_buffer(text, max(len(text), 1))
        _shown.append(buffer)
        edges += (ctypes.addressof(buffer), ctypes.addressof(buffer) + len(text))
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    code_data_heap = [int(fields[number - _FIRST_FIELD]) for number in (26, 27, 45, 46, 47)]  # proc_pid_stat(5)
    stack = int(fields[28 - _FIRST_FIELD])
    _libc.sbrk.restype = ctypes.c_void_p
    asked = struct.pack("=11Q Q I i", *code_data_heap, _libc.sbrk(0), stack, *edges, 0, 0, -1)  # linux/prctl.h
    _libc.prctl(_PR_SET_MM, ctypes.c_ulong(_PR_SET_MM_MAP), asked, ctypes.c_ulong(len(asked)), ctypes.c_ulong(0))


def _nul_ended(words: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _exit_code(run: Callable[[], object]) -> int:
    """Run a program as Python does; return the exit code."""
    try:
        run()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    return 0


def _open_streams() -> None:
    at_once = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb", closefd=False), sys.stdin.encoding, sys.stdin.errors)
    for name, number in (("stdout", 1), ("stderr", 2)):
        before = getattr(sys, name)
        line_buffering = name == "stderr" or os.isatty(number)
        raw = os.fdopen(number, "wb", buffering=0 if at_once else -1, closefd=False)
        made = io.TextIOWrapper(
            raw, before.encoding, before.errors, line_buffering=line_buffering, write_through=at_once
        )
        setattr(sys, name, made)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as ours:
        _serve(ours)
