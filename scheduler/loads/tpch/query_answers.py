"""Query answers as short texts, equal for all users and drivers."""

import hashlib
from collections.abc import Sequence
from decimal import Decimal

from scheduler.databases.protocols import Row
from scheduler.translation import _

_DIGITS = 12
FIRST_ROWS = {
    1: (4, ("A", "F", "37734107.00", "56586554400.73")),
    2: (100, ("9938.53", "Supplier#000005359")),
    3: (10, ("2456423", "406181.0111")),
    4: (5, ("1-URGENT", "10594")),
    5: (5, ("INDONESIA", "55502041.1697")),
    6: (1, ("123141078.2283",)),
    7: (4, ("FRANCE", "GERMANY", "1995", "54639732.7336")),
    8: (2, ("1995", "0.0344")),
    9: (175, ("ALGERIA", "1998", "27136900.1803")),
    10: (20, ("57040", "Customer#000057040", "734235.2455")),
    11: (1048, ("129760", "17538456.86")),
    12: (2, ("MAIL", "6202", "9324")),
    13: (42, ("0", "50005")),
    14: (1, ("16.3808",)),
    15: (1, ("8449", "Supplier#000008449")),
    16: (18314, ("Brand#41", "MEDIUM BRUSHED TIN", "3", "28")),
    17: (1, ("348406.0543",)),
    18: (57, ("Customer#000128120", "128120", "4722021")),
    19: (1, ("3083843.0578",)),
    20: (186, ("Supplier#000000020",)),
    21: (100, ("Supplier#000002829", "20")),
    22: (7, ("13", "888", "6737713.99")),
}
"""Published answers at scale 1 (TPC-H): query number to number of rows and begin of the first row."""


def answer_digest(rows: Sequence[Row]) -> str:
    """Return the number of rows and a digest of them, for example `4:0f3a5c...`.

    The digest does not depend on the order of the rows.
    """
    lines = sorted("|".join(map(plain_text, row)) for row in rows)
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_DIGITS]
    return f"{len(lines)}:{digest}"


def plain_text(value: object) -> str:
    """Return a value as text, equal for all drivers.

    Texts lose trailing blanks, and numbers lose trailing zeros.
    """
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        return value.rstrip()
    if isinstance(value, int | Decimal):
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)


def differs_from_published(number: int, rows: Sequence[Row]) -> str:
    """Return the first difference from the published answer at scale 1, else empty.

    Args:
        number: Number of the query, 1..22.
        rows: Rows of the answer.
    """
    count, first = FIRST_ROWS[number]
    if len(rows) != count:
        return _("Q{number} has {count} rows, not {count_2}").format(number=number, count=len(rows), count_2=count)
    wrong = [(found, wanted) for found, wanted in zip(rows[0], first, strict=False) if not _is_alike(found, wanted)]
    return (
        _("Q{number} begins with {wrong}, not {wrong_2}").format(number=number, wrong=wrong[0][0], wrong_2=wrong[0][1])
        if wrong
        else ""
    )


def _is_alike(found: object, wanted: str) -> bool:
    if isinstance(found, int | float | Decimal):
        return abs(float(found) - float(wanted)) <= max(1e-6 * abs(float(wanted)), 10.0 ** -_decimal_count(wanted))
    return plain_text(found) == wanted


def _decimal_count(number: str) -> int:
    return len(number.partition(".")[2])
