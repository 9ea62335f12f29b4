"""The users' reports of each second, put together; a late user is waited for, but not for ever."""

from collections import Counter

from scheduler.loads.base import LoadSecond
from scheduler.loads.orders import Report

# A user process that cannot even say what it did: its CPU is taken by something else, or it was stopped.
GRACE_S = 4.0


class Merging:
    """The seconds of one stretch between start (or unpark) and stop (or park).

    Args:
        users: Number of users.
        probe: True when there is a probe reader as well.
        first_second: First whole second in which all of them run.
    """

    def __init__(self, users: int, *, probe: bool, first_second: int) -> None:
        self._users = users
        self._probe = probe
        self._next = first_second
        self._reports: dict[int, list[Report]] = {}
        self._probes: dict[int, Report] = {}

    def take(self, report: Report, *, probe: bool) -> None:
        """Add one report; what comes after its second was given up is dropped."""
        if report.second < self._next:
            return
        if probe:
            self._probes[report.second] = report
        else:
            self._reports.setdefault(report.second, []).append(report)

    def complete(self, now_s: float) -> list[LoadSecond]:
        """Return the seconds that are complete, or were waited for long enough, in order."""
        done: list[LoadSecond] = []
        while self._is_complete(self._next) or now_s > self._next + 1 + GRACE_S:
            done.append(self._merged(self._next))
            self._next += 1
        return done

    def _is_complete(self, second: int) -> bool:
        return len(self._reports.get(second, ())) == self._users and (not self._probe or second in self._probes)

    def _merged(self, second: int) -> LoadSecond:
        reports = self._reports.pop(second, [])
        probe = self._probes.pop(second, None)
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
        )
