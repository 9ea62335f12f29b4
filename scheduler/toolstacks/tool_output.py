"""Bounded reading of the output of a host's tools.

A line, list or number from a host is foreign input. None may cost more time or memory than a real host needs.
"""

import re
from collections.abc import Iterable, Iterator

from scheduler.errors import HostNotUsable
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _

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
        HostNotUsable: A line is longer; its content would be lost.
    """
    for line in text.split("\n"):
        if len(line) > longest:
            raise HostNotUsable(
                _(
                    "the host prints a line of {count} characters, starting with {line!r}; DomTune reads "
                    "up to {longest}"
                ).format(count=len(line), line=line[:60], longest=longest),
                hint=_("Check the output of the toolstack, for example 'xl list' and 'xl vcpu-list'."),
            )
        yield line


def match_row(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Return the columns of a line; None when the line does not match.

    Args:
        pattern: Matches a row.
        line: One line of output.
    """
    return pattern.fullmatch(line) if len(line) <= LONGEST else None


def match_rows(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that match a pattern; headers and warnings do not.

    Args:
        pattern: Matches a row.
        text: Output of a tool.

    Raises:
        HostNotUsable: There are more rows than any host has, or a line is too long.
    """
    found = (pattern.fullmatch(line) for line in split_lines(text))
    yield from limit_rows(columns for columns in found if columns is not None)


def limit_rows(found: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield rows; raise HostNotUsable for more than any host has."""
    for number, each in enumerate(found):
        if number >= _MOST_ROWS:
            raise HostNotUsable(
                _("the host lists more than {most_rows} domains, vCPUs or pools, starting with {each!r}").format(
                    most_rows=_MOST_ROWS, each=each[0][:60]
                ),
                hint=_("Check the output of the toolstack, for example 'xl list' and 'xl vcpu-list'."),
            )
        yield each


def parse_cpu_list(text: str) -> set[int]:
    """Read a list of CPUs such as `0-3,5`; skip parts of another form.

    Raises:
        HostNotUsable: A number that no CPU has.
    """
    cpus: set[int] = set()
    for part in set(text.split(",")):
        if found := _RANGE.fullmatch(part.strip()):
            cpus.update(range(parse_cpu_number(found[1]), parse_cpu_number(found[2] or found[1]) + 1))
    return cpus


def parse_cpu_number(text: str) -> int:
    """Read the number of a CPU, or a number of CPUs.

    Raises:
        HostNotUsable: No host has so many CPUs.
    """
    number = parse_whole_number(text, most=MOST_CPUS)
    if number is None:
        raise HostNotUsable(
            _("the host reports a CPU number {text!r}; DomTune supports up to {most_cpus} CPUs").format(
                text=text[:40], most_cpus=MOST_CPUS
            ),
            hint=_("Check the output of the toolstack, for example 'xl info' and 'xl vcpu-list'."),
        )
    return number
