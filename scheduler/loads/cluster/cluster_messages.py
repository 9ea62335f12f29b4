"""The pipe between the core and the process that speaks with Dask: JSON lines, every field bounded.

Nothing of this module imports Dask: the core never does.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from scheduler.model.bounded_json import decode_bounded

START_ORDER, PROBE_ORDER, TELL_ORDER, BEAT_ORDER, END_ORDER = "start", "probe", "tell", "beat", "end"
"""Words of an order to a supervisor."""

SUPERVISOR_NUMBER = -1
"""Number of the supervisor itself, for its last message."""

BEAT_S = 0.5
"""Longest time between two messages of each side, seconds."""

ORPHANED_S = 10.0
"""After so many seconds without an order a supervisor ends its users; a busy computer delays an order by less."""

MOST_WORKERS = 1_000
_MOST_USERS = 1_024  # a load has at most 64 users; several loads share a worker
_MOST_S = 1e12  # any clock of any kernel

BoundedText = Annotated[str, msgspec.Meta(max_length=1_000)]
BoundedName = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
UserNumber = Annotated[int, msgspec.Meta(ge=SUPERVISOR_NUMBER, le=_MOST_USERS)]
ClockS = Annotated[float, msgspec.Meta(ge=-_MOST_S, le=_MOST_S)]
LimitS = Annotated[float, msgspec.Meta(ge=0.0, le=600.0)]

ShareOrder = tuple[str, int, str]
"""One of the words above, the user's number, and the line for the user."""

ShareWord = tuple[UserNumber, str]
"""Sender of a line (a user, or `OVER`), and the line."""


class ConnectQuestion(msgspec.Struct, frozen=True, tag_field="$", tag="connect"):
    """First line to the process.

    Attributes:
        address: Address of the scheduler.
        ca_file: Path of the authority's certificate; empty without TLS, likewise the next two.
        cert_file: Path of this computer's certificate.
        key_file: Path of its key.
    """

    address: str
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""


class ListWorkers(msgspec.Struct, frozen=True, tag_field="$", tag="list-workers"):
    """Ask for the workers that run."""


class ReadVersions(msgspec.Struct, frozen=True, tag_field="$", tag="read-versions"):
    """Ask for the versions of the packages at the scheduler and its workers."""


class LookAtWorker(msgspec.Struct, frozen=True, tag_field="$", tag="look-at-worker"):
    """Ask a worker for its computer and its DomTune."""

    address: str


class ReadClock(msgspec.Struct, frozen=True, tag_field="$", tag="read-clock"):
    """Measure the clock of a worker's computer."""

    address: str


class StartShare(msgspec.Struct, frozen=True, tag_field="$", tag="start-share"):
    """Start the supervisor of a share on a worker.

    Attributes:
        share: Name of the share.
        address: Address of the worker.
        latest_s: When it must have begun, on that computer's monotonic clock.
    """

    share: str
    address: str
    latest_s: float


class NumberedQuestion(msgspec.Struct, frozen=True, tag_field="$", tag="ask"):
    """A question; one `Reply` with its number follows.

    Attributes:
        number: Its number.
        limit_s: After so many seconds the reply is a `Refusal`.
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
    """Forget a share whose users have ended, or are not waited for any more."""

    share: str


ClusterRequest = NumberedQuestion | PassOrders | EndShare


class DoneReply(msgspec.Struct, frozen=True, tag_field="$", tag="done"):
    """Carried out."""


class WorkerEntry(msgspec.Struct, frozen=True):
    """One worker that runs."""

    name: BoundedName
    address: BoundedName


class WorkerList(msgspec.Struct, frozen=True, tag_field="$", tag="worker-list"):
    """The workers that run."""

    workers: Annotated[tuple[WorkerEntry, ...], msgspec.Meta(max_length=MOST_WORKERS)]


Packages = Annotated[
    Mapping[BoundedName, Annotated[str, msgspec.Meta(max_length=100)] | None], msgspec.Meta(max_length=100)
]
"""Name of a package to its version; None where it is not installed."""


class VersionList(msgspec.Struct, frozen=True, tag_field="$", tag="version-list"):
    """Packages of the scheduler, and of each worker by its address."""

    ours: Packages
    scheduler: Packages
    workers: Annotated[Mapping[BoundedName, Packages], msgspec.Meta(max_length=MOST_WORKERS)]


class WorkerLook(msgspec.Struct, frozen=True, tag_field="$", tag="worker-look"):
    """Description of a worker's computer.

    Attributes:
        domtune: Version of its DomTune; None where it has none.
        computer: Identity of its computer: of one kernel, since it was booted; empty where it has no DomTune.
        cpus: CPUs of that computer that the worker may use.
    """

    domtune: Annotated[str, msgspec.Meta(max_length=100)] | None
    computer: Annotated[str, msgspec.Meta(max_length=256)] = ""
    cpus: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class ClockRead(msgspec.Struct, frozen=True, tag_field="$", tag="clock-read"):
    """Offset of a worker's monotonic clock to this computer's, by at most how much it is wrong, and when, seconds."""

    ahead_s: ClockS
    error_s: Annotated[float, msgspec.Meta(ge=0.0, le=600.0)]
    at_s: ClockS


class RefusalReply(msgspec.Struct, frozen=True, tag_field="$", tag="refusal"):
    """A question that has no answer, with the reason."""

    text: BoundedText


ReplyBody = DoneReply | WorkerList | VersionList | WorkerLook | ClockRead | RefusalReply


class NumberedReply(msgspec.Struct, frozen=True, tag_field="$", tag="reply"):
    """The answer to the question with that number."""

    number: Annotated[int, msgspec.Meta(ge=0)]
    body: ReplyBody


class ShareWords(msgspec.Struct, frozen=True, tag_field="$", tag="share-words"):
    """Lines that came from a share; none is a sign of life."""

    share: BoundedName
    words: tuple[ShareWord, ...] = ()


class ShareOver(msgspec.Struct, frozen=True, tag_field="$", tag="share-over"):
    """A share is lost.

    Attributes:
        share: Name of the share.
        why: The reason.
        ended: True where its task has ended, and its users with it.
    """

    share: BoundedName
    why: BoundedText
    ended: bool = False


ClusterEvent = NumberedReply | ShareWords | ShareOver

_ENCODER = msgspec.json.Encoder()
_REQUESTS = msgspec.json.Decoder(ClusterRequest)
_EVENTS = msgspec.json.Decoder(ClusterEvent)


def encode_message(value: ClusterRequest | ClusterEvent) -> bytes:
    """Return one JSON line."""
    return _ENCODER.encode(value) + b"\n"


def decode_request(line: bytes) -> ClusterRequest:
    """Read one request; raises msgspec.DecodeError."""
    return decode_bounded(_REQUESTS, line)


def decode_event(line: bytes) -> ClusterEvent:
    """Read one event; raises msgspec.DecodeError."""
    return decode_bounded(_EVENTS, line)
