"""What the pool and its user processes say to each other: JSON lines on the process's stdin and stdout."""

from collections.abc import Mapping

import msgspec

from scheduler.model.databases import STANDARD
from scheduler.model.figures import Figure
from scheduler.model.lines import decode
from scheduler.model.parameters import Value


class Begin(msgspec.Struct, frozen=True, tag_field="$", tag="begin"):
    """First line to a user process: connect, and answer `Ready`.

    Attributes:
        connection: What its database's driver connects with, the password among it; hence stdin and not argv.
        kind: Load kind.
        tuples: Rows per relation.
        seed: Seed of the sweep; the user's own follows from (seed, kind, user).
        user: Number of the user, from 0.
        cpus: CPUs that the process is confined to; empty for all.
        parameters: Every parameter that the kind declares, with its value.
        database: Name of the kind of database (`scheduler/model/databases.py`).
        own: Kind of the load that has these tables to itself; empty where they are the shared ones.
    """

    connection: Mapping[str, str]
    kind: str
    tuples: int
    seed: int
    user: int
    cpus: tuple[int, ...] = ()
    parameters: Mapping[str, Value] = {}
    database: str = STANDARD
    own: str = ""

    def __repr__(self) -> str:
        """Keep the password out of every log."""
        return f"Begin(kind={self.kind!r}, tuples={self.tuples}, user={self.user})"


class Go(msgspec.Struct, frozen=True, tag_field="$", tag="go"):
    """Start, or go on after `Park`, at `at_s` of the clock that seconds are told by; whole ones after that are told."""

    at_s: float


class Align(msgspec.Struct, frozen=True, tag_field="$", tag="align"):
    """Tell moments and seconds by another computer's clock from now on: by one that is `ahead_s` behind one's own."""

    ahead_s: float


class Park(msgspec.Struct, frozen=True, tag_field="$", tag="park"):
    """Wait after the current operation; answer `Parked`."""


class Cooled(msgspec.Struct, frozen=True, tag_field="$", tag="cooled"):
    """Go on after `Cold`: the database was started anew.

    Attributes:
        kept_bytes: What stayed of its files in memory.
    """

    kept_bytes: int


class Stop(msgspec.Struct, frozen=True, tag_field="$", tag="stop"):
    """End after the current operation; answer `Totals`."""


Order = Begin | Align | Go | Park | Cooled | Stop


class Ready(msgspec.Struct, frozen=True, tag_field="$", tag="ready"):
    """Connected."""


class Report(msgspec.Struct, frozen=True, tag_field="$", tag="report"):
    """One whole second of one user.

    Attributes:
        second: Its start on the monotonic clock.
        count: Tuples read or committed in it.
        histogram: Service times, bucket to count.
        retries: Operations repeated after a serialization failure or deadlock.
        cpu_s: CPU seconds of the process since the last report.
        waiting_s: How long the operation in flight has been waiting for its answer.
        errors: Operations given up.
        sorts: Sort of operation to its service times, where the load has several; those that do not count included.
        failures: Sort of those given up, to how many.
        figures: What was measured of operations that ended in it.
    """

    second: int
    count: int
    histogram: dict[int, int]
    retries: int
    cpu_s: float
    waiting_s: float
    errors: int = 0
    sorts: dict[str, dict[int, int]] = {}
    failures: dict[str, int] = {}
    figures: tuple[Figure, ...] = ()


class Parked(msgspec.Struct, frozen=True, tag_field="$", tag="parked"):
    """No operation is in flight until the next `Go`."""


class Cold(msgspec.Struct, frozen=True, tag_field="$", tag="cold"):
    """Its next operation wants a database that remembers nothing: it has left, and waits for `Cooled`."""


class Totals(msgspec.Struct, frozen=True, tag_field="$", tag="totals"):
    """The last line of a user that was stopped: everything since it began, warm-up and tail included.

    Attributes:
        tuples: Tuples read or committed.
        misses: Operations that did not touch exactly the one row that was asked for.
        retries: Operations repeated.
        told: What an engine's lines told of, second by second; None for users of ours, who count.
        sorts: Sort of operation to how many there were, where the load has several.
        answers: What operations answered, each with how often, where the load keeps that.
    """

    tuples: int
    misses: int
    retries: int
    told: int | None = None
    sorts: Mapping[str, int] = {}
    answers: Mapping[str, int] = {}


class Failed(msgspec.Struct, frozen=True, tag_field="$", tag="failed"):
    """The last line of a user that cannot go on.

    Attributes:
        text: What happened, with the server's message.
        hint: What to do about it.
        error: Name of the error class (`scheduler.errors`).
    """

    text: str
    hint: str
    error: str


Answer = Ready | Report | Parked | Cold | Totals | Failed

_ENCODER = msgspec.json.Encoder()
_ORDERS = msgspec.json.Decoder(Order)
_ANSWERS = msgspec.json.Decoder(Answer)


def to_line(value: Order | Answer) -> bytes:
    """Return one JSON line."""
    return _ENCODER.encode(value) + b"\n"


def to_order(line: bytes) -> Order:
    """Read one order; raises msgspec.DecodeError."""
    return decode(_ORDERS, line)


def to_answer(line: bytes) -> Answer:
    """Read one answer; raises msgspec.DecodeError."""
    return decode(_ANSWERS, line)
