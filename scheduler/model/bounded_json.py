"""JSON of others, read within limits: whatever comes, the outcome is a value or msgspec's own error."""

from typing import TypeVar

import msgspec

MOST_LINE_BYTES = 8 << 20  # the longest line that any of ours says is a few hundred kilobytes
_MOST_MESSAGE_CHARS = 300

Value = TypeVar("Value")


def decode_bounded(decoder: msgspec.json.Decoder[Value], line: bytes | str) -> Value:
    """Read one value.

    Raises:
        msgspec.DecodeError: It is too long, no UTF-8, nested too deep, or no JSON.
        msgspec.ValidationError: It is JSON of another form (a kind of DecodeError).
    """
    if len(line) > MOST_LINE_BYTES:
        raise msgspec.DecodeError(f"it is longer than {MOST_LINE_BYTES >> 20} MiB")
    try:
        return decoder.decode(line)
    except msgspec.DecodeError as error:
        if len(str(error)) <= _MOST_MESSAGE_CHARS:
            raise
        # What is wrong is quoted whole, and goes into logs and messages.
        raise type(error)(f"{str(error)[:_MOST_MESSAGE_CHARS]}...") from error.__cause__
    except UnicodeError as error:
        raise msgspec.DecodeError("it is no text in UTF-8") from error
    except RecursionError as error:
        raise msgspec.DecodeError("it is nested too deep") from error
