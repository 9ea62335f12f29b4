"""Standard streams that take any text: names come from others, and not every terminal speaks UTF-8."""

import codecs
import io
import json
import sys

_HANDLER = "domtune"
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # PEP 383: a byte of a file's name that is no text
_OFFSET = 0xDC00


def accept_any_text() -> None:
    """Have standard output and standard error write what their encoding lacks as JSON escapes it.

    A byte of a file's name that is no text is written as it is.
    """
    codecs.register_error(_HANDLER, _escape_character)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None where Python starts with it closed
            stream.reconfigure(errors=_HANDLER)


def _escape_character(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if _FIRST_BYTE <= ord(letter) <= _LAST_BYTE:
        return bytes([ord(letter) - _OFFSET]), error.start + 1
    return json.dumps(letter)[1:-1], error.start + 1
