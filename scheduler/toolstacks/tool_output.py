"""What hosts' tools print, within limits: no line, list or number from outside may cost more than it can be worth."""

import re
from collections.abc import Iterable, Iterator

from scheduler.errors import HostNotUsable
from scheduler.model.number_parsing import parse_whole_number

MOST_CPUS = 4096  # Xen can be built for 4095, Linux for 8192; none that a sweep could use has so many
LONGEST = 1024  # characters of a line that a pattern reads; names have at most a quarter of that
LONGEST_LIST = 32_768  # characters of a line with a list of CPUs: 4,096 numbers take 20,000
_MOST_ROWS = 8192
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def split_lines(text: str, longest: int = LONGEST) -> Iterator[str]:
    """Yield the lines of a tool's output.

    Names may hold every character but a line feed, so nothing else ends a line. Patterns could search much longer lines
    for minutes.

    Args:
        text: Output of a tool.
        longest: Characters that a line has at most.

    Raises:
        HostNotUsable: A line is longer: what it says would be lost.
    """
    for line in text.split("\n"):
        if len(line) > longest:
            raise HostNotUsable(
                f"the host prints a line of {len(line)} characters, starting with {line[:60]!r}; "
                f"DomTune reads up to {longest}",
                hint="What does its toolstack print, for example 'xl list' and 'xl vcpu-list'?",
            )
        yield line


def match_row(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Return a line's columns; None when it is no row of this pattern."""
    return pattern.fullmatch(line) if len(line) <= LONGEST else None


def match_rows(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that are rows: headers and complaints are not.

    Raises:
        HostNotUsable: More than any host has, or a line that is too long.
    """
    found = (pattern.fullmatch(line) for line in split_lines(text))
    yield from limit_rows(columns for columns in found if columns is not None)


def limit_rows(found: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield rows; raises HostNotUsable for more than any host has."""
    for number, each in enumerate(found):
        if number >= _MOST_ROWS:
            raise HostNotUsable(
                f"the host lists more than {_MOST_ROWS} domains, vCPUs or pools, starting with {each[0][:60]!r}",
                hint="What does its toolstack print, for example 'xl list' and 'xl vcpu-list'?",
            )
        yield each


def parse_cpu_list(text: str) -> set[int]:
    """Read `0-3,5`; parts of another form are passed over.

    Raises:
        HostNotUsable: A number that no CPU has.
    """
    cpus: set[int] = set()
    for part in set(text.split(",")):
        if found := _RANGE.fullmatch(part.strip()):
            cpus.update(range(parse_cpu_number(found[1]), parse_cpu_number(found[2] or found[1]) + 1))
    return cpus


def parse_cpu_number(text: str) -> int:
    """Read the number of a CPU, or how many there are; raises HostNotUsable when no host has so many."""
    number = parse_whole_number(text, most=MOST_CPUS)
    if number is None:
        raise HostNotUsable(
            f"the host tells of a CPU number {text[:40]!r}; DomTune knows hosts of up to {MOST_CPUS} CPUs",
            hint="What does its toolstack print, for example 'xl info' and 'xl vcpu-list'?",
        )
    return number
