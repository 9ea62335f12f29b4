"""Messages between the core and the Dask process: JSON lines with bounded fields.

This module does not import Dask, because the core never does.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from scheduler.model.bounded_json import decode_bounded

START_ORDER, PROBE_ORDER, TELL_ORDER, BEAT_ORDER, END_ORDER = "start", "probe", "tell", "beat", "end"
"""Kinds of orders to a supervisor."""

SUPERVISOR_NUMBER = -1
"""Number of the supervisor itself, for its last message."""

BEAT_S = 0.5
"""Longest time between two messages of each side, seconds."""

ORPHANED_S = 10.0
"""Seconds without an order after which a supervisor ends its users. A busy computer delays an order by less."""

MOST_WORKERS = 1_000
_MOST_USERS = 1_024  # a load has at most 256 users; several loads share a worker
_MOST_S = 1e12  # more than any kernel's clock

BoundedText = Annotated[str, msgspec.Meta(max_length=1_000)]
BoundedName = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
UserNumber = Annotated[int, msgspec.Meta(ge=SUPERVISOR_NUMBER, le=_MOST_USERS)]
ClockS = Annotated[float, msgspec.Meta(ge=-_MOST_S, le=_MOST_S)]
LimitS = Annotated[float, msgspec.Meta(ge=0.0, le=600.0)]

ShareOrder = tuple[str, int, str]
"""Kind of the order, number of the user, and line for the user."""

ShareWord = tuple[UserNumber, str]
"""Number of the sender (a user, or `SUPERVISOR_NUMBER`), and its line."""


class ConnectQuestion(msgspec.Struct, frozen=True, tag_field="$", tag="connect"):
    """First question to the process: connect to a scheduler.

    Attributes:
        address: Address of the scheduler.
        ca_file: Path of the authority's certificate. Empty without TLS.
        cert_file: Path of this computer's certificate. Empty without TLS.
        key_file: Path of this computer's key. Empty without TLS.
    """

    address: str
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""


class ListWorkers(msgspec.Struct, frozen=True, tag_field="$", tag="list-workers"):
    """Question for the running workers."""


class ReadVersions(msgspec.Struct, frozen=True, tag_field="$", tag="read-versions"):
    """Question for the package versions of the scheduler and its workers."""


class LookAtWorker(msgspec.Struct, frozen=True, tag_field="$", tag="look-at-worker"):
    """Question for a worker's computer and its version of DomTune."""

    address: str


class ReadClock(msgspec.Struct, frozen=True, tag_field="$", tag="read-clock"):
    """Question for the clock offset of a worker's computer."""

    address: str


class StartShare(msgspec.Struct, frozen=True, tag_field="$", tag="start-share"):
    """Start the supervisor of a share on a worker.

    Attributes:
        share: Name of the share.
        address: Address of the worker.
        latest_s: Latest start, seconds of that computer's monotonic clock.
    """

    share: str
    address: str
    latest_s: float


class NumberedQuestion(msgspec.Struct, frozen=True, tag_field="$", tag="ask"):
    """Question with a number; one `NumberedReply` with the same number follows.

    Attributes:
        number: Number of the question.
        limit_s: Time limit in seconds. After it, the reply is a `RefusalReply`.
        body: The question.
    """

    number: int
    limit_s: LimitS
    body: ConnectQuestion | ListWorkers | ReadVersions | LookAtWorker | ReadClock | StartShare


class PassOrders(msgspec.Struct, frozen=True, tag_field="$", tag="pass-orders"):
    """Pass orders to the supervisor of a share."""

    share: str
    orders: tuple[ShareOrder, ...]


class EndShare(msgspec.Struct, frozen=True, tag_field="$", tag="end-share"):
    """Drop a share whose users have ended or are no longer waited for."""

    share: str


ClusterRequest = NumberedQuestion | PassOrders | EndShare


class DoneReply(msgspec.Struct, frozen=True, tag_field="$", tag="done"):
    """Confirmation that a request was carried out."""


class WorkerEntry(msgspec.Struct, frozen=True):
    """Running worker."""

    name: BoundedName
    address: BoundedName


class WorkerList(msgspec.Struct, frozen=True, tag_field="$", tag="worker-list"):
    """List of the running workers."""

    workers: Annotated[tuple[WorkerEntry, ...], msgspec.Meta(max_length=MOST_WORKERS)]


Packages = Annotated[
    Mapping[BoundedName, Annotated[str, msgspec.Meta(max_length=100)] | None], msgspec.Meta(max_length=100)
]
"""Name of a package to its version. None if it is not installed."""


class VersionList(msgspec.Struct, frozen=True, tag_field="$", tag="version-list"):
    """Packages of the scheduler, and of each worker by its address."""

    ours: Packages
    scheduler: Packages
    workers: Annotated[Mapping[BoundedName, Packages], msgspec.Meta(max_length=MOST_WORKERS)]


class WorkerLook(msgspec.Struct, frozen=True, tag_field="$", tag="worker-look"):
    """Description of a worker's computer.

    Attributes:
        domtune: Version of DomTune. None if it is not installed.
        computer: Identity of the computer's kernel since its boot. Empty without DomTune.
        cpus: CPUs that the worker may use, >= 1.
    """

    domtune: Annotated[str, msgspec.Meta(max_length=100)] | None
    computer: Annotated[str, msgspec.Meta(max_length=256)] = ""
    cpus: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class ClockRead(msgspec.Struct, frozen=True, tag_field="$", tag="clock-read"):
    """Clock offset of a worker's computer.

    Attributes:
        ahead_s: Seconds by which the worker's monotonic clock is ahead of ours.
        error_s: Bound of the error, 0..600 seconds.
        at_s: Our time of the measurement, seconds.
    """

    ahead_s: ClockS
    error_s: Annotated[float, msgspec.Meta(ge=0.0, le=600.0)]
    at_s: ClockS


class RefusalReply(msgspec.Struct, frozen=True, tag_field="$", tag="refusal"):
    """Reply to a question without an answer, with the reason."""

    text: BoundedText


ReplyBody = DoneReply | WorkerList | VersionList | WorkerLook | ClockRead | RefusalReply


class NumberedReply(msgspec.Struct, frozen=True, tag_field="$", tag="reply"):
    """Reply to the question with the same number."""

    number: Annotated[int, msgspec.Meta(ge=0)]
    body: ReplyBody


class ShareWords(msgspec.Struct, frozen=True, tag_field="$", tag="share-words"):
    """Lines from a share. An empty message is a sign of life."""

    share: BoundedName
    words: tuple[ShareWord, ...] = ()


class ShareOver(msgspec.Struct, frozen=True, tag_field="$", tag="share-over"):
    """Message that a share is lost.

    Attributes:
        share: Name of the share.
        why: The reason.
        ended: True if its task has ended, and its users with it.
    """

    share: BoundedName
    why: BoundedText
    ended: bool = False


ClusterEvent = NumberedReply | ShareWords | ShareOver

_ENCODER = msgspec.json.Encoder()
_REQUESTS = msgspec.json.Decoder(ClusterRequest)
_EVENTS = msgspec.json.Decoder(ClusterEvent)


def encode_message(value: ClusterRequest | ClusterEvent) -> bytes:
    """Return a message as one JSON line."""
    return _ENCODER.encode(value) + b"\n"


def decode_request(line: bytes) -> ClusterRequest:
    """Decode one request.

    Raises:
        msgspec.DecodeError: The line is no request.
    """
    return decode_bounded(_REQUESTS, line)


def decode_event(line: bytes) -> ClusterEvent:
    """Decode one event.

    Raises:
        msgspec.DecodeError: The line is no event.
    """
    return decode_bounded(_EVENTS, line)
