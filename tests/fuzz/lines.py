"""JSON lines between the window, the core and the users."""

import io
from random import Random

import msgspec

from scheduler.loads import orders
from scheduler.model.codec import Abort, Begin, Pause, Resume, to_document, to_line, to_order
from scheduler.run import wire
from scheduler.run.control import AbortRequested, Control, MonotonicClock, PauseRequested
from tests.data_maker import make_documents, make_spec
from tests.fuzz.spoiling import spoil_bytes

_DOCUMENTS = [to_line(document) for document in make_documents(repeats=1)][::7]
_ORDERS = [to_line(order) for order in (Begin(make_spec(), {"postgresql://h/db": "x"}), Pause(), Resume(), Abort())]
_USERS = [
    orders.to_line(order)
    for order in (
        orders.Begin({"host": "h"}, "osdb-ir", 10, 1, 0, (0, 1)),
        orders.Go(1.5),
        orders.Park(),
        orders.Report(1, 2, {3: 4}, 0, 0.1, 0.2),
        orders.Totals(1, 0, 0),
        orders.Failed("no", "", "LoadError"),
    )
]


def document(rng: Random) -> object:
    return _read(to_document, spoil_bytes(rng, rng.choice(_DOCUMENTS)))


def order(rng: Random) -> object:
    return _read(to_order, spoil_bytes(rng, rng.choice(_ORDERS)))


def user_line(rng: Random) -> object:
    line = spoil_bytes(rng, rng.choice(_USERS))
    return _read(orders.to_order, line), _read(orders.to_answer, line)


def first_line(rng: Random) -> object:
    stream = io.BytesIO(spoil_bytes(rng, b"".join(rng.choices(_ORDERS, k=2))))
    try:
        return wire.read_begin(stream)
    except (msgspec.MsgspecError, EOFError):
        return None


def buttons(rng: Random) -> object:
    """Whatever the window says, the end of its input ends the sweep."""
    control = Control(MonotonicClock())
    stream = io.BytesIO(spoil_bytes(rng, b"".join(rng.choices(_ORDERS, k=4))))
    listener = wire.listen(stream, control)
    listener.join(10)
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
