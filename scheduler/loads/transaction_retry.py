"""A transaction that the server asks to repeat is repeated with the same input, some times."""

from collections.abc import Callable
from typing import TypeVar

from scheduler.databases.protocols import TransactionSession
from scheduler.errors import LoadError
from scheduler.loads.transaction_outcome import RowNotFound, SerializationConflict

MOST_REPEATS = 10
"""Of a transaction with the same input; then it is given up, an error."""

Asked = TypeVar("Asked")
Ended = TypeVar("Ended")


def retry_transaction(
    user: TransactionSession, run: Callable[[Asked], Ended], asked: Asked, retried: Callable[[], None], who: str
) -> Ended | None:
    """Return how a transaction ended; None where it was given up.

    Args:
        user: Its connection.
        run: Runs it to its end.
        asked: Its input.
        retried: Called for each repetition.
        who: What messages call the user, for example `a user of order entry`.

    Raises:
        LoadError: The server refused it for good, or the tables lack a row.
    """
    for left in reversed(range(MOST_REPEATS + 1)):
        try:
            return run(asked)
        except SerializationConflict:
            user.undo()
        except RowNotFound as error:
            raise LoadError(f"{who}: {error}", hint="Does another program write to it?") from error
        except user.errors as error:
            if not user.repeats(error):
                raise user.told(who, error) from error
        if left:
            retried()
    return None
