"""What the pool and its user processes say to each other: JSON lines on the process's stdin and stdout.

Users may run on computers of others, so every field of an answer is bounded: a line outside is an error of ours.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from scheduler.loads.latency import MOST_BUCKET
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.databases import STANDARD_DATABASE
from scheduler.model.named_figures import NamedFigure
from scheduler.model.parameters import ParameterValue

MOST_WAITING_S = 1e7
"""Longest wait for one answer that is believed: four months."""

_MOST_SECOND = 10**12  # of any kernel's clock, before it or after it
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
"""Operations of one user in one second: a thousand million."""
Total = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
"""Operations of one user in a whole trial."""
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=MOST_WAITING_S)]
Bucket = Annotated[int, msgspec.Meta(ge=0, le=MOST_BUCKET)]
Histogram = Annotated[dict[Bucket, Count], msgspec.Meta(max_length=MOST_BUCKET + 1)]
Sort = Annotated[str, msgspec.Meta(max_length=200)]
_SORTS = msgspec.Meta(max_length=200)
_ANSWERS = msgspec.Meta(max_length=100_000)


class BeginOrder(msgspec.Struct, frozen=True, tag_field="$", tag="begin"):
    """First line to a user process: connect, and answer `ReadyAnswer`.

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
    parameters: Mapping[str, ParameterValue] = {}
    database: str = STANDARD_DATABASE
    own: str = ""

    def __repr__(self) -> str:
        """Keep the password out of every log."""
        return f"Begin(kind={self.kind!r}, tuples={self.tuples}, user={self.user})"


class GoOrder(msgspec.Struct, frozen=True, tag_field="$", tag="go"):
    """Start, or continue after `ParkOrder`, at `at_s` of the seconds' clock; whole seconds after that are reported."""

    at_s: float


class AlignClockOrder(msgspec.Struct, frozen=True, tag_field="$", tag="align"):
    """Tell moments and seconds by another computer's clock from now on: by one that is `ahead_s` behind one's own."""

    ahead_s: float


class ParkOrder(msgspec.Struct, frozen=True, tag_field="$", tag="park"):
    """Wait after the current operation; answer `ParkedAnswer`."""


class DatabaseRestartedOrder(msgspec.Struct, frozen=True, tag_field="$", tag="cooled"):
    """Go on after `ColdAnswer`: the database was started anew.

    Attributes:
        kept_bytes: What stayed of its files in memory.
    """

    kept_bytes: int


class StopOrder(msgspec.Struct, frozen=True, tag_field="$", tag="stop"):
    """End after the current operation; answer `UserTotals`."""


UserOrder = BeginOrder | AlignClockOrder | GoOrder | ParkOrder | DatabaseRestartedOrder | StopOrder


class ReadyAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="ready"):
    """Connected."""


class SecondReport(msgspec.Struct, frozen=True, tag_field="$", tag="report"):
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

    second: Annotated[int, msgspec.Meta(ge=-_MOST_SECOND, le=_MOST_SECOND)]
    count: Count
    histogram: Histogram
    retries: Count
    cpu_s: Seconds
    waiting_s: Seconds
    errors: Count = 0
    sorts: Annotated[dict[Sort, Histogram], _SORTS] = {}
    failures: Annotated[dict[Sort, Count], _SORTS] = {}
    figures: Annotated[tuple[NamedFigure, ...], msgspec.Meta(max_length=10_000)] = ()


class ParkedAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="parked"):
    """No operation is in flight until the next `Go`."""


class ColdAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="cold"):
    """Its next operation needs an empty cache: the user has disconnected and waits for `DatabaseRestartedOrder`."""


class UserTotals(msgspec.Struct, frozen=True, tag_field="$", tag="totals"):
    """The last line of a user that was stopped: everything since it began, warm-up and tail included.

    Attributes:
        tuples: Tuples read or committed.
        misses: Operations that did not touch exactly the one row that was asked for.
        retries: Operations repeated.
        told: What an engine's lines told of, second by second; None for users of ours, who count.
        sorts: Sort of operation to how many there were, where the load has several.
        answers: What operations answered, each with how often, where the load keeps that.
    """

    tuples: Total
    misses: Total
    retries: Total
    told: Total | None = None
    sorts: Annotated[Mapping[Sort, Total], _SORTS] = {}
    answers: Annotated[Mapping[str, Total], _ANSWERS] = {}


class FailedAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="failed"):
    """The last line of a user that cannot go on.

    Attributes:
        text: What happened, with the server's message.
        hint: What to do about it.
        error: Name of the error class (`scheduler.errors`).
    """

    text: str
    hint: Annotated[str, msgspec.Meta(max_length=10_000)]
    error: Annotated[str, msgspec.Meta(max_length=100)]


UserAnswer = ReadyAnswer | SecondReport | ParkedAnswer | ColdAnswer | UserTotals | FailedAnswer

_ENCODER = msgspec.json.Encoder()
_ORDERS = msgspec.json.Decoder(UserOrder)
_ANSWER = msgspec.json.Decoder(UserAnswer)


def encode_line(value: UserOrder | UserAnswer) -> bytes:
    """Return one JSON line."""
    return _ENCODER.encode(value) + b"\n"


def decode_order(line: bytes) -> UserOrder:
    """Read one order; raises msgspec.DecodeError."""
    return decode_bounded(_ORDERS, line)


def decode_answer(line: bytes) -> UserAnswer:
    """Read one answer; raises msgspec.DecodeError."""
    return decode_bounded(_ANSWER, line)
