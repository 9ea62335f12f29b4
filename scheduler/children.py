"""What every process that we start has in common: no module out of the current folder, no password of ours, an end."""

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
_ABANDONED: list[subprocess.Popen[Any]] = []  # given up; whoever drops an unreaped one is warned of it by Python
_STILL_RUNNING = 0  # for an exit status that we do not live to see


def python_module(module: str, *words: str) -> list[str]:
    """Return the command line that runs one of our modules with this interpreter.

    `-P`: without it `python -m` looks for every module in the current folder first, and whoever may write there
    (`cd /tmp`) would run with our rights.
    """
    return [sys.executable, "-P", "-m", module, *words]


def python_script(path: Path, *words: str, python: str = "") -> list[str]:
    """Return the command line that runs a file that imports the standard library only (`-I`), and no packages (`-S`).

    Args:
        path: The file.
        words: Its arguments.
        python: Another interpreter than ours, with its packages: the file may import those.
    """
    return [python, "-I", str(path), *words] if python else [sys.executable, "-I", "-S", str(path), *words]


def find_program(name: str, path: str | None = None) -> str:
    """Return the whole path of a program; empty when it is not there.

    Entries of PATH that are relative or empty are skipped: they name whatever lies in the current folder.

    Args:
        name: Its name, or its whole path.
        path: Folders to search, as PATH has them; PATH itself when absent.
    """
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    if "/" in name and not name.startswith("/"):
        return ""
    absolute = [folder for folder in folders if folder.startswith("/")]
    return shutil.which(name, path=os.pathsep.join(absolute)) or ""


def drop_relative_folders() -> None:
    """Take relative and empty entries out of PATH, for every program that this process starts by its name."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(folder for folder in folders if folder.startswith("/"))


def run_and_capture(
    words: Sequence[str], limit_s: float, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that wants no input to its end, and keep both of its outputs.

    Args:
        words: Its command line.
        limit_s: When it is ended.
        folder: Where it runs; the current folder when absent.

    Raises:
        OSError: It does not start.
        subprocess.TimeoutExpired: It took longer.
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
    """End a child: its input closes, it is terminated, it is killed; each time it is waited for. Never raises."""
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
    for tell, patience_s in ((None, asked_s), (child.terminate, terminated_s), (child.kill, killed_s)):
        if tell is not None:
            # sudo is root's: it takes no signal from an account of its own.
            with contextlib.suppress(PermissionError):
                tell()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(patience_s)
            return
    abandon(child)


def abandon(child: subprocess.Popen[Any]) -> None:
    """Wait no longer for a child that does not end; it is reaped when it has ended and we look again. Never raises.

    A command of root takes no signal from us; one that the kernel holds (a disk, a throttled group) takes it late.
    We look again when the next one is left, and as this process ends.
    """
    with _LOCK:
        _ABANDONED[:] = [other for other in _ABANDONED if other.poll() is None]
        if child.poll() is None and child not in _ABANDONED:
            _ABANDONED.append(child)


@atexit.register
def _reap_at_exit() -> None:
    """Reap whoever has ended since; who goes on was left on purpose, and Python is not to call it forgotten."""
    with _LOCK:
        for child in _ABANDONED:
            if child.poll() is None:
                child.returncode = _STILL_RUNNING
        _ABANDONED.clear()


def close_pipes(child: subprocess.Popen[Any]) -> None:
    """Close our ends of a child's pipes; what it did not read is lost with it. Never raises."""
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def environment_without_secrets() -> dict[str, str]:
    """Return our environment without any password: what a program needs, it is given by itself."""
    return {name: value for name, value in os.environ.items() if not _SECRET_VARIABLE.fullmatch(name)}


def python_environment() -> dict[str, str]:
    """Return the same for a module of ours, findable where the product runs from a source tree, not installed."""
    return {**environment_without_secrets(), **import_path()}


def bare_environment() -> dict[str, str]:
    """Return an environment without anything of the user's, for a module of ours that reads what strangers send."""
    fixed = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    return {**fixed, **import_path()}


def our_environment() -> dict[str, str]:
    """Return ours whole, for another process of this program that goes on where we end: passwords are for it."""
    return {**os.environ, **import_path()}


def import_path() -> dict[str, str]:
    """Return the variable that a child needs to find this product; empty when it is installed (editable or not)."""
    installed = {*site.getsitepackages(), site.getusersitepackages()}
    if _ROOT in installed or _ROOT not in sys.path:
        return {}
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path not in {"", _ROOT}]
    return {"PYTHONPATH": os.pathsep.join([_ROOT, *others])}
