"""sysbench: its path, its command line, and its output.

Sources: the README and `sysbench --help` of sysbench 1.0.
"""

import importlib.resources
import ipaddress
import re
import signal
from collections.abc import Mapping
from pathlib import Path

from scheduler.children import find_program, run_and_capture
from scheduler.databases.mariadb.client import connect, describe_place
from scheduler.databases.mariadb.login_security import NO_PLUGINS, is_trusted
from scheduler.databases.mariadb.mariadb_errors import unreachable_error
from scheduler.errors import DatabaseUnsuitable, LoadDied, LoadError, SpecError
from scheduler.loads.engines.program import ProgramJob, ProgramLine, SupervisedProgram
from scheduler.loads.engines.program_script import LineFigures, parse_figure
from scheduler.loads.sysbench.sysbench_tables import sysbench_schema
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.mariadb_urls import PLAIN, VERIFY_CA
from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.parameters import ParameterValue
from scheduler.translation import _

SCRIPTS = {
    "read-write": "oltp_read_write",
    "read-only": "oltp_read_only",
    "write-only": "oltp_write_only",
    "point-select": "oltp_point_select",
}
"""Script name in a plan to sysbench's own name."""

LEAST_VERSION = (1, 0)
"""The first version with these scripts and hooks."""

PLACES = "/usr/bin:/usr/local/bin:/bin"
"""Folders where sysbench is searched for. PATH is not used, because its folders may not belong to root."""

_LOGIN = "caching_sha2_password.so"
_PLUGIN_FOLDERS = ("usr/lib/*/libmariadb3/plugin", "usr/lib*/mariadb/plugin", "usr/lib/*/mariadb/plugin")
"""Folders with the plugins of MariaDB's library: Debian and Ubuntu, Fedora and SUSE, Arch."""

PERCENTILE = 95
_HINT = _("Install it there: apt-get install sysbench")
_FIRST_S = 40.0  # sysbench's own limit for all connections is 30 s; its message is better than ours
_MOST_OFF_S = 2.0  # between sysbench's clock and ours, which are the same clock
_LONGEST_BYTES = 255  # per line of its option files
_SEEDS = 2**31 - 1  # the highest seed that sysbench accepts; 0 would be the time of day
_VERSION = re.compile(r"sysbench (([0-9]{1,4})\.([0-9]{1,4})\S*)")
_LINE = re.compile(
    r"domtune: at (?P<at>[0-9.]+) s, (?P<took>[0-9.]+) s, (?P<events>[0-9]+) events, (?P<p95>[0-9.]+) ms, "
    r"(?P<repeated>[0-9]+) repeated, (?P<reconnects>[0-9]+) reconnects"
)
_EVENTS = re.compile(r"total number of events: +([0-9]+)")
_STATEMENTS = re.compile(r"max_prepared_stmt_count statements \(current value: ([0-9]+)\)")
_REFUSED = re.compile(r"FATAL: error ([0-9]{4}): (.*?)(?: / |$)")  # sysbench prints this only while connecting
_FAILED = re.compile(r"FATAL: mysql_\w+\(\) returned error ")


def find_sysbench() -> str:
    """Return the absolute path of sysbench.

    Raises:
        LoadError: sysbench is missing.
    """
    found = find_program("sysbench", PLACES)
    if not found:
        raise LoadError(_("sysbench is not in {places}").format(places=PLACES.replace(":", ", ")), hint=_HINT)
    return found


def sysbench_versions() -> Mapping[str, str]:
    """Return the version of sysbench.

    Raises:
        LoadError: sysbench is missing or too old.
    """
    path = find_sysbench()
    try:
        said = run_and_capture([path, "--version"], 10).stdout.strip()
    except OSError as error:
        raise LoadError(_("{path} does not run: {error}").format(path=path, error=error), hint=_HINT) from error
    match = _VERSION.search(said)
    if match is None or (int(match[2]), int(match[3])) < LEAST_VERSION:
        raise LoadError(
            _("the load needs sysbench 1.0 or newer; {path} reports {answer}").format(
                path=path, answer=said[:80] or "nothing"
            ),
            hint=_HINT,
        )
    return {"sysbench": match[1]}


def sysbench_job(
    params: Mapping[str, str], values: Mapping[str, ParameterValue], words: tuple[str, ...], cpus: tuple[int, ...] = ()
) -> ProgramJob:
    """Return the command that runs DomTune's script, and with it one of sysbench's.

    Args:
        params: Parameters of a user's connection. The password is passed through a file descriptor.
        values: Parameters of the load.
        words: Options of sysbench, then its command: `prepare` or `run`.
        cpus: CPUs that sysbench runs on. Empty for all.

    Raises:
        LoadError: sysbench is missing.
        SpecError: sysbench cannot connect with these parameters.
    """
    path, tables, size = Path(find_sysbench()), int(values["tables"]), int(values["table_size"])
    *options, command = words
    authorities = certificate_authorities(params)
    return ProgramJob(
        words=(
            str(path),
            *_address_options(params),
            f"--mysql-user={params['user']}",
            f"--mysql-db={sysbench_schema(tables, size)}",
            f"--tables={tables}",
            f"--table-size={size}",
            *(("--mysql-ssl=on",) if authorities else ()),
            *options,
            str(importlib.resources.files("resources").joinpath("sysbench", "domtune.lua")),
            command,
        ),
        environment={
            "LC_ALL": "C",
            "DOMTUNE_SCRIPT": SCRIPTS[str(values["script"])],
            # By default, Lua searches the current folder first. Code there, written by another user, would run with our
            # rights.
            "LUA_PATH": str(path.parent.parent / "share" / "sysbench" / "?.lua"),
            "LUA_CPATH": "",
            **(dict.fromkeys(NO_PLUGINS, ".") if is_trusted(params) else NO_PLUGINS),
            **({"DOMTUNE_CHECKED": "1"} if authorities else {}),
            "HOME": "/nonexistent",  # from ~/.my.cnf, the client library would read more than a password
        },
        password_file=password_option_line(params),
        password_option="--config-file=",
        cpus=cpus,
        asked=signal.SIGUSR1,
        files={
            **(_encryption_files(authorities) if authorities else {}),
            **(_login_plugins() if is_trusted(params) else {}),
        },
    )


def _address_options(params: Mapping[str, str]) -> tuple[str, ...]:
    """Return sysbench's options for the address of the server."""
    if params["port"] == "0":
        return (f"--mysql-socket={params['host']}",)
    return (f"--mysql-host={params['host']}", f"--mysql-port={params['port']}")


def certificate_authorities(params: Mapping[str, str]) -> str:
    """Return the path of the certificate authorities; empty without encryption.

    With `--mysql-ssl`, sysbench encrypts. MariaDB's library then checks the server's certificate with that file, but
    not
    its name. If a server offers no encryption, the connection is plain, and the server can ask for the password. So
    the
    server must be on this computer, and `prove_server` must come first.

    Args:
        params: Parameters of a user's connection.

    Raises:
        SpecError: sysbench does not support the encryption that the URL requires.
    """
    mode, authorities = params.get("ssl_mode", PLAIN), params.get("ssl_ca", "")
    if mode == PLAIN:
        return ""
    if not _is_this_computer(params["host"]):
        problem = _("sysbench cannot insist on encryption, and {host} is another computer").format(host=params["host"])
        raise SpecError(
            "load.database", problem, hint=_("Take another kind of load, or leave ssl-mode out of the URL.")
        )
    if mode != VERIFY_CA or not authorities:
        problem = _("sysbench does not support the encryption of ssl-mode={mode}{value}").format(
            mode=mode, value="" if authorities else _(" without ssl-ca")
        )
        raise SpecError(
            "load.database",
            problem,
            hint=_("Use ?ssl-mode={verify_ca}&ssl-ca=FILE in the URL.").format(verify_ca=VERIFY_CA),
        )
    return authorities


def prove_server(params: Mapping[str, str]) -> None:
    """Log in once with DomTune's own client, if sysbench will use encryption.

    That client requires encryption.

    Args:
        params: Parameters of a user's connection.

    Raises:
        DatabaseUnreachable: The server does not answer, or its certificate is not from the named authorities.
    """
    if certificate_authorities(params):
        connect(params).close()


def _is_this_computer(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a host name can resolve to any computer


def _encryption_files(authorities: str) -> Mapping[str, Path]:
    """Return the files that sysbench and its library open, by name in their folder."""
    resources = Path(str(importlib.resources.files("resources").joinpath("sysbench")))
    return {
        "cacert.pem": Path(authorities),
        "client-key.pem": resources / "nobody-key.pem",
        "client-cert.pem": resources / "nobody-cert.pem",
    }


def _login_plugins() -> Mapping[str, Path]:
    """Return the only plugin that the library may load.

    Some other plugins send the password in plain text.
    """
    for pattern in _PLUGIN_FOLDERS:
        for path in Path("/").glob(f"{pattern}/{_LOGIN}"):
            return {_LOGIN: path}
    return {}  # then only built-in logins are available


def password_option_line(params: Mapping[str, str]) -> str:
    """Return the line of sysbench's option file with the password; empty without one.

    The password is quoted because of blanks and commas. sysbench's option files have no escapes.

    Args:
        params: Parameters of a user's connection.

    Raises:
        SpecError: The option file cannot contain this password.
    """
    secret = params.get("password", "")
    quote = "'" if "'" not in secret else '"'
    line = f"mysql-password={quote}{secret}{quote}\n" if secret else ""
    if quote in secret or not (secret.isascii() and secret.isprintable()) or len(line) > _LONGEST_BYTES:
        raise SpecError(
            "load.database",
            _(
                "sysbench cannot be handed this password: it has both kinds of quotes, more than 230 letters, "
                "or some that "
                "are not ASCII's"
            ),
            hint=_("Make a user with another password for it."),
        )
    return line


class SysbenchScript:
    """Transactions of all users of one load.

    Args:
        begin: Parameters of the load and its connection.
        users: Number of users, >= 1.
    """

    title = "sysbench"
    interval_s = 1.0
    first_s = _FIRST_S
    asked = True
    hint = _("Is the database still answering? Its log may say more.")

    def __init__(self, begin: BeginOrder, users: int) -> None:
        self._begin = begin
        self._users = users

    def job(self) -> ProgramJob:
        begin = self._begin
        prove_server(begin.connection)
        words = (
            f"--threads={self._users}",
            "--time=0",  # until asked to end
            "--events=0",
            "--report-interval=1",
            f"--percentile={PERCENTILE}",
            f"--rand-seed={begin.seed % _SEEDS or _SEEDS}",
            "run",
        )
        return sysbench_job(begin.connection, begin.parameters, words, begin.cpus)

    def lines(self, program: SupervisedProgram) -> "SysbenchLines":
        del program
        return SysbenchLines()

    def refused(self, said: str) -> LoadError | None:
        if most := _STATEMENTS.search(said):
            tables = self._begin.parameters["tables"]
            return DatabaseUnsuitable(
                _(
                    "the server keeps at most {most} prepared statements; {users} users of {tables} tables need more"
                ).format(most=most[1], users=self._users, tables=tables),
                hint=_("Take fewer tables or users, or raise max_prepared_stmt_count there."),
            )
        return connection_refusal(said, self._begin.connection)


def connection_refusal(said: str, params: Mapping[str, str]) -> LoadError | None:
    """Return the error of a refused connection; None if the output shows no refusal.

    Args:
        said: Output of sysbench.
        params: Parameters of a user's connection.
    """
    found = _REFUSED.search(said)
    return (
        None
        if found is None
        else unreachable_error(_ConnectionRefused(int(found[1]), found[2]), describe_place(params))
    )


class _ConnectionRefused(Exception):
    """Error of the client library, read from sysbench's output."""


class SysbenchLines:
    """Output of one run."""

    def __init__(self) -> None:
        self._events: int | None = None

    def read(self, line: ProgramLine, since_s: float) -> LineFigures | None:
        """Return the figures of a line; None for a line without figures.

        Args:
            line: Line of output.
            since_s: End of the previous line's interval, seconds of the monotonic clock.

        Raises:
            LoadDied: A user failed. sysbench itself waits for the other users, who may wait for locks of that user.
        """
        if _FAILED.match(line.text):
            raise LoadDied(_("sysbench has given up: {line}").format(line=line.text), hint=SysbenchScript.hint)
        if ended := _EVENTS.match(line.text):
            self._events = parse_whole_number(ended[1])
        found = _LINE.match(line.text)
        figures = {name: parse_figure(text) for name, text in found.groupdict().items()} if found is not None else {}
        if not figures or None in figures.values():
            return None
        at_s, took_s, events, p95, repeated, reconnects = (figure or 0.0 for figure in figures.values())
        until_s = max(since_s, at_s if abs(line.heard_s - at_s) < _MOST_OFF_S else line.heard_s)
        return LineFigures(
            since_s=max(since_s, until_s - took_s),
            until_s=until_s,
            count=int(events),
            errors=int(reconnects),
            retries=int(repeated),
            times_ms={"p95": p95} if events else {},
        )

    def completed(self, told: float) -> int:
        if self._events is None:
            raise LoadDied(
                _("sysbench ended without a total number of events; its lines report {reported:.0f}").format(
                    reported=told
                ),
                hint=SysbenchScript.hint,
            )
        return self._events

    def close(self) -> None:
        """Do nothing, because no resource is open."""
