"""Waiting for what the kernel or another program does, always with a limit, and never longer than the person wants.

Signals and buttons only set a flag. Whoever waits looks at the flag: by `check_abort` between two short waits, or by
`call` for what cannot be interrupted, such as a driver written in C. Background threads and the way out look at
`abort_asked`, which never raises.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Generator
from typing import Generic, TypeVar


def _no_abort() -> bool:
    return False


_abort_asked: Callable[[], bool] = _no_abort


@contextlib.contextmanager
def use_abort_flag(asked: Callable[[], bool]) -> Generator[None, None, None]:
    """Have waits that look at `abort_asked` end once `asked` returns True, as long as the context lasts."""
    global _abort_asked  # noqa: PLW0603 - a process has one sweep, and one way to end its waits
    before, _abort_asked = _abort_asked, asked
    try:
        yield
    finally:
        _abort_asked = before


def is_abort_requested() -> bool:
    """Return whether somebody wants the sweep of this process to end."""
    return _abort_asked()


_Answer = TypeVar("_Answer")
Check = Callable[[], None]

_LOOK_S = 0.1


def wait_until(fine: Callable[[], bool], limit_s: float, every_s: float = 0.01) -> bool:
    """Look until `fine` or the time is over; return whether it became so."""
    deadline_s = time.monotonic() + limit_s
    while not fine():
        if time.monotonic() > deadline_s:
            return False
        threading.Event().wait(every_s)
    return True


class UserInterruption(Exception):
    """A person asked for something else than waiting: no error, and nothing that code in between may turn into one."""


class _AbortChecks(threading.local):
    """Check that the waits of one thread call."""

    check: Check | None = None


_checks = _AbortChecks()


@contextlib.contextmanager
def abortable(check: Check) -> Generator[None]:
    """Have the waits of this thread inside the block end when the person asks for the end.

    Args:
        check: Raises once that was asked for.
    """
    before, _checks.check = _checks.check, check
    try:
        yield
    finally:
        _checks.check = before


def check_abort() -> None:
    """Raise what `abortable` was given to raise, once the end was asked for; elsewhere do nothing."""
    if _checks.check is not None:
        _checks.check()


class _ThreadCall(Generic[_Answer]):
    """A function that runs in a thread of its own, which may be left behind."""

    def __init__(self, function: Callable[[], _Answer]) -> None:
        self._function = function
        self._found: list[_Answer] = []
        self._error: BaseException | None = None
        self._over = threading.Event()
        threading.Thread(target=self._run, name="call", daemon=True).start()

    def _run(self) -> None:
        try:
            self._found.append(self._function())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._error = error
        finally:
            self._over.set()

    def wait(self, seconds: float) -> bool:
        """Return whether it ended within the time."""
        return self._over.wait(seconds)

    def result(self) -> _Answer:
        """Return what it returned, or raise what it raised."""
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # a cycle by way of the traceback would keep a connection alive
        return self._found[0]


def _check_limit(waited_s: float, limit_s: float) -> None:
    if waited_s > limit_s:
        raise TimeoutError(f"no end within {limit_s:g} s")


def call_in_thread(
    function: Callable[[], _Answer],
    limit_s: float,
    watch: Callable[[float], None] = lambda _: None,
    leave: Callable[[], None] = lambda: None,
    *,
    aborts: bool = True,
) -> _Answer:
    """Run a function that nothing can interrupt, and leave it behind when the person aborts or the time is over.

    Args:
        function: Runs in a thread of its own. It goes on there when it was left behind.
        limit_s: Seconds that it may take; infinity for no limit.
        watch: Called about ten times a second with the seconds since the start; what it raises ends the wait, too.
        leave: Called when the function is left behind.
        aborts: False where the call is part of the way out, and must not be ended by an abort.

    Raises:
        TimeoutError: The time is over.
        BaseException: What `function`, `watch` or the abort raises.
    """
    if aborts:
        check_abort()
    began_s = time.monotonic()
    work = _ThreadCall(function)
    try:
        while not work.wait(_LOOK_S):
            waited_s = time.monotonic() - began_s
            if aborts:
                check_abort()
            _check_limit(waited_s, limit_s)
            watch(waited_s)
    except BaseException:
        leave()
        raise
    return work.result()
