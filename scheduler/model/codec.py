"""JSON lines: the only module that encodes and decodes documents and commands."""

from typing import TypeVar

import msgspec

from scheduler.errors import SchedulerError
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.consent import NO_CONSENT, Consent
from scheduler.model.documents import Document
from scheduler.model.load_name import decode_name, encode_name
from scheduler.model.spec import RunSpec


class BeginRun(msgspec.Struct, frozen=True, tag_field="$", tag="begin"):
    """First command to a core: begin a run.

    Attributes:
        spec: The sweep.
        secrets: Database URL to password; never stored, never logged.
        continues: Id of a stored run to continue; empty for a new run.
        consent: Consent of the person at the window.
        own_passwords: True when the person named the databases, so that their own passwords may be sent to them.
    """

    spec: RunSpec
    secrets: dict[str, str] = {}
    continues: str = ""
    consent: Consent = NO_CONSENT
    own_passwords: bool = False

    def __repr__(self) -> str:
        """Return a text without passwords, for logs."""
        return f"BeginRun(spec={self.spec!r}, secrets=<{len(self.secrets)}>, continues={self.continues!r})"


class PauseRun(msgspec.Struct, frozen=True, tag_field="$", tag="pause"):
    """Restore the host and wait."""


class ResumeRun(msgspec.Struct, frozen=True, tag_field="$", tag="resume"):
    """Continue the run; the interrupted trial is repeated."""


class AbortRun(msgspec.Struct, frozen=True, tag_field="$", tag="abort"):
    """Restore the host and end the run."""


RunOrder = BeginRun | PauseRun | ResumeRun | AbortRun


class DetachRun(msgspec.Struct, frozen=True, tag_field="$", tag="detach"):
    """Continue the run without a window; any run with a window understands this order."""


class RunDetached(msgspec.Struct, frozen=True, tag_field="$", tag="detached"):
    """Answer to `DetachRun`, which only that window gets.

    Attributes:
        error: Reason why the run cannot continue without a window; empty when it can.
    """

    error: str = ""


_Value = TypeVar("_Value")
_ENCODER = msgspec.json.Encoder(enc_hook=encode_name)


def encode_json(value: object) -> bytes:
    """Return a value as JSON, names of loads included."""
    return _ENCODER.encode(value)


def make_decoder(kind: type[_Value]) -> msgspec.json.Decoder[_Value]:
    """Return a decoder of what `encode_json` writes."""
    return msgspec.json.Decoder(kind, dec_hook=decode_name)


_DOCUMENTS: msgspec.json.Decoder[Document] = msgspec.json.Decoder(Document, dec_hook=decode_name)
_ORDERS: msgspec.json.Decoder[RunOrder] = msgspec.json.Decoder(RunOrder, dec_hook=decode_name)
_DETACHED_ANSWERS = msgspec.json.Decoder(RunDetached)
_DETACHED = b'{"$":"detached"'


def encode_line(value: msgspec.Struct) -> bytes:
    """Return one JSON line, newline included."""
    return encode_json(value) + b"\n"


def decode_document(line: bytes | str) -> Document:
    """Decode one document.

    Raises:
        msgspec.DecodeError: The line is no document, or today's rules refuse its values.
    """
    try:
        return decode_bounded(_DOCUMENTS, line)
    except SchedulerError as error:
        raise msgspec.ValidationError(str(error)) from error


def decode_detached(line: bytes) -> RunDetached | None:
    """Return the answer to `DetachRun`; None for any other line."""
    if not line.startswith(_DETACHED):
        return None
    try:
        return _DETACHED_ANSWERS.decode(line)
    except msgspec.MsgspecError:
        return None


def decode_order(line: bytes | str) -> RunOrder:
    """Decode one command to a core.

    Raises:
        msgspec.DecodeError: The line is no command.
        SpecError: The sweep is impossible.
    """
    return decode_bounded(_ORDERS, line)
