"""Numbers in the kernel's files of control groups."""

from pathlib import Path

from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _

_MOST = 2**64 - 1
_LINES = 1000


def parse_number(text: str, path: Path, least: int = 0) -> int:
    """Return the number in a file's text.

    Args:
        text: Text of the file.
        path: Path of the file, for messages.
        least: Smallest valid number.

    Raises:
        ValueError: The text is not a number from `least` on.
    """
    number = parse_whole_number(text.strip(), least, _MOST)
    if number is None:
        raise ValueError(
            _("{path} holds {text!r}, which is no number from {least}").format(
                path=path.name, text=text.strip()[:40], least=least
            )
        )
    return number


def read_counters(path: Path) -> dict[str, int]:
    """Return the values of a file with one name and number per line.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file has another form.
    """
    pairs = [line.split() for line in path.read_text().splitlines()[:_LINES]]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(_("{path} has lines that are no name with a value").format(path=path.name))
    return {name: parse_number(value, path) for name, value in pairs}
