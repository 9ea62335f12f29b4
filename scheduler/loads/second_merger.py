"""Merger of the users' reports of each second, which waits for late users."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scheduler.loads.load_protocols import ClientSecond, LoadSecond
from scheduler.loads.user_lines import ClientComputer
from scheduler.loads.user_messages import SecondReport

# Seconds of patience. A later user was stopped, or other programs take its CPU.
GRACE_S = 4.0


class _TimedReport(NamedTuple):
    report: SecondReport
    machine: ClientComputer | None
    clock_error_s: float  # at the time of the report


class SecondMerger:
    """Seconds of one stretch, between start (or unpark) and stop (or park).

    Args:
        users: Number of users.
        probe: True when there is a probe reader as well.
        first_second: First whole second in which all users work.
    """

    def __init__(self, users: int, *, probe: bool, first_second: int) -> None:
        self._users = users
        self._probe = probe
        self._next = first_second
        self._reports: dict[int, list[_TimedReport]] = {}
        self._probes: dict[int, _TimedReport] = {}

    def take(self, report: SecondReport, *, probe: bool, machine: ClientComputer | None = None) -> None:
        """Add one report; drop a report that comes after its second was completed.

        Args:
            report: The report.
            probe: True for a report of the probe reader.
            machine: Computer of the user; None for this computer.
        """
        if report.second < self._next:
            return
        reported = _TimedReport(report, machine, machine.clock_error_s if machine is not None else 0.0)
        if probe:
            self._probes[report.second] = reported
        elif (
            len(self._reports.setdefault(report.second, [])) < self._users
        ):  # reports beyond the number of users are not ours
            self._reports[report.second].append(reported)

    def complete(self, now_s: float) -> list[LoadSecond]:
        """Return the seconds that are complete or late beyond the limit, in order."""
        done: list[LoadSecond] = []
        while self._is_complete(self._next) or now_s > self._next + 1 + GRACE_S:
            done.append(self._merge_second(self._next))
            self._next += 1
        return done

    def _is_complete(self, second: int) -> bool:
        return len(self._reports.get(second, ())) == self._users and (not self._probe or second in self._probes)

    def _merge_second(self, second: int) -> LoadSecond:
        reported = self._reports.pop(second, [])
        probing = self._probes.pop(second, None)
        reports, probe = [each.report for each in reported], probing.report if probing else None
        histogram: Counter[int] = Counter()
        sorts: dict[str, Counter[int]] = {}
        failures: Counter[str] = Counter()
        for report in reports:
            histogram.update(report.histogram)
            failures.update(report.failures)
            for sort, times in report.sorts.items():
                sorts.setdefault(sort, Counter()).update(times)
        everyone = [*reports, *([probe] if probe else [])]
        return LoadSecond(
            second=second,
            count=sum(report.count for report in reports),
            histogram=histogram,
            errors=sum(report.errors for report in reports),
            retries=sum(report.retries for report in reports),
            busiest_cpu_frac=max((report.cpu_s for report in everyone), default=0.0),
            cpu_s=sum(report.cpu_s for report in everyone),
            probe_count=probe.count if probe else None,
            missing_users=self._users - len(reports) + int(self._probe and probe is None),
            sorts=sorts,
            failures=failures,
            figures=tuple(figure for report in reports for figure in report.figures),
            clients=_seconds_by_client(reported, probing),
        )


def _seconds_by_client(told: Sequence[_TimedReport], probing: _TimedReport | None) -> dict[str, ClientSecond]:
    """Return the work of the users of each other computer."""
    found: dict[str, ClientSecond] = {}
    for each in (*told, *([probing] if probing else [])):
        if each.machine is None:
            continue
        before = found.get(each.machine.name, ClientSecond(0, 0, 0.0, each.machine.cpus, 0.0))
        counts = each is not probing
        found[each.machine.name] = ClientSecond(
            count=before.count + (each.report.count if counts else 0),
            users=before.users + counts,
            cpu_s=before.cpu_s + each.report.cpu_s,
            cpus=before.cpus,
            clock_error_s=max(before.clock_error_s, each.clock_error_s),
        )
    return found
