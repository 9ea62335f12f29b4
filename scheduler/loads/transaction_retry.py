"""Repetition of a transaction, with the same input, when the server asks for it."""

from collections.abc import Callable
from typing import TypeVar

from scheduler.databases.protocols import TransactionSession
from scheduler.errors import LoadError
from scheduler.loads.transaction_outcome import RowNotFound, SerializationConflict
from scheduler.translation import _

MOST_REPEATS = 10
"""Largest number of repetitions of a transaction; then it is given up, which is an error."""

Asked = TypeVar("Asked")
Ended = TypeVar("Ended")


def retry_transaction(
    user: TransactionSession, run: Callable[[Asked], Ended], asked: Asked, retried: Callable[[], None], who: str
) -> Ended | None:
    """Return the outcome of a transaction; None when it was given up.

    Args:
        user: Connection of the user.
        run: Runs the transaction to its end.
        asked: Input of the transaction.
        retried: Called for each repetition.
        who: Name of the user in messages, for example `a user of order entry`.

    Raises:
        LoadError: The server refused the transaction for good, or a row is missing.
    """
    for left in reversed(range(MOST_REPEATS + 1)):
        try:
            return run(asked)
        except SerializationConflict:
            user.undo()
        except RowNotFound as error:
            raise LoadError(f"{who}: {error}", hint=_("Does another program write to it?")) from error
        except user.errors as error:
            if not user.repeats(error):
                raise user.told(who, error) from error
        if left:
            retried()
    return None
