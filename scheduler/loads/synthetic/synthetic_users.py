"""Common user of the synthetic loads: draw a number, query, compare the answer."""

import random
from collections.abc import Callable, Sequence

from scheduler.databases.protocols import Row
from scheduler.loads.operation import Operation
from scheduler.loads.osdb.osdb_users import open_user
from scheduler.loads.user_messages import BeginOrder
from scheduler.translation import _

IsRightAnswer = Callable[[int, Sequence[Row]], bool]
"""Returns True when the rows are the correct answer for a number."""


def repeat_question(begin: BeginOrder, statement: str, numbers: int, right: IsRightAnswer) -> Operation:
    """Return the operation of one user: BEGIN, SELECT, COMMIT with a random number.

    The transaction is repeated with the same number when the server asks for it.

    Args:
        begin: Identity of the user, and its connection.
        statement: SQL statement, with `%d` for the number.
        numbers: Upper bound of the number, which is drawn from 0..`numbers` - 1.
        right: Compares the answer.
    """
    user = open_user(begin)
    rows, errors = user.rows, user.errors
    draw = random.Random(f"{begin.seed}/{begin.kind}/{begin.user}").random
    template = statement.encode("ascii")

    def operation(retried: Callable[[], None]) -> int:
        number = int(draw() * numbers)
        asked = template % number
        while True:
            try:
                return 1 if right(number, rows(asked)) else 0
            except errors as error:
                if not user.repeats(error):
                    raise user.told(_("a user of {kind}").format(kind=begin.kind), error) from error
                retried()

    return operation
