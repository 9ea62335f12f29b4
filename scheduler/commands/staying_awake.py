"""Inhibitor that keeps this computer awake during a run (systemd-inhibit(1)).

The inhibitor is a process that holds a lock of logind until its input ends. It therefore also ends with a killed run.
"""

import contextlib
import logging
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from scheduler.children import DEVNULL, PIPE, ChildProgram, environment_without_secrets, find_program
from scheduler.model.host_kinds import is_simulated
from scheduler.translation import _

log = logging.getLogger(__name__)

_PROGRAM = "systemd-inhibit"
_OPTIONS = ("--what=sleep:idle", "--who=DomTune", "--mode=block")
_ECHO = "cat"  # holds the lock while it copies its input, and so shows that the lock is held
_READY = b"held"
_ANSWER_S = 3.0  # a session bus that does not answer must not delay the run for longer
_END_S = 1.0


@contextmanager
def stay_awake(url: str, purpose: str, report: Callable[[str], object]) -> Generator[None]:
    """Keep this computer awake inside the context, except for a simulated host.

    Without logind the run goes on, and the computer may fall asleep.

    Args:
        url: URL of the host.
        purpose: What runs, for people who look at the inhibitors: `a sweep`.
        report: Takes the sentence about an inhibitor that does not work.
    """
    if is_simulated(url):
        yield
        return
    inhibitor = _start_inhibitor(purpose)
    if isinstance(inhibitor, str):
        log.info("%s", inhibitor)
        report(inhibitor)
        yield
        return
    try:
        yield
    finally:
        _end_inhibitor(inhibitor)


def print_unless(*, quiet: bool) -> Callable[[str], None]:
    """Return a function that prints a sentence to standard error, unless quiet.

    Args:
        quiet: True to print nothing.
    """

    def print_sentence(text: str) -> None:
        with contextlib.suppress(OSError):
            if not quiet:
                print(text, file=sys.stderr)

    return print_sentence


def _start_inhibitor(purpose: str) -> ChildProgram | str:
    """Return the inhibiting process, or a sentence why there is none."""
    program, echo = find_program(_PROGRAM), find_program(_ECHO)
    if not program or not echo:
        return _("This computer may fall asleep during the run, because {program} is not installed.").format(
            program=_PROGRAM
        )
    words = [program, *_OPTIONS, f"--why=DomTune runs {purpose}", echo]
    try:
        child = ChildProgram(words, environment_without_secrets(), outputs=(PIPE, DEVNULL))
    except OSError as error:
        log.info("%s does not start: %s", _PROGRAM, error)
        return _("This computer may fall asleep during the run, because {program} does not start.").format(
            program=_PROGRAM
        )
    if _is_ready(child):
        return child
    _end_inhibitor(child)
    return _("This computer may fall asleep during the run, because logind did not accept an inhibitor.")


def _is_ready(child: ChildProgram) -> bool:
    child.write(_READY + b"\n")
    try:
        return child.read_line(_ANSWER_S) == _READY
    except OSError:  # includes a timeout
        return False


def _end_inhibitor(child: ChildProgram) -> None:
    child.end(_END_S, _END_S, _END_S)
    child.close_pipes()
