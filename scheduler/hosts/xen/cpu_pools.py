"""Parsers for CPU pools as printed by `xl cpupool-list`, with and without `-c`.

Source of the formats: tools/xl/xl_cpupool.c, Xen 4.1 to 4.17. Both tables pad a name to 19 bytes, so a longer name
touches the number or the list after the name. A row is read by that width. Where several names would fit, the list of
CPUs decides.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.errors import HostNotUsable
from scheduler.toolstacks.tool_output import LONGEST_LIST, match_rows, parse_cpu_list, split_lines
from scheduler.translation import _

_NAME_BYTES = 19
_ROW = re.compile(r"(?P<head>\S(?:.*?[0-9])??)\s++(?P<scheduler>\S+)\s++(?P<active>[yn])\s++[0-9]{1,18}\s*+")
_COUNT = re.compile(r"[0-9]{1,4}\Z")
_CPUS = re.compile(r"[0-9][0-9,-]*+|")


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One line of `xl cpupool-list`: a CPU pool with a scheduler of its own.

    Attributes:
        name: Name of the pool.
        cpus: Number of physical CPUs, >= 0.
        scheduler: Scheduler of the pool, which counts for the pool's domains, not the host's default.
    """

    name: str
    cpus: int
    scheduler: str


def parse_pools(text: str, cpus_text: str = "") -> list[PoolRow]:
    """Read `xl cpupool-list`.

    Args:
        text: Output of the tool.
        cpus_text: Output of the tool with `-c`.

    Raises:
        HostNotUsable: There are more rows, or longer lines, than any host prints.
    """
    lines = list(split_lines(cpus_text, LONGEST_LIST))
    found = [(_split_head(each["head"]), each["scheduler"]) for each in match_rows(_ROW, text)]
    return [PoolRow(*_choose_split(splits, lines), scheduler) for splits, scheduler in found if splits]


def parse_pool_cpus(text: str, pools: list[PoolRow]) -> Mapping[str, tuple[int, ...]]:
    """Read `xl cpupool-list -c` into pool name to CPUs; a pool may have no CPU.

    Empty where the tool printed nothing.

    Args:
        text: Output of the tool.
        pools: The pools of the host.

    Raises:
        HostNotUsable: A pool is missing from the output, a line is too long, or a CPU number is out of range.
    """
    lines = list(split_lines(text, LONGEST_LIST))
    if not text.strip():
        return {}
    cpus: dict[str, tuple[int, ...]] = {}
    for pool in pools:
        found = [each for line in lines if (each := _parse_row_cpus(line, pool.name)) is not None]
        exact = [each for each in found if len(each) == pool.cpus]
        if not found:
            raise HostNotUsable(
                _("the host lists the CPU pool {pool!r}, but not its CPUs").format(pool=pool.name),
                hint=_("Check the output of 'xl cpupool-list -c'."),
            )
        cpus[pool.name] = (exact or found)[0]
    return cpus


def _split_head(head: str) -> list[tuple[str, int]]:
    """Return the candidates for a row's name and number of CPUs."""
    digits = _COUNT.search(head)
    numbers = range(digits.start(), len(head)) if digits else range(0)
    splits = [(head[:at].rstrip(), int(head[at:])) for at in reversed(numbers) if at]
    exact = [(name, count) for name, count in splits if f"{_pad_name(name)}{count:3d}" == head]
    return exact or [(name, count) for name, count in splits if head[len(name)] == " "]


def _choose_split(splits: list[tuple[str, int]], lines: list[str]) -> tuple[str, int]:
    """Return the candidate that agrees with the list of CPUs, or the first one."""
    for name, count in splits if len(splits) > 1 else ():
        if any(len(_parse_row_cpus(line, name) or ()) == count for line in lines):
            return name, count
    return splits[0]


def _parse_row_cpus(line: str, name: str) -> tuple[int, ...] | None:
    """Return a pool's CPUs from a line; None for a line of another pool."""
    head = _pad_name(name)
    rest = line.removeprefix(head).strip() if line.startswith(head) else None
    if rest is None or not _CPUS.fullmatch(rest):
        return None
    return tuple(sorted(parse_cpu_list(rest)))


def _pad_name(name: str) -> str:
    return name + " " * (_NAME_BYTES - len(name.encode("utf-8", "surrogateescape")))
