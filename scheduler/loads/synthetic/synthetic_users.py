"""What users of both loads do alike: draw a number, ask, compare the answer, repeat what the server asks to repeat."""

import random
from collections.abc import Callable, Sequence

from scheduler.databases.protocols import Row
from scheduler.loads.operation import Operation
from scheduler.loads.osdb.osdb_users import open_user
from scheduler.loads.user_messages import BeginOrder

IsRightAnswer = Callable[[int, Sequence[Row]], bool]
"""Whether these rows are the answer for a number."""


def repeat_question(begin: BeginOrder, statement: str, numbers: int, right: IsRightAnswer) -> Operation:
    """Return the operation of one user: BEGIN, SELECT, COMMIT with a number of its own each time.

    Args:
        begin: Who the user is.
        statement: With `%d` for the number.
        numbers: From how many, 0 on, it is drawn.
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
                    raise user.told(f"a user of {begin.kind}", error) from error
                retried()

    return operation
