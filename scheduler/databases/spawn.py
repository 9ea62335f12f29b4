"""Start of a server's programs by `launch.py`."""

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from scheduler.children import PIPE, STDOUT, ChildProgram, open_input, python_script, run_and_capture
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
    uid, gid = _choose_ids(account)
    where = ",".join(str(cpu) for cpu in cpus) or "-"
    return python_script(_LAUNCH, str(os.getpid()), str(uid), str(gid), str(int(death_signal)), where, *program)


def bare_environment(home: Path) -> dict[str, str]:
    """Return an environment without the caller's locale, PG* variables or secrets."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": str(home), "TZ": "UTC", "PGTZ": "UTC"}


def start_program(
    words: Sequence[str], home: Path, log: IO[bytes], said: str = "", account: ServerAccount | None = None
) -> ChildProgram:
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
    with open_input(said, *_choose_ids(account)) as stdin:
        return ChildProgram(words, bare_environment(home), stdin=stdin, outputs=(log, STDOUT), folder=Path("/"))


def run_program(
    words: Sequence[str], home: Path, timeout_s: float, said: str, account: ServerAccount
) -> subprocess.CompletedProcess[str]:
    """Run a short program to its end; raise TimeoutError, OSError.

    Args:
        words: Command line of the program.
        home: Home folder of the program.
        timeout_s: Time limit, seconds.
        said: Standard input; empty for none.
        account: Account of the program, which may open the input by name (`/dev/stdin`).
    """
    with open_input(said, *_choose_ids(account)) as stdin:
        return run_and_capture(
            words, timeout_s, Path("/"), environment=bare_environment(home), stdin=stdin, outputs=(PIPE, STDOUT)
        )


def _choose_ids(account: ServerAccount | None) -> tuple[int, int]:
    """Return the user and group that root changes to; -1 and -1 for no change."""
    return (account.uid, account.gid) if account is not None and os.geteuid() == 0 else (-1, -1)
