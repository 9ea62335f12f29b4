"""Errors for answers that no driver can read.

Drivers check little of a server's answer. Misplaced bytes cause an IndexError, UnicodeDecodeError, struct.error,
AssertionError, or a bare Exception.
"""

import logging

from scheduler.errors import DatabaseUnreachable, LoadError, SchedulerError
from scheduler.translation import _
from scheduler.waiting import UserInterruption

log = logging.getLogger(__name__)

OWN_ERRORS = (SchedulerError, UserInterruption)
"""Errors that pass unchanged."""

_HINT = _("Is it the server that you mean, and no proxy or other program at its address? domtune.log has more.")
_MOST_CHARS = 200


def misread_error(doing: str, error: Exception) -> LoadError:
    """Return the error for an unreadable answer; write the traceback to the log.

    Args:
        doing: The activity, for the message.
        error: The exception from reading the answer.
    """
    log.warning("%s: an answer that cannot be understood", doing, exc_info=error)
    return LoadError(
        _("{doing}: the database sent an unreadable answer ({error})").format(
            doing=doing, error=_describe_error(error)
        ),
        hint=_HINT,
    )


def unreadable_error(place: str, error: Exception) -> DatabaseUnreachable:
    """Return the error for a connection on which no such database answers.

    Args:
        place: Address of the connection.
        error: The exception from reading the answer.
    """
    log.warning("%s: an answer that cannot be understood", place, exc_info=error)
    text = _("no connection to {place}: it does not answer as a database ({error})").format(
        place=place, error=_describe_error(error)
    )
    return DatabaseUnreachable(text, hint=_HINT)


def _describe_error(error: Exception) -> str:
    said = " ".join(str(error).split())[:_MOST_CHARS]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
