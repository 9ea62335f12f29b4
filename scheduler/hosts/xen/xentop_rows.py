"""The lines of `xentop -b -f` (tools/xentop/xentop.c of Xen 4.1 to 4.17), and one domain's counter made of them."""

import re
from dataclasses import dataclass

from scheduler.model.number_parsing import parse_whole_number
from scheduler.toolstacks.tool_output import match_row

# The columns that count; "no limit" are two words. A name may hold anything.
# Numbers are of ASCII digits and of a length that the printf's can have; blanks are taken once (`++`).
_N, _P, _C = r"[0-9]{1,18}", r"[0-9]{1,18}(?:\.[0-9]{1,9})?", r"[0-9-]{1,18}"
_ROW = re.compile(
    rf"\s*+(?P<name>\S(?:.*?\S)??)\s++[d-](?P<shutdown>[s-])[b-](?P<crashed>[c-])(?P<paused>[p-])[r-]\s++(?P<seconds>{_N})\s++(?P<percent>{_P})"
    rf"\s++(?P<memory>{_N})\s++{_P}\s++(?:no limit|{_N})\s++(?:n/a|{_P})\s++{_N}\s++{_N}"
    rf"\s++(?P<sent>{_N})\s++(?P<received>{_N})"
    rf"(?:\s++{_C}\s++{_C}\s++{_C}\s++{_C}\s++(?P<read>{_C})\s++(?P<written>{_C}))?+(?:\s++[0-9-]++)*+\s*+"
)
_HEADER = re.compile(r"\s*NAME\s+STATE\s+CPU\(sec\).*")
_CARRY_LOOKS = 1.5  # beyond so many of its looks xentop's last percentage says nothing


@dataclass(frozen=True, slots=True)
class TopRow:
    """One domain's line.

    Attributes:
        name: Whole, with `-f`.
        seconds: CPU seconds since the domain was started, rounded down.
        percent: CPU used since the last look, 100 for one CPU; 0 on the first.
        memory_kib: Memory.
        sent_kib: Sent to the guest by its network back ends.
        received_kib: Received from it.
        sectors: Read from its disks and written to them, of 512 bytes; 0 where that is not counted (Dom0's).
        stopped: Whether the domain is paused, has shut down, was suspended, or crashed.
    """

    name: str
    seconds: int
    percent: float
    memory_kib: int
    sent_kib: int
    received_kib: int
    sectors: int = 0
    stopped: bool = False


def parse_top_row(line: str) -> TopRow | None:
    """Read one line; None for what is no row."""
    found = match_row(_ROW, line)
    if found is None:
        return None
    return TopRow(
        name=found["name"],
        seconds=int(found["seconds"]),
        percent=float(found["percent"]),
        memory_kib=int(found["memory"]),
        sent_kib=int(found["sent"]),
        received_kib=int(found["received"]),
        sectors=sum(parse_whole_number(text) or 0 for text in (found["read"], found["written"]) if text),
        stopped=(found["shutdown"], found["crashed"], found["paused"]) != ("-", "-", "-"),
    )


def is_header(line: str) -> bool:
    """Return True for the line that begins a look."""
    return _HEADER.fullmatch(line) is not None


class CpuCounter:
    """One domain's CPU seconds: the percentages summed up, held to the whole seconds, never backwards.

    Args:
        row: Its first line.
        at_s: When the look began, on the monotonic clock.
        fine_s: Its CPU seconds to a tenth, from shortly before; 0 when unknown.
        every_s: Time from one look to the next.
    """

    def __init__(self, row: TopRow, at_s: float, fine_s: float, every_s: float = 1.0) -> None:
        self._carry_s = _CARRY_LOOKS * every_s
        self.row = row
        self.at_s = at_s
        self.restarted = False
        self._cpu_s = min(max(fine_s, row.seconds), row.seconds + 1.0)
        self._told_s = 0.0

    @property
    def is_doubtful(self) -> bool:
        """True when the domain may have been restarted, or does not run now: the toolstack knows."""
        return self.restarted or self.row.stopped

    def take(self, row: TopRow, at_s: float) -> None:
        """Take the line of the next look."""
        # No counter of a life runs backwards; a restart between two looks would not show otherwise.
        self.restarted = self.restarted or any(
            now < before
            for now, before in (
                (row.seconds, self.row.seconds),
                (row.sent_kib, self.row.sent_kib),
                (row.received_kib, self.row.received_kib),
            )
        )
        reached_s = self._cpu_s + row.percent / 100 * (at_s - self.at_s)
        self._cpu_s = min(max(reached_s, row.seconds), row.seconds + 1.0)
        self.row, self.at_s = row, at_s

    def cpu_s(self, now_s: float) -> float:
        """Return the CPU seconds at a moment, carried on from the last look at its pace; never less than before."""
        carried_s = self._cpu_s + self.row.percent / 100 * min(max(0.0, now_s - self.at_s), self._carry_s)
        self._told_s = max(self._told_s, carried_s)
        return self._told_s
