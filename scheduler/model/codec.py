"""JSON lines: the one place that knows how documents and commands look on the wire and on disk."""

import msgspec

from scheduler.errors import SchedulerError
from scheduler.model.consent import NONE, Consent
from scheduler.model.documents import Document
from scheduler.model.lines import decode
from scheduler.model.spec import RunSpec


class Begin(msgspec.Struct, frozen=True, tag_field="$", tag="begin"):
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
    consent: Consent = NONE
    own_passwords: bool = False

    def __repr__(self) -> str:
        """Keep passwords out of every log."""
        return f"Begin(spec={self.spec!r}, secrets=<{len(self.secrets)}>, continues={self.continues!r})"


class Pause(msgspec.Struct, frozen=True, tag_field="$", tag="pause"):
    """Give the host back and wait."""


class Resume(msgspec.Struct, frozen=True, tag_field="$", tag="resume"):
    """Go on; the interrupted visit is repeated."""


class Abort(msgspec.Struct, frozen=True, tag_field="$", tag="abort"):
    """Restore the host and end."""


Order = Begin | Pause | Resume | Abort

_ENCODER = msgspec.json.Encoder()
_DOCUMENTS = msgspec.json.Decoder(Document)
_ORDERS = msgspec.json.Decoder(Order)


def to_line(value: msgspec.Struct) -> bytes:
    """Return one JSON line, newline included."""
    return _ENCODER.encode(value) + b"\n"


def to_document(line: bytes | str) -> Document:
    """Read one document; raises msgspec.DecodeError, also for one that today's rules refuse."""
    try:
        return decode(_DOCUMENTS, line)
    except SchedulerError as error:
        raise msgspec.ValidationError(str(error)) from error


def to_order(line: bytes | str) -> Order:
    """Read one order; raises msgspec.DecodeError, and SpecError for a sweep that cannot be."""
    return decode(_ORDERS, line)
