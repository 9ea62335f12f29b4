"""Laws of a user's seconds: only whole ones are told."""

import math
import time

from scheduler.loads.user_messages import GoOrder, ParkOrder, SecondReport, decode_answer
from scheduler.loads.worker import OrderListener, WorkerState


def reports_of(listener: OrderListener, capfd) -> list[SecondReport]:
    listener._report_seconds()
    return [decode_answer(line.encode()) for line in capfd.readouterr().out.splitlines()]


def test_operations_of_the_broken_first_second_never_count(capfd):
    user, past_s = WorkerState(), math.floor(time.monotonic()) - 10.0
    listener = OrderListener(user)
    for go_s in (past_s + 0.5, past_s + 4.5):  # the first start, and going on after a park
        listener._obey_order(GoOrder(go_s))
        user.tally.note((go_s, go_s + 0.2, 1))
        user.tally.note((go_s + 0.2, go_s + 0.7, 1))
        first, *_ = reports_of(listener, capfd)
        assert (first.second, first.count) == (math.ceil(go_s), 1)
        listener._obey_order(ParkOrder())
        user.tally.note((go_s + 0.7, go_s + 4.1, 1))  # ended while it was parked
