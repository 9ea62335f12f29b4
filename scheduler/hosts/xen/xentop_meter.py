"""Counters of the running domains from one `xentop` process that keeps running.

A call of `xl` costs Dom0 as much CPU time as dozens of readings by a running xentop (measured on an emulated host: 0.7
s of CPU against 0.02 s). A sweep measures Dom0's CPU time. So on a slow host, xentop reads less often than every
second. The duration of `xl list` gives the cost of a reading.
"""

import re
import shlex
import threading
import time
from collections.abc import Sequence

from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.hosts.remote.shell import CommandStream, StreamingShell
from scheduler.hosts.xen.commands import SELDOM_S, xentop_arguments
from scheduler.hosts.xen.toolstack_access import is_sudo_refusal
from scheduler.hosts.xen.xentop_rows import CpuCounter, TopRow, is_header, parse_top_row
from scheduler.hosts.xen.xl_tables import parse_domains
from scheduler.toolstacks.command_words import Argv
from scheduler.translation import _

_FIRST_S = 30.0
_SILENT_S = 40.0  # a Dom0 with a small cap is slow, not gone; the guard waits longer
_NAP_S = 0.02
_LOOKS_A_LIST = 25  # readings that cost as much as one `xl list`: the lowest ratio measured, see above
_COST_FRAC = 0.008  # of a CPU for readings: a tenth of a Dom0 at 1:10; one reading per second where xl takes 0.2 s
_REFUSED_S = 5.0  # sudo refuses a command within this time
_TIME = re.compile(r"([0-9]{1,6})m([0-9]{1,2}(?:\.[0-9]{1,9})?)s")


def choose_interval_s(times: str) -> int:
    """Return the interval between xentop's readings, whole seconds, 1..SELDOM_S.

    Args:
        times: Output of the shell's `times` after `xl list`: the shell's user and system time, then its children's.
    """
    spent_s = [60 * int(minutes) + float(seconds) for minutes, seconds in _TIME.findall(times)][-2:]
    return max(1, min(SELDOM_S, round(sum(spent_s) / _LOOKS_A_LIST / _COST_FRAC)))


class XentopMeter:
    """Counters by name of the domain.

    Args:
        shell: Shell of the host.
        xentop: The xentop command, with sudo where necessary.
        listing: The command that lists the domains with CPU time to tenths of a second, called once.
    """

    def __init__(self, shell: StreamingShell, xentop: Argv, listing: Argv) -> None:
        self._shell = shell
        self._xentop = tuple(xentop)
        self._listing = shlex.join(listing)
        self._every_s = 1
        self._stream: CommandStream | None = None
        self._counters: dict[str, CpuCounter] = {}
        self._fine_s: dict[str, float] = {}
        self._look_s = 0.0
        self._seen: set[str] = set()
        self._complete = False
        self._twins: set[str] = set()  # duplicate names in the last complete reading
        self._doubled: set[str] = set()  # duplicate names in the current reading so far

    @property
    def complete(self) -> bool:
        """True when xentop has printed a complete reading.

        A domain that is missing from a complete reading is not counted by xentop.
        """
        return self._complete

    @property
    def duplicate_names(self) -> frozenset[str]:
        """Names that several running domains have.

        xentop prints no UUID, so their counters cannot be distinguished.
        """
        return frozenset(self._twins | self._doubled)

    def look(self) -> dict[str, CpuCounter]:
        """Return the counters of every running domain.

        Raises:
            HostUnreachable: xentop does not start, or has stopped printing.
        """
        if self._stream is None:
            self._start_xentop()
        stream = self._stream
        if stream is not None:
            self._read_lines(stream)
        silent_s = time.monotonic() - self._look_s
        if stream is None or stream.ended or silent_s > _SILENT_S:
            self.close()
            raise HostUnreachable(
                _("{where}: xentop was silent for {silent_s:.0f} s").format(where=self._shell.where, silent_s=silent_s),
                hint=_("Check the CPU use of Domain-0 and the connection."),
            )
        return dict(self._counters)

    def close(self) -> None:
        """Stop xentop; never raise, may be called twice.

        The counters continue when xentop starts again.
        """
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _start_xentop(self) -> None:
        """Start xentop and wait for its first complete reading; raise HostUnreachable."""
        if not self._counters:
            listed = self._shell.run(["sh", "-c", f"{self._listing}; times"], timeout_s=_FIRST_S)
            self._fine_s = {domain.name: domain.time_s for domain in parse_domains(listed.out)}
            self._every_s = choose_interval_s(listed.out)
        watch = [*self._xentop, *xentop_arguments(self._every_s)]
        self._stream = stream = self._shell.stream(watch)
        self._look_s = time.monotonic()
        self._seen, self._doubled = set(), set()
        end_s = self._look_s + _FIRST_S
        while not self._seen and not stream.ended and time.monotonic() < end_s:
            threading.Event().wait(_NAP_S)
            self._read_lines(stream)
        rows = 0
        while rows < len(self._seen):  # the other rows of the same reading
            rows = len(self._seen)
            threading.Event().wait(10 * _NAP_S)
            self._read_lines(stream)
        if stream.ended and not rows:
            self._raise_if_refused(watch)

    def _raise_if_refused(self, watch: Sequence[str]) -> None:
        """Raise HostNotUsable where sudo refuses xentop; otherwise return."""
        try:
            answer = self._shell.run(watch, timeout_s=_REFUSED_S)
        except HostUnreachable:
            return
        if is_sudo_refusal(watch, answer):
            self.close()
            raise HostNotUsable(
                _("{where}: this account may not call '{watch}': {splitlines}").format(
                    where=self._shell.where, watch=shlex.join(watch), splitlines=answer.said.splitlines()[-1]
                ),
                hint=_("Write this account's files again with 'domtune host-setup', and run install.sh on the host."),
            )

    def _read_lines(self, stream: CommandStream) -> None:
        for at_s, line in stream.take():
            row = parse_top_row(line)
            if row is not None:
                self._count_row(row)
            elif is_header(line):
                self._begin_look(at_s)

    def _begin_look(self, at_s: float) -> None:
        """Begin a reading; drop the domains that were missing from the last one."""
        if self._seen:
            self._counters = {name: self._counters[name] for name in self._seen}
            self._complete = True
            self._twins, self._doubled = self._doubled, set()
        self._seen, self._look_s = set(), at_s

    def _count_row(self, row: TopRow) -> None:
        if row.name in self._seen:
            self._doubled.add(row.name)
            return
        self._seen.add(row.name)
        counter = self._counters.get(row.name)
        if counter is None:
            self._counters[row.name] = CpuCounter(row, self._look_s, self._fine_s.get(row.name, 0.0), self._every_s)
        else:
            counter.take(row, self._look_s)
