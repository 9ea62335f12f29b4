"""Spoiling what is right: the same seed spoils it in the same way."""

from collections.abc import Sequence
from random import Random

NUMBERS = (
    "-1",
    "0",
    "1.5",
    "1.2.3",
    "²",
    "٣",
    "nan",
    "-nan",
    "inf",
    "1e999",
    "1_0",
    "9" * 30,
    "9" * 5000,
    "0-99999999999",
)
STRANGERS = (None, "", 0, -1, 2**70, True, 1.5, [], {}, "x" * 5000, [[[]]], {"a": {}})
PIECES = (
    "",
    "\0",
    "\ufffd",
    "\u2028",
    "\x1b]0;owned\x07",
    "\r\n",
    "\n" * 5000,
    " " * 20_000,
    "x" * 20_000,
    "[" * 30_000,
    '{"a":' * 30_000,
    "<a>" * 30_000,
    "&l;",
    "%s{}",
    "'\";$(id)",
)


def spoil(rng: Random, text: str, most: int = 4) -> str:
    """Return a text with a few things wrong, or with none."""
    for _ in range(rng.randint(0, most)):
        text = rng.choice(_WAYS)(rng, text)
    return text


def spoil_bytes(rng: Random, data: bytes, most: int = 4) -> bytes:
    """Likewise for bytes: also what is no text."""
    data = spoil(rng, data.decode("utf-8", "replace"), most).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        at = rng.randint(0, len(data))
        data = data[:at] + rng.choice((b"\xff", b"\xff\xfe\0", b"\xed\xa0\x80", rng.randbytes(20))) + data[at:]
    return data


def spoil_value(rng: Random, value: object, rate: float | None = None) -> object:
    """Likewise for what an answer holds: texts, lists and maps of them; `rate` is the part that is spoilt."""
    rate = rng.choice((0.001, 0.005, 0.03)) if rate is None else rate
    if rng.random() < rate:
        return rng.choice((*STRANGERS, rng.choice(NUMBERS)))
    if isinstance(value, dict):
        kept = {key: spoil_value(rng, item, rate) for key, item in value.items() if rng.random() > rate / 3}
        return {**kept, rng.choice(PIECES): "x"} if rng.random() < rate else kept
    if isinstance(value, list):
        return [spoil_value(rng, item, rate) for item in value]
    if isinstance(value, str) and rng.random() < rate:
        return rng.choice((*NUMBERS, *PIECES))
    return value


def _cut(rng: Random, text: str) -> str:
    first, last = _span(rng, text)
    return text[:first] + text[last:]


def _twice(rng: Random, text: str) -> str:
    first, last = _span(rng, text)
    return text[:last] + text[first:last] * rng.choice((1, 2, 50)) + text[last:]


def _insert(rng: Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice((*PIECES, *NUMBERS)) + text[at:]


def _renumber(rng: Random, text: str) -> str:
    places = [at for at, letter in enumerate(text[:100_000]) if letter.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + rng.choice(NUMBERS) + text[at + 1 :]


def _swap(rng: Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text[::-1]
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def _letter(rng: Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return (
        text[:at]
        + chr(rng.choice((rng.randrange(32), rng.randrange(32, 127), rng.randrange(160, 0xD7FF))))
        + text[at + 1 :]
    )


def _end(rng: Random, text: str) -> str:
    return text[: rng.randint(0, len(text))]


def _span(rng: Random, text: str) -> tuple[int, int]:
    first = rng.randint(0, len(text))
    return first, min(len(text), first + rng.choice((1, 5, 40, 400)))


_WAYS: Sequence = (_cut, _twice, _insert, _insert, _renumber, _renumber, _swap, _letter, _end)
