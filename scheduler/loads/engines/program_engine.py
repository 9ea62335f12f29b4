"""Engine for a load that an external program runs: start, read, park, end.

The program's figures are divided among whole seconds. Such a program cannot pause between two operations. So parking
ends the program, and unparking starts it again.
"""

import logging
import math
import time
from collections import deque
from collections.abc import Mapping

from scheduler.errors import LoadDied, LoadError
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.loads.engines.program_script import LineFigures, ProgramLines, ProgramScript
from scheduler.loads.load_protocols import LoadSecond
from scheduler.loads.user_messages import UserTotals
from scheduler.translation import _
from scheduler.waiting import check_abort

_MOST_POINTS = 100_000


class CumulativeCounter:
    """Total that grows linearly between known moments, from 0 at the start.

    Args:
        from_s: Start, seconds of the monotonic clock.
    """

    def __init__(self, from_s: float) -> None:
        self._points = deque([(from_s, 0.0)], maxlen=_MOST_POINTS)

    @property
    def until_s(self) -> float:
        """The last known moment, seconds of the monotonic clock."""
        return self._points[-1][0]

    @property
    def total(self) -> float:
        """Total at the last known moment."""
        return self._points[-1][1]

    def grow(self, until_s: float, more: float) -> None:
        """Let the total grow until a moment.

        Args:
            until_s: The moment, seconds of the monotonic clock, not before the last known one.
            more: Growth since the last known moment, >= 0.
        """
        self._points.append((max(until_s, self.until_s), self.total + more))

    def at(self, moment_s: float) -> float:
        """Return the total at a moment, interpolated linearly."""
        before_s, before = self._points[0]
        for after_s, after in self._points:
            if after_s > moment_s:
                part = (moment_s - before_s) / (after_s - before_s) if moment_s > before_s else 0.0
                return before + part * (after - before)
            before_s, before = after_s, after
        return before

    def whole(self, second: int) -> int:
        """Return the growth in a second as a whole number.

        The whole numbers of all seconds add up to the rounded total.
        """
        return _round_half_up(self.at(second + 1)) - _round_half_up(self.at(second))

    def part(self, second: int) -> float:
        """Return the growth in a second."""
        return self.at(second + 1) - self.at(second)

    def forget(self, before_s: float) -> None:
        """Drop the points that are not needed after a moment."""
        while len(self._points) > 1 and self._points[1][0] <= before_s:
            self._points.popleft()


def _round_half_up(value: float) -> int:
    return math.floor(value + 0.5)


log = logging.getLogger(__name__)

_SILENT_S = 5.0  # in addition to the interval; a busy computer delays a line by less
_PARK_S = 3.0  # a starved guest needs long for an operation; a late program ends with its operation
_ANSWER_S = 30.0  # with nothing limited
_NAP_S, _LOOK_S = 0.02, 0.25


class ProgramRun:
    """One run of the program. The constructor starts it.

    Args:
        script: Command line of the program, and the reader of its output.
    """

    def __init__(self, script: ProgramScript) -> None:
        self.program = SupervisedProgram(script.job())
        self.began_s = time.monotonic()
        self.lines: ProgramLines = script.lines(self.program)
        self.heard_s = 0.0  # time of the last line with figures; 0 before the first
        self._times: deque[tuple[float, Mapping[str, float]]] = deque()  # end of an interval, and its service times
        self.count, self.errors, self.retries, self.cpu, self.busiest = (
            CumulativeCounter(self.began_s) for _ in range(5)
        )

    def hear(self) -> int | None:
        """Read new lines; return the exit status, None while the program runs."""
        status = self.program.status
        for line in self.program.lines():
            reported = self.lines.read(line, self.count.until_s)
            if reported is not None:
                self.heard_s = line.heard_s
                self._add_figures(reported)
        return status

    def look(self) -> None:
        """Read the CPU time used so far."""
        used, now_s = self.program.cpu(), time.monotonic()
        self.cpu.grow(now_s, used.all_s - self.cpu.total)
        self.busiest.grow(now_s, used.busiest_s - self.busiest.total)

    def second(self, number: int) -> LoadSecond:
        """Return the figures of one second, after output for all of it was read."""
        busiest_frac = self.busiest.part(number)
        found = LoadSecond(
            second=number,
            count=self.count.whole(number),
            errors=self.errors.whole(number),
            retries=self.retries.whole(number),
            busiest_cpu_frac=busiest_frac,
            cpu_s=max(busiest_frac, self.cpu.part(number)),
            reported_ms=self._reported_ms(number + 0.5),
        )
        for course in (self.count, self.errors, self.retries, self.cpu, self.busiest):
            course.forget(number)
        return found

    def end(self) -> None:
        """End the program; never raise. A second call does nothing."""
        self.program.end()
        self.lines.close()

    def _reported_ms(self, middle_s: float) -> Mapping[str, float]:
        """Return the service times of the interval around a moment."""
        while self._times and self._times[0][0] < middle_s:
            self._times.popleft()
        return self._times[0][1] if self._times else {}

    def _add_figures(self, told: LineFigures) -> None:
        self._times.append((told.until_s, told.times_ms))
        for course, more in ((self.count, told.count), (self.errors, told.errors), (self.retries, told.retries)):
            course.grow(told.since_s, 0)
            course.grow(told.until_s, more)


class ProgramEngine:
    """Users of one load, run by a program.

    Args:
        script: Command line of the program, and the reader of its output.
    """

    def __init__(self, script: ProgramScript) -> None:
        self._script = script
        self._run: ProgramRun | None = None
        self._next: int | None = None  # the next second to report; None while parked
        self._completed = 0
        self._told = 0.0
        self._retries = 0

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the supervisor, the program and its offspring."""
        return self._run.program.pids if self._run is not None else ()

    def connect(self) -> None:
        """Start the program; wait for its first figures, when all its users work.

        Raises:
            LoadError: The program did not start, or printed no figures in time.
        """
        run = self._run = ProgramRun(self._script)
        deadline_s = run.began_s + self._script.first_s
        while not run.heard_s:
            if run.hear() is not None and not run.heard_s:
                raise self._start_error(run)
            self._refuse_flood(run)
            if time.monotonic() > deadline_s:
                raise LoadDied(
                    _("{script} has printed no figures within {first_s:g} s{output}").format(
                        script=self._script.title, first_s=self._script.first_s, output=_output_text(run)
                    ),
                    hint=self._script.hint,
                )
            check_abort()
            run.program.wait(_NAP_S)
        run.look()

    def go(self) -> None:
        """Count from now on; the users already work."""
        self._next = math.ceil(time.monotonic())

    def poll(self) -> list[LoadSecond]:
        """Return the seconds that became complete; never wait.

        Raises:
            LoadDied: The program has ended, is silent, or prints too much.
        """
        run = self._run
        if run is None or self._next is None:
            return []
        self._read_lines(run)
        run.look()
        found: list[LoadSecond] = []
        while min(run.count.until_s, run.cpu.until_s) >= self._next + 1:
            found.append(run.second(self._next))
            self._next += 1
        return found

    def park(self) -> None:
        """Ask the program to end; wait some seconds for operations to finish."""
        if self._run is None or self._next is None:
            return
        self._next = None
        self._request_end(self._run, _PARK_S)

    def unpark(self) -> None:
        """Start the program again.

        Raises:
            LoadDied: The program did not end, or does not start again.
        """
        self._finish_run()
        self.connect()
        self.go()

    def stop(self) -> UserTotals:
        """Ask the program to end; return the totals of all its runs.

        Raises:
            LoadDied: The program did not end, or did not report its total.
        """
        if self._run is not None and self._next is not None:
            self._request_end(self._run, 0)
        self._next = None
        self._finish_run()
        return UserTotals(tuples=self._completed, misses=0, retries=self._retries, reported=math.floor(self._told))

    def end(self) -> None:
        """End every process; never raise. A second call does nothing."""
        run, self._run, self._next = self._run, None, None
        if run is not None:
            run.end()

    def _read_lines(self, run: ProgramRun) -> None:
        if run.hear() is not None:
            raise LoadDied(
                _("{script} has ended unexpectedly{status}{output}").format(
                    script=self._script.title, status=_status_text(run), output=_output_text(run)
                ),
                hint=self._script.hint,
            )
        self._refuse_flood(run)
        silent_s = time.monotonic() - run.heard_s
        if silent_s > self._script.interval_s + _SILENT_S:
            raise LoadDied(
                _("{script} has printed no figures for {silent_s:.0f} s{output}").format(
                    script=self._script.title, silent_s=silent_s, output=_output_text(run)
                ),
                hint=self._script.hint,
            )

    def _refuse_flood(self, run: ProgramRun) -> None:
        if run.program.flooded:
            raise LoadDied(
                _("{script} prints more than 1,000 lines or 1 MiB a second{output}").format(
                    script=self._script.title, output=_output_text(run)
                ),
                hint=_("Have it print one line with its figures every second."),
            )

    def _request_end(self, run: ProgramRun, patience_s: float) -> None:
        if not self._script.asked:
            run.program.end()
            return
        run.program.ask()
        if patience_s and run.program.wait(patience_s) is None:
            log.info("%s is still in an operation; it ends when that does", self._script.title)

    def _finish_run(self) -> None:
        """Wait for the end of the current run; add its figures to the totals."""
        run, self._run = self._run, None
        if run is None:
            return
        try:
            if _wait_for_end(run.program, _ANSWER_S) is None:
                raise LoadDied(
                    _("{script} has not ended within {answer_s:g} s{output}").format(
                        script=self._script.title, answer_s=_ANSWER_S, output=_output_text(run)
                    ),
                    hint=self._script.hint,
                )
            run.hear()
            self._told += run.count.total
            self._retries += round(run.retries.total)
            self._completed += run.lines.completed(run.count.total)
        finally:
            run.end()

    def _start_error(self, run: ProgramRun) -> LoadError:
        said = run.program.last_words
        text = _("{script} ended before it printed any figures{status}{output}").format(
            script=self._script.title, status=_status_text(run), output=_output_text(run)
        )
        return self._script.refused(said) or LoadDied(text, hint=self._script.hint)


def _wait_for_end(program: SupervisedProgram, patience_s: float) -> int | None:
    """Wait for a program's end; return its status, None at the time limit."""
    deadline_s = time.monotonic() + patience_s
    while (status := program.wait(_LOOK_S)) is None and time.monotonic() < deadline_s:
        check_abort()
    return status


def _status_text(run: ProgramRun) -> str:
    status = run.program.status
    if status is None:
        return ""
    return (
        _(" (signal {status})").format(status=status - 128)
        if status > 128
        else _(" (status {status})").format(status=status)
    )


def _output_text(run: ProgramRun) -> str:
    said, unended = run.program.last_words, run.program.unended
    if unended and not said:
        return _("; it prints no line end behind {unended!r}").format(unended=unended[:120])
    return _("; its last output: {answer}").format(answer=said) if said else _("; it printed nothing")
