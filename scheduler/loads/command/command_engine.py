"""Engine of the load command: one program of the plan for all users."""

import re
from collections.abc import Mapping

from scheduler.errors import LoadDied, LoadError
from scheduler.loads.command.command_line import check_pattern, split_command
from scheduler.loads.command.line_figures import TIME_GROUPS
from scheduler.loads.command.rate_reader import GROWTHS, FigureHistory, RateReader
from scheduler.loads.engines.program import ProgramJob, ProgramLine, SupervisedProgram
from scheduler.loads.engines.program_engine import ProgramEngine
from scheduler.loads.engines.program_script import LineFigures
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec
from scheduler.translation import _

_FIRST_S = 40.0  # for connecting and starting; one interval is added
# Placeholder to libpq's environment variable and parameter.
_PLACEHOLDERS = {"host": ("PGHOST", "host"), "port": ("PGPORT", "port"), "user": ("PGUSER", "user")}
_DATABASE = ("PGDATABASE", "dbname")


class CommandScript:
    """Command line of the program, and the reader of its output.

    Args:
        begin: Parameters of the load and its connection.
        users: Number of users, >= 1. The program reads it from DOMTUNE_USERS or from the placeholder `{users}`.
    """

    asked = False
    hint = _(
        "Run the program by hand. DomTune reads its output line by line; a program that buffers its output is late."
    )

    def __init__(self, begin: BeginOrder, users: int) -> None:
        self._begin = begin
        self._users = users
        self.pattern = check_pattern(begin.parameters)
        self.interval_s = float(begin.parameters["interval_s"])
        self.first_s = _FIRST_S + self.interval_s
        self.title = _("the command")
        self._history = FigureHistory(GROWTHS, self.interval_s)

    def job(self) -> ProgramJob:
        params = self._begin.connection
        named = {**_PLACEHOLDERS, "database": _DATABASE}
        places = {name: params.get(key, "") for name, (_, key) in named.items()} | {"users": str(self._users)}
        environment = {variable: params[key] for variable, key in named.values() if key in params}
        password = re.sub(r"([\\:])", r"\\\1", params.get("password", ""))
        return ProgramJob(
            words=split_command(self._begin.parameters, places),
            environment={**environment, "DOMTUNE_USERS": str(self._users), "PYTHONUNBUFFERED": "1", "LC_ALL": "C"},
            password_file=f"*:*:*:*:{password}\n" if password else "",
            cpus=self._begin.cpus,
        )

    def reader(self) -> RateReader:
        """Return the reader of one run's output.

        Raises:
            LoadError: The process that matches the pattern cannot be started.
        """
        return RateReader(self.pattern)

    def lines(self, program: SupervisedProgram) -> "CommandLines":
        self._history.begin_run()
        return CommandLines(self.reader(), self.interval_s, self._history)

    def refused(self, said: str) -> LoadError | None:
        return None


class CommandLines:
    """Output of one run.

    Args:
        reader: Reader of the lines.
        interval_s: Seconds between two lines.
        history: Checks of the figures of all runs.
    """

    def __init__(self, reader: RateReader, interval_s: float, history: FigureHistory) -> None:
        self._reader = reader
        self._interval_s = interval_s
        self._history = history
        self._first = True

    def close(self) -> None:
        self._reader.close()

    def read(self, line: ProgramLine, since_s: float) -> LineFigures | None:
        """Return the figures of a line; None for a line without figures.

        Args:
            line: Line of output.
            since_s: End of the previous line's interval, seconds of the monotonic clock.

        Raises:
            LoadDied: A figure is ambiguous, or the figures are no rates.
        """
        reading = self._reader.read(line.text)
        if refusal := self._history.take(reading, line.text, line.heard_s):
            raise LoadDied(
                _("the command's output is no rate: {refusal}").format(refusal=refusal.text), hint=refusal.hint
            )
        if (found := reading.figures) is None:
            return None
        until_s = max(since_s, line.heard_s)
        if self._first:  # the program's start is not part of the first interval
            since_s, self._first = max(since_s, until_s - self._interval_s), False
        count = found.figure if found.counts else found.figure * (until_s - since_s)
        return LineFigures(since_s, until_s, count, errors=found.errors, times_ms=found.times_ms)

    def completed(self, told: float) -> int:
        return round(told)


def open_engine(begin: BeginOrder, users: int) -> ProgramEngine:
    """Return the engine for the users of one load, not started yet.

    Args:
        begin: Parameters of the load and its connection.
        users: Number of users, >= 1.

    Raises:
        SpecError: The pattern finds no rate.
    """
    return ProgramEngine(CommandScript(begin, users))


def versions(load: LoadSpec) -> Mapping[str, str]:
    """Return the command and the pattern of the plan.

    Raises:
        SpecError: The command or the pattern is not valid.
        LoadError: The program does not exist.
    """
    check_pattern(load.values)
    split_command(load.values, {})
    return {"command": str(load.values["command"]), "pattern": str(load.values["pattern"]) or "none: recognised"}


def sentences(load: LoadSpec) -> tuple[str, ...]:
    """Return the report sentences on the load."""
    pattern = str(load.values["pattern"])
    found = (
        _("found by `{pattern}`").format(pattern=pattern)
        if pattern
        else _("recognised without a pattern, which may be a guess")
    )
    return (
        _(
            "command: the figure is a number that `{command}` printed, {found}. DomTune cannot "
            "check the meaning of that number."
        ).format(command=load.values["command"], found=found),
        *_service_time_sentences(pattern),
        _(
            "command: lines count for the time since the line before, as they came; what "
            "falls into a whole second of the clock is interpolated linearly."
        ),
        _("command: the program cannot be paused. If users pause while the host is changed, the program restarts."),
    )


def _service_time_sentences(pattern: str) -> tuple[str, ...]:
    if not pattern or any(f"(?P<{group}>" in pattern for group in TIME_GROUPS):
        return (
            _(
                "command: service times are those that the program prints, by its own definition. A trial has "
                "the mean of "
                "its seconds."
            ),
        )
    return (_("command: no service times are measured."),)
