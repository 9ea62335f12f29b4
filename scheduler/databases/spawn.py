"""Starting the server's programs through `launch.py`."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO

from scheduler.children import python_script
from scheduler.databases.account import ServerAccount

_LAUNCH = Path(__file__).with_name("launch.py")

# Immediate shutdown (PostgreSQL manual, "Shutting Down the Server"): the fast one would first write a
# checkpoint, which takes long under a CPU quota of a few per cent; the write-ahead log makes it crash-safe.
DEATH_SIGNAL = signal.SIGQUIT


def build_command(
    account: ServerAccount | None, cpus: Sequence[int], program: Sequence[str], death_signal: int = DEATH_SIGNAL
) -> list[str]:
    """Return the words that run `program`, bound to this process's life.

    Args:
        account: Whom to run it as when we are root; None for ourselves.
        cpus: Where to run it; empty for all.
        program: Its path and arguments.
        death_signal: What it gets when we end.
    """
    uid, gid = (account.uid, account.gid) if account is not None and os.geteuid() == 0 else (-1, -1)
    where = ",".join(str(cpu) for cpu in cpus) or "-"
    return python_script(_LAUNCH, str(os.getpid()), str(uid), str(gid), str(int(death_signal)), where, *program)


def bare_environment(home: Path) -> dict[str, str]:
    """Return a bare environment: nothing of the caller's locale, PG* variables or secrets goes along."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": str(home), "TZ": "UTC", "PGTZ": "UTC"}


def start_program(
    words: Sequence[str], home: Path, log: IO[bytes], said: str = "", account: ServerAccount | None = None
) -> subprocess.Popen[bytes]:
    """Start a long-running program in a session of its own, its output going to `log`.

    The kernel binds it to the calling *thread* (prctl(2), PR_SET_PDEATHSIG): call this from a thread
    that lives as long as the process.

    Args:
        words: Its command line.
        home: Its home folder.
        log: Where its output goes.
        said: Its standard input; empty for none.
        account: As for `run`.
    """
    with _open_input(said, account) as stdin:
        return subprocess.Popen(
            list(words),
            stdin=stdin,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=bare_environment(home),
            start_new_session=True,
        )


def run_program(
    words: Sequence[str], home: Path, timeout_s: float, said: str, account: ServerAccount
) -> subprocess.CompletedProcess[str]:
    """Run a short program to its end; raises subprocess.TimeoutExpired, OSError.

    Args:
        words: Its command line.
        home: Its home folder.
        timeout_s: When it is ended.
        said: Its standard input; empty for none.
        account: Who it runs as, and may open that input by its name (`/dev/stdin`).
    """
    with _open_input(said, account) as stdin:
        return subprocess.run(
            list(words),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=bare_environment(home),
            start_new_session=True,
            timeout=timeout_s,
            check=False,
            text=True,
            errors="replace",
        )


@contextlib.contextmanager
def _open_input(said: str, account: ServerAccount | None) -> Generator[int, None, None]:
    """Yield a descriptor to read `said` from, which that account may also open by its name."""
    if not said:
        yield subprocess.DEVNULL
        return
    with os.fdopen(os.memfd_create("domtune-input"), "r+b") as memory:  # it may be more than a pipe takes at once
        if account is not None and os.geteuid() == 0:
            os.fchown(memory.fileno(), account.uid, account.gid)
        memory.write(said.encode())
        memory.seek(0)
        yield memory.fileno()
