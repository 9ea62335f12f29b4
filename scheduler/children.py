"""Start and end of child processes.

A child process imports no module from the current folder, and its environment has no password of DomTune. DomTune waits
for the end of every child.
"""

import atexit
import contextlib
import os
import re
import shutil
import site
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SECRET_VARIABLE = re.compile(r"DOMTUNE_\w*PASSWORD|PGPASSWORD|MYSQL_PWD")
_ROOT = str(Path(__file__).parent.parent)
_LOCK = threading.Lock()
_ABANDONED: list[subprocess.Popen[Any]] = []  # kept, as Python warns about a dropped process that was not reaped
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


def run_and_capture(
    words: Sequence[str], limit_s: float, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program without input to its end, and capture both outputs.

    Args:
        words: Command line.
        limit_s: Time limit, seconds; the program is killed then.
        folder: Working folder; None for the current folder.

    Raises:
        OSError: The program does not start.
        subprocess.TimeoutExpired: The program took longer than the limit.
    """
    return subprocess.run(
        list(words),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
        env=environment_without_secrets(),
    )


def terminate(child: subprocess.Popen[Any], asked_s: float, terminated_s: float, killed_s: float) -> None:
    """End a child process: close its input, terminate it, then kill it.

    Each step waits for the end of the child. A child that does not end is abandoned. The function never raises an
    error.

    Args:
        child: The child process.
        asked_s: Time to wait after its input is closed, seconds.
        terminated_s: Time to wait after SIGTERM, seconds.
        killed_s: Time to wait after SIGKILL, seconds.
    """
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
    for tell, patience_s in ((None, asked_s), (child.terminate, terminated_s), (child.kill, killed_s)):
        if tell is not None:
            # sudo runs as root, and accepts no signal from this account.
            with contextlib.suppress(PermissionError):
                tell()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(patience_s)
            return
    abandon(child)


def abandon(child: subprocess.Popen[Any]) -> None:
    """Abandon a child process that does not exit; reap it later.

    A command of root accepts no signal from other accounts. A process that the kernel blocks (a disk, a throttled
    group) reacts late. Abandoned processes are checked when the next one is abandoned, and when this process ends. The
    function never raises an error.
    """
    with _LOCK:
        _ABANDONED[:] = [other for other in _ABANDONED if other.poll() is None]
        if child.poll() is None and child not in _ABANDONED:
            _ABANDONED.append(child)


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


def close_pipes(child: subprocess.Popen[Any]) -> None:
    """Close this side of a child's pipes, with any unread data; never raise an error."""
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


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
