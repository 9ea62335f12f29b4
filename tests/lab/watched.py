"""`domtune watch` of a lab for as long as it needs to name a split, and no longer."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping

from scheduler.commands.exits import Exit
from scheduler.follow.windows import LEAST_KEPT
from scheduler.model.split import parse_split
from scheduler.model.watching import Watched, WatchWindow, to_watch_line

_A_MINUTE = 6  # windows; what is named is made of those of a minute, three at least


def watched(
    url: str, environment: Mapping[str, str] = os.environ, change: Callable[[], None] | None = None
) -> Watched:
    """Watch; stop it, as a person would, when enough windows were seen; return what it came to.

    Args:
        url: The lab.
        environment: In which it is known.
        change: Sets what is to be watched once watching has begun, where nobody could log in beneath that. The minute in
            which it happens is of no use, nor is the window after it.
    """
    words = ["watch", url, "--for", "10m", "--json", "--windows"]
    command = [sys.executable, "-m", "scheduler", *words]
    answer, windows, used = Watched(), 0, 0
    enough, useless = (LEAST_KEPT, 0) if change is None else (LEAST_KEPT + 1, _A_MINUTE)
    with subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE) as watching:
        try:
            assert watching.stdout is not None
            for line in watching.stdout:
                told = to_watch_line(line)
                print(told)
                if isinstance(told, Watched):
                    answer = told
                elif isinstance(told, WatchWindow):
                    used = (used if windows % _A_MINUTE else 0) + (not told.trouble)
                    windows += 1
                    if used == enough and windows > useless:
                        watching.send_signal(signal.SIGTERM)
                elif change is not None:
                    change()
            assert watching.wait(60) == Exit.ABORTED, answer
        finally:
            watching.kill()
    return answer


def named(answer: Watched) -> float:
    """Return the split that was named, CPU of the I/O domain per CPU of the guest."""
    assert answer.split, answer
    return ratio(answer.split)


def ratio(label: str) -> float:
    """Return the I/O domain's part of a split, over the guest's."""
    split = parse_split(label)
    return float(split.io / split.guest)
