"""Numbers in the kernel's files of control groups."""

from pathlib import Path

from scheduler.model.number_parsing import parse_whole_number

_MOST = 2**64 - 1
_LINES = 1000


def parse_number(text: str, path: Path, least: int = 0) -> int:
    """Return the number that a file holds; raises ValueError, naming the file, when it holds none."""
    number = parse_whole_number(text.strip(), least, _MOST)
    if number is None:
        raise ValueError(f"{path.name} holds {text.strip()[:40]!r}, which is no number from {least}")
    return number


def read_counters(path: Path) -> dict[str, int]:
    """Return name to value of a file with one pair per line; raises OSError, and ValueError for another form."""
    pairs = [line.split() for line in path.read_text().splitlines()[:_LINES]]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{path.name} has lines that are no name with a value")
    return {name: parse_number(value, path) for name, value in pairs}
