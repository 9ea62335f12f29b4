"""`domtune watch` of a lab for as long as it needs to name a split, and no longer."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Self

from scheduler.commands.exit_codes import ExitCode
from scheduler.follow.counter_windows import LEAST_KEPT, WINDOW_S
from scheduler.model.observation_documents import ObservationWindow, WatchResult, decode_observation_line
from scheduler.model.split import parse_split

_A_MINUTE = 6  # windows; what is named is made of those of a minute, three at least


class Watching:
    """Watches a host from now on; what it says is taken when it is asked for.

    Args:
        url: The host.
        environment: In which it is known.
    """

    def __init__(self, url: str, environment: Mapping[str, str] = os.environ) -> None:
        words = ["watch", url, "--for", "10m", "--json", "--windows"]
        command = [sys.executable, "-m", "scheduler", *words]
        self._began_s = 0.0
        self._process = subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def begun(self) -> None:
        """Wait until it watches."""
        line = self._line()
        assert b'"observation_started"' in line, line
        self._began_s = time.monotonic()

    def answer(self, since_s: float = 0.0, *, changed: bool = False) -> WatchResult:
        """Stop it, as a person would, when enough windows were seen; return what it came to.

        Args:
            since_s: Of windows that began after this moment on the monotonic clock.
            changed: Another split was set since it began, and that one counts. The minute in which that happened is of
                no use, nor is the window after it.
        """
        windows, used, first_cpus, enough = 0, 0, 0.0, LEAST_KEPT + changed
        # Two windows unlike those before are another load, and all that is kept then: a minute has three more of it.
        least = _A_MINUTE if since_s > 0 else enough
        while isinstance(reported := decode_observation_line(self._line()), ObservationWindow):
            print(reported)
            used = used if windows % _A_MINUTE else 0
            windows, first_cpus = windows + 1, first_cpus or reported.io_allowed_cpus
            counts = self._began_s + reported.t_s - WINDOW_S >= since_s and not reported.trouble
            used += counts and changed == (reported.io_allowed_cpus != first_cpus)
            if used >= enough and windows >= least:
                self._process.send_signal(signal.SIGTERM)
        print(reported)
        assert isinstance(reported, WatchResult)
        assert self._process.wait(60) == ExitCode.ABORTED, reported
        return reported

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def named(answer: WatchResult) -> float:
    """Return the split that was named, CPU of the I/O domain per CPU of the guest."""
    assert answer.split is not None, answer
    return ratio(answer.split.label)


def ratio(label: str) -> float:
    """Return the I/O domain's part of a split, over the guest's."""
    split = parse_split(label)
    return split.io / split.guest
