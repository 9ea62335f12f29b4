"""JSON lines: the one place that knows how documents and commands look on the wire and on disk."""

import msgspec

from scheduler.errors import SchedulerError
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.consent import NO_CONSENT, Consent
from scheduler.model.documents import Document
from scheduler.model.spec import RunSpec


class BeginRun(msgspec.Struct, frozen=True, tag_field="$", tag="begin"):
    """First line to a core: what to do.

    Attributes:
        spec: The sweep.
        secrets: Database URL to password; never stored, never logged.
        continues: Id of a stored run to go on with; empty for a new one.
        consent: What the person at the window agreed to.
        own_passwords: The person has named the databases: their own passwords may be sent there.
    """

    spec: RunSpec
    secrets: dict[str, str] = {}
    continues: str = ""
    consent: Consent = NO_CONSENT
    own_passwords: bool = False

    def __repr__(self) -> str:
        """Keep passwords out of every log."""
        return f"BeginRun(spec={self.spec!r}, secrets=<{len(self.secrets)}>, continues={self.continues!r})"


class PauseRun(msgspec.Struct, frozen=True, tag_field="$", tag="pause"):
    """Give the host back and wait."""


class ResumeRun(msgspec.Struct, frozen=True, tag_field="$", tag="resume"):
    """Go on; the interrupted trial is repeated."""


class AbortRun(msgspec.Struct, frozen=True, tag_field="$", tag="abort"):
    """Restore the host and end."""


RunOrder = BeginRun | PauseRun | ResumeRun | AbortRun

_ENCODER = msgspec.json.Encoder()
_DOCUMENTS = msgspec.json.Decoder(Document)
_ORDERS = msgspec.json.Decoder(RunOrder)


def encode_line(value: msgspec.Struct) -> bytes:
    """Return one JSON line, newline included."""
    return _ENCODER.encode(value) + b"\n"


def decode_document(line: bytes | str) -> Document:
    """Read one document; raises msgspec.DecodeError, also for one that today's rules refuse."""
    try:
        return decode_bounded(_DOCUMENTS, line)
    except SchedulerError as error:
        raise msgspec.ValidationError(str(error)) from error


def decode_order(line: bytes | str) -> RunOrder:
    """Read one order; raises msgspec.DecodeError, and SpecError for a sweep that cannot be."""
    return decode_bounded(_ORDERS, line)
