"""JSON lines between the window, the core and the users."""

import io
from functools import partial
from random import Random

import msgspec

from scheduler.background_runs import SWEEP
from scheduler.loads import user_messages
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.codec import AbortRun, BeginRun, PauseRun, ResumeRun, decode_document, decode_order, encode_line
from scheduler.run import window_link
from scheduler.run.control import AbortRequested, MonotonicClock, PauseRequested, RunControl
from tests.data_maker import make_documents, make_spec
from tests.fuzz.spoiling import spoil_bytes

_DOCUMENTS = [encode_line(document) for document in make_documents(repeats=1)][::7]
_ORDERS = [
    encode_line(order)
    for order in (BeginRun(make_spec(), {"postgresql://h/db": "x"}), PauseRun(), ResumeRun(), AbortRun())
]
_USERS = [
    user_messages.encode_line(order)
    for order in (
        user_messages.BeginOrder({"host": "h"}, "osdb-ir", 10, 1, 0, (0, 1)),
        user_messages.GoOrder(1.5),
        user_messages.ParkOrder(),
        user_messages.SecondReport(1, 2, {3: 4}, 0, 0.1, 0.2),
        user_messages.UserTotals(1, 0, 0),
        user_messages.FailedAnswer("no", "", "LoadError"),
    )
]


def document(rng: Random) -> object:
    return _read(decode_document, spoil_bytes(rng, rng.choice(_DOCUMENTS)))


def order(rng: Random) -> object:
    return _read(decode_order, spoil_bytes(rng, rng.choice(_ORDERS)))


def user_line(rng: Random) -> object:
    line = spoil_bytes(rng, rng.choice(_USERS))
    return _read(user_messages.decode_order, line), _read(user_messages.decode_answer, line)


def first_line(rng: Random) -> object:
    stream = io.BytesIO(spoil_bytes(rng, b"".join(rng.choices(_ORDERS, k=2))))
    try:
        return window_link.read_begin(stream)
    except (msgspec.MsgspecError, EOFError):
        return None


def buttons(rng: Random) -> object:
    """Whatever the window says, the end of its input ends the sweep."""
    control = RunControl(MonotonicClock())
    stream = io.BytesIO(spoil_bytes(rng, b"".join(rng.choices(_ORDERS, k=4))))
    with window_link.WindowLink(SWEEP) as link:
        take, end = partial(window_link.carry_out_order, control=control), partial(control.abort, "the window is gone")
        link.listen(partial(stream.readline, MOST_LINE_BYTES + 1), take, end).join(10)
    try:
        control.check_abort()
    except (AbortRequested, PauseRequested):
        return None
    raise AssertionError("the window is gone, and nobody was told")


def _read(read, line):
    try:
        return read(line)
    except msgspec.DecodeError:
        return None


TARGETS = {each.__name__: each for each in (document, order, user_line, first_line, buttons)}
