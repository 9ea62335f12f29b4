"""Text of files that people edit, in the encodings that their editors write."""

import codecs
import re

from scheduler.errors import SpecError
from scheduler.translation import _

_CURLY = re.compile("[\u2018-\u201f\u00ab\u00bb\u2039\u203a]")
_LONE_CARRIAGE_RETURN = re.compile("\r(?!\n)")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def decode_text(body: bytes, source: str) -> str:
    """Decode a file's bytes as UTF-8, without a byte order mark.

    Args:
        body: All bytes of the file.
        source: Path or name of the file, for the message.

    Raises:
        SpecError: The text is UTF-16 or UTF-32, of another encoding, or its lines end with a carriage return alone.
    """
    if body.startswith(_WIDE_MARKS) or b"\0" in body[:1024]:
        raise SpecError(
            source, _("is UTF-16 or UTF-32, not UTF-8"), hint=_("Save it as UTF-8 (Notepad: Save as, Encoding).")
        )
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        problem = _("line {line} is not UTF-8 (byte 0x{body:02x})").format(line=line, body=body[error.start])
        raise SpecError(source, problem, hint=_("Save it as UTF-8.")) from error
    if alone := _LONE_CARRIAGE_RETURN.search(text):
        line = len(_LONE_CARRIAGE_RETURN.sub("\n", text[: alone.start()]).splitlines()) or 1
        problem = _("line {line} ends with a carriage return alone").format(line=line)
        raise SpecError(source, problem, hint=_("Save it with line ends of Unix (LF) or Windows (CR LF)."))
    return text


def curly_quotes_hint(text: str) -> str:
    """Return a hint on the first curly quote of a text; empty for none."""
    found = _CURLY.search(text)
    if found is None:
        return ""
    line = text.count("\n", 0, found.start()) + 1
    return _('Line {line} has the curly quote {found}. Write straight quotes (").').format(line=line, found=found[0])
