"""Messages between the user pool and its user processes, as JSON lines.

Orders go to stdin of a process, and answers come from its stdout. Users may run on other people's computers, so every
field of an answer is bounded. A line outside the bounds is an error. The reference clock is the monotonic clock of the
pool's computer.
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
"""Longest plausible wait for one answer, seconds: four months."""

_MOST_SECOND = 10**12  # bound for seconds of any kernel's clock
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
        connection: Parameters for the database driver, with the password; so the order is sent by stdin, not argv.
        kind: Load kind.
        tuples: Rows per relation.
        seed: Seed of the sweep; the user's own seed follows from (seed, kind, user).
        user: Number of the user, from 0.
        cpus: CPUs that the process is confined to; empty for all.
        parameters: Every parameter that the kind declares, with its value.
        database: Name of the kind of database (`scheduler/model/databases.py`).
        own: Kind of the load that has these tables to itself; empty for the shared tables.
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
        """Return a text without the password, which must not reach a log."""
        return f"Begin(kind={self.kind!r}, tuples={self.tuples}, user={self.user})"


class GoOrder(msgspec.Struct, frozen=True, tag_field="$", tag="go"):
    """Start, or continue after `ParkOrder`, at `at_s` of the reference clock.

    The user reports whole seconds after that time.
    """

    at_s: float


class AlignClockOrder(msgspec.Struct, frozen=True, tag_field="$", tag="align"):
    """Use a reference clock for times and seconds that is `ahead_s` behind our own."""

    ahead_s: float


class ParkOrder(msgspec.Struct, frozen=True, tag_field="$", tag="park"):
    """Wait after the current operation; answer `ParkedAnswer`."""


class DatabaseRestartedOrder(msgspec.Struct, frozen=True, tag_field="$", tag="cooled"):
    """Continue after `ColdAnswer`: the database was restarted.

    Attributes:
        kept_bytes: Bytes of the database's files that stayed in the page cache.
    """

    kept_bytes: int


class StopOrder(msgspec.Struct, frozen=True, tag_field="$", tag="stop"):
    """End after the current operation; answer `UserTotals`."""


UserOrder = BeginOrder | AlignClockOrder | GoOrder | ParkOrder | DatabaseRestartedOrder | StopOrder


class ReadyAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="ready"):
    """The user is connected."""


class SecondReport(msgspec.Struct, frozen=True, tag_field="$", tag="report"):
    """One whole second of one user.

    Attributes:
        second: Start of the second on the reference clock.
        count: Tuples read or committed in the second.
        histogram: Service times, bucket index to count.
        retries: Operations repeated after a serialization failure or deadlock.
        cpu_s: CPU seconds of the process since the last report.
        waiting_s: Time that the current operation has been waiting for its answer, seconds.
        errors: Operations given up.
        sorts: Kind of operation to its service times, for loads with several kinds; includes kinds outside the rate.
        failures: Kind of operation to the number of operations given up.
        figures: Figures of operations that ended in the second.
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
    """No operation is in flight until the next `GoOrder`."""


class ColdAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="cold"):
    """The user has disconnected and waits for `DatabaseRestartedOrder`.

    Its next operation needs an empty cache.
    """


class UserTotals(msgspec.Struct, frozen=True, tag_field="$", tag="totals"):
    """Last line of a stopped user: totals since it began, including warm-up and tail.

    Attributes:
        tuples: Tuples read or committed.
        misses: Operations that did not touch exactly the requested row.
        retries: Operations repeated.
        reported: Operations in the lines of an engine, summed over the seconds; None for users of ours, which count.
        sorts: Kind of operation to the number of operations, for loads with several kinds.
        answers: Answer of an operation to its number, for loads that keep answers.
    """

    tuples: Total
    misses: Total
    retries: Total
    reported: Total | None = None
    sorts: Annotated[Mapping[Sort, Total], _SORTS] = {}
    answers: Annotated[Mapping[str, Total], _ANSWERS] = {}


class FailedAnswer(msgspec.Struct, frozen=True, tag_field="$", tag="failed"):
    """Last line of a user that cannot continue.

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
    """Return the order in a line.

    Raises:
        msgspec.DecodeError: The line is not an order.
    """
    return decode_bounded(_ORDERS, line)


def decode_answer(line: bytes) -> UserAnswer:
    """Return the answer in a line.

    Raises:
        msgspec.DecodeError: The line is not an answer.
    """
    return decode_bounded(_ANSWER, line)
