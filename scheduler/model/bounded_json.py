"""Bounded decoding of JSON from other programs.

Every input gives a value or msgspec's own error.
"""

from typing import TypeVar

import msgspec

from scheduler.translation import _

MOST_LINE_BYTES = 8 << 20  # DomTune's own longest line has a few hundred kilobytes
_MOST_MESSAGE_CHARS = 300

Value = TypeVar("Value")


def decode_bounded(decoder: msgspec.json.Decoder[Value], line: bytes | str) -> Value:
    """Decode one JSON value within limits.

    Args:
        decoder: The decoder.
        line: The JSON text, at most `MOST_LINE_BYTES` long.

    Raises:
        msgspec.DecodeError: The text is too long, not UTF-8, nested too deep, or not JSON.
        msgspec.ValidationError: The JSON has another form (a kind of DecodeError).
    """
    if len(line) > MOST_LINE_BYTES:
        raise msgspec.DecodeError(
            _("the text is longer than {most_line_bytes} MiB").format(most_line_bytes=MOST_LINE_BYTES >> 20)
        )
    try:
        return decoder.decode(line)
    except msgspec.DecodeError as error:
        if len(str(error)) <= _MOST_MESSAGE_CHARS:
            raise
        # msgspec quotes the whole wrong value, which would fill logs and messages.
        raise type(error)(f"{str(error)[:_MOST_MESSAGE_CHARS]}...") from error.__cause__
    except UnicodeError as error:
        raise msgspec.DecodeError(_("the text is not UTF-8")) from error
    except RecursionError as error:
        raise msgspec.DecodeError(_("the text is nested too deeply")) from error
