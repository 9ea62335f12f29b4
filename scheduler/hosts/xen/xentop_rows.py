"""Parser for the lines of `xentop -b -f`, and a domain's counter made of them.

Source of the format: tools/xentop/xentop.c of Xen 4.1 to 4.17.
"""

import re
from dataclasses import dataclass

from scheduler.model.number_parsing import parse_whole_number
from scheduler.toolstacks.tool_output import match_row

# Only the named columns count; "no limit" is two words. A name may contain anything. Numbers consist of ASCII digits,
# with at most the digits that printf prints. Blanks are matched once (`++`).
_N, _P, _C = r"[0-9]{1,18}", r"[0-9]{1,18}(?:\.[0-9]{1,9})?", r"[0-9-]{1,18}"
_ROW = re.compile(
    rf"\s*+(?P<name>\S(?:.*?\S)??)\s++[d-](?P<shutdown>[s-])[b-](?P<crashed>[c-])(?P<paused>[p-])[r-]\s++(?P<seconds>{_N})\s++(?P<percent>{_P})"
    rf"\s++(?P<memory>{_N})\s++{_P}\s++(?:no limit|{_N})\s++(?:n/a|{_P})\s++{_N}\s++{_N}"
    rf"\s++(?P<sent>{_N})\s++(?P<received>{_N})"
    rf"(?:\s++{_C}\s++{_C}\s++{_C}\s++{_C}\s++(?P<read>{_C})\s++(?P<written>{_C}))?+(?:\s++[0-9-]++)*+\s*+"
)
_HEADER = re.compile(r"\s*NAME\s+STATE\s+CPU\(sec\).*")
_CARRY_LOOKS = 1.5  # readings of xentop; a last percentage older than this is not used


@dataclass(frozen=True, slots=True)
class TopRow:
    """One domain's line of `xentop -b -f`.

    Attributes:
        name: Full name, printed with `-f`.
        seconds: CPU seconds since the start of the domain, rounded down.
        percent: CPU used since the last reading, 100 for one CPU; 0 in the first reading.
        memory_kib: Memory, KiB.
        sent_kib: KiB sent to the guest by its network back ends.
        received_kib: KiB received from the guest.
        sectors: Sectors of 512 bytes read from and written to the guest's disks; 0 where not counted (Dom0).
        stopped: True when the domain is paused, shut down, suspended or crashed.
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
    """Read one line; return None for other text."""
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
    """Return True for the line that begins a reading."""
    return _HEADER.fullmatch(line) is not None


class CpuCounter:
    """One domain's CPU seconds: a sum of percentages, bounded by the whole seconds.

    The sum never decreases.

    Args:
        row: The domain's first line.
        at_s: Start of the reading on the monotonic clock, seconds.
        fine_s: CPU seconds to a tenth, from shortly before; 0 when unknown.
        every_s: Seconds between two readings.
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
        """True when the domain may have been restarted, or does not run now.

        Only the toolstack can confirm either.
        """
        return self.restarted or self.row.stopped

    def take(self, row: TopRow, at_s: float) -> None:
        """Add the line of the next reading.

        Args:
            row: The domain's line.
            at_s: Start of the reading on the monotonic clock, seconds.
        """
        # Counters decrease only after a restart, which may not show otherwise between two readings.
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
        """Return the CPU seconds at a time, extrapolated from the last reading.

        The value never decreases.
        """
        carried_s = self._cpu_s + self.row.percent / 100 * min(max(0.0, now_s - self.at_s), self._carry_s)
        self._told_s = max(self._told_s, carried_s)
        return self._told_s
