"""Start of a server's programs by `launch.py`."""

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

# Immediate shutdown (PostgreSQL manual, "Shutting Down the Server"): the fast mode would first write a checkpoint,
# which takes long under a CPU quota of a few per cent. The write-ahead log makes the immediate mode safe.
DEATH_SIGNAL = signal.SIGQUIT


def build_command(
    account: ServerAccount | None, cpus: Sequence[int], program: Sequence[str], death_signal: int = DEATH_SIGNAL
) -> list[str]:
    """Return the command that runs a program, bound to this process's life.

    Args:
        account: Account of the program when this process is root; None for this account.
        cpus: CPUs of the program; empty for all.
        program: Path and arguments of the program.
        death_signal: Signal that the program receives when this process ends.
    """
    uid, gid = (account.uid, account.gid) if account is not None and os.geteuid() == 0 else (-1, -1)
    where = ",".join(str(cpu) for cpu in cpus) or "-"
    return python_script(_LAUNCH, str(os.getpid()), str(uid), str(gid), str(int(death_signal)), where, *program)


def bare_environment(home: Path) -> dict[str, str]:
    """Return an environment without the caller's locale, PG* variables or secrets."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": str(home), "TZ": "UTC", "PGTZ": "UTC"}


def start_program(
    words: Sequence[str], home: Path, log: IO[bytes], said: str = "", account: ServerAccount | None = None
) -> subprocess.Popen[bytes]:
    """Start a long-running program in a session of its own, with output to `log`.

    The kernel binds the program to the calling *thread* (prctl(2), PR_SET_PDEATHSIG): call this from a thread that
    lives as long as the process.

    Args:
        words: Command line of the program.
        home: Home folder of the program.
        log: File for the output.
        said: Standard input; empty for none.
        account: As for `run_program`.
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
    """Run a short program to its end; raise subprocess.TimeoutExpired, OSError.

    Args:
        words: Command line of the program.
        home: Home folder of the program.
        timeout_s: Time limit, seconds.
        said: Standard input; empty for none.
        account: Account of the program, which may open the input by name (`/dev/stdin`).
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
    """Yield a descriptor with the input, which the account may also open by name."""
    if not said:
        yield subprocess.DEVNULL
        return
    with os.fdopen(os.memfd_create("domtune-input"), "r+b") as memory:  # a pipe may be too small for the input
        if account is not None and os.geteuid() == 0:
            os.fchown(memory.fileno(), account.uid, account.gid)
        memory.write(said.encode())
        memory.seek(0)
        yield memory.fileno()
