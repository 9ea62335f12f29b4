"""Waits with a time limit, which the user can abort.

Signals and buttons only set a flag. A wait checks the flag by `check_abort` between two short waits. For calls that
cannot be interrupted, such as a driver written in C, `call_in_thread` checks the flag. Background threads and the way
out use `is_abort_requested`, which never raises an error.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from scheduler.translation import _


def _no_abort() -> bool:
    return False


_abort_asked: Callable[[], bool] = _no_abort


@contextlib.contextmanager
def use_abort_flag(asked: Callable[[], bool]) -> Generator[None, None, None]:
    """Use a function as the abort flag of this process inside the context.

    `asked` returns True once the user wants the end.
    """
    global _abort_asked  # noqa: PLW0603 - a process has one sweep, and one way to end its waits
    before, _abort_asked = _abort_asked, asked
    try:
        yield
    finally:
        _abort_asked = before


def is_abort_requested() -> bool:
    """Return True when the user wants the sweep of this process to end."""
    return _abort_asked()


_Answer = TypeVar("_Answer")
Check = Callable[[], None]

_LOOK_S = 0.1


def wait_until(fine: Callable[[], bool], limit_s: float, every_s: float = 0.01) -> bool:
    """Wait until a condition holds or the time is over; return True when it holds.

    Args:
        fine: The condition.
        limit_s: Time limit, seconds.
        every_s: Time between two checks, seconds.
    """
    deadline_s = time.monotonic() + limit_s
    while not fine():
        if time.monotonic() > deadline_s:
            return False
        threading.Event().wait(every_s)
    return True


class UserInterruption(Exception):
    """Interruption of a wait by the user.

    An interruption is no error, and code in between must not make it an error.
    """


class _AbortChecks(threading.local):
    """Check that the waits of one thread call."""

    check: Check | None = None


_checks = _AbortChecks()


@contextlib.contextmanager
def abortable(check: Check) -> Generator[None]:
    """Make the waits of this thread inside the context abortable.

    Args:
        check: Function that raises an error once the user wants the end.
    """
    before, _checks.check = _checks.check, check
    try:
        yield
    finally:
        _checks.check = before


def check_abort() -> None:
    """Raise the error of `abortable` once the user wants the end.

    Outside such a context, do nothing.
    """
    if _checks.check is not None:
        _checks.check()


class _ThreadCall(Generic[_Answer]):
    """Call of a function in its own thread, which may be abandoned."""

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
        """Return True when the function ended within a time, seconds."""
        return self._over.wait(seconds)

    def result(self) -> _Answer:
        """Return the function's result, or raise its error."""
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # a reference cycle through the traceback would keep a connection alive
        return self._found[0]


def _check_limit(waited_s: float, limit_s: float) -> None:
    if waited_s > limit_s:
        raise TimeoutError(_("no end within {limit_s:g} s").format(limit_s=limit_s))


def call_in_thread(
    function: Callable[[], _Answer],
    limit_s: float,
    watch: Callable[[float], None] = lambda _: None,
    leave: Callable[[], None] = lambda: None,
    *,
    aborts: bool = True,
) -> _Answer:
    """Run a function that cannot be interrupted; abandon it on abort or timeout.

    Args:
        function: The function. An abandoned function continues in its thread.
        limit_s: Time limit, seconds; infinity for no limit.
        watch: Called about ten times a second with the seconds since the start; its errors end the wait, too.
        leave: Called when the function is abandoned.
        aborts: False when the call is part of the way out, which an abort must not end.

    Raises:
        TimeoutError: The time is over.
        BaseException: An error of `function`, `watch` or the abort.
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
