"""Commands of the command line, and their arguments."""

import argparse
import codecs
import io
import json
import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from types import ModuleType

from scheduler import places
from scheduler.commands import error_output
from scheduler.commands.command_output import OutputLost
from scheduler.commands.delegated_scope import enter_scope
from scheduler.commands.exit_codes import ExitCode, exit_for_error
from scheduler.commands.memory_protection import protect_memory
from scheduler.commands.preflight import DESPITE_ERRORS_OPTION
from scheduler.errors import SchedulerError
from scheduler.log_file import LogFile
from scheduler.model.terminal_text import replace_controls

_LINE = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 1_000_000
_FILES = 3


class PlainFormatter(logging.Formatter):
    """Log format: one line per message, without control characters.

    Messages contain names and texts of hosts.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - name given by logging
        """Return the message as one line; `format` adds a traceback."""
        record.message = record.message.replace("\n", " | ")
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line and its traceback, without control characters."""
        return replace_controls(super().format(record))


def log_to_file(*, verbose: bool) -> None:
    """Set up logging; continue without a log file, which no restore may depend on.

    Args:
        verbose: True to print informational messages to standard error as well.
    """
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    screen = logging.StreamHandler(sys.stderr)
    screen.setLevel(logging.INFO if verbose else logging.WARNING)
    screen.setFormatter(PlainFormatter("%(levelname)s: %(message)s"))
    screen.addFilter(
        lambda record: verbose or not record.exc_info
    )  # tracebacks go to the file; the command prints an error itself
    root.addHandler(screen)
    path = places.log_path()
    try:
        file = LogFile(path, _FILE_BYTES, _FILES)
    except OSError as error:
        root.warning("no log is kept in %s: %s", path, error)
        return
    file.setFormatter(PlainFormatter(_LINE))
    root.addHandler(file)
    logging.raiseExceptions = False  # a full disk must not print tracebacks


_HANDLER = "domtune"
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # PEP 383: a byte of a file name that is not text
_OFFSET = 0xDC00


def accept_any_text() -> None:
    """Write characters outside an output stream's encoding as JSON escapes.

    A byte of a file name that is not text is written unchanged.
    """
    codecs.register_error(_HANDLER, _escape_character)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None when Python starts with it closed
            stream.reconfigure(errors=_HANDLER)


def _escape_character(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if _FIRST_BYTE <= ord(letter) <= _LAST_BYTE:
        return bytes([ord(letter) - _OFFSET]), error.start + 1
    return json.dumps(letter)[1:-1], error.start + 1


log = logging.getLogger(__name__)

AddParser = Callable[..., argparse.ArgumentParser]

_RESTORE_COMMANDS = frozenset({"restore", "revert"})  # after an early stop, the host is still changed

_RUN = "a run's id, or 'last'"
_OWN_PASSWORD = "send your own passwords (~/.pgpass, PGPASSWORD, ~/.my.cnf, MYSQL_PWD) to the plan's databases"

_EXAMPLES = """examples:
  domtune probe xl+ssh://root@HOST   look at a host; nothing is changed there
  domtune run PLAN.toml --dry-run    what a sweep would do, command by command
  domtune run PLAN.toml              sweep, restore the host, print what is best
  domtune export last --to html      the report of the last run
  domtune restore --list             what a broken sweep has left to be restored

'domtune WORD --help' says what a word takes."""


def main(argv: Sequence[str]) -> int:
    """Carry out one command; return the exit code."""
    accept_any_text()
    arguments = _parse_arguments(argv)
    log_to_file(verbose=arguments.verbose)
    try:
        return _run_command(arguments, argv)
    except (OutputLost, BrokenPipeError) as error:  # the reader of standard output has ended, or its disk is full
        return _report_lost_output(arguments.word, error)


def _run_command(arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    try:
        enter_scope(arguments, argv)
        protect_memory(arguments.word)
        return int(_command_function(arguments.word)(arguments))
    except SchedulerError as error:
        error_output.print_error(error)
        error_output.print_error_answer(arguments, error, _import_command(arguments.word))
        return int(exit_for_error(error))
    except (OutputLost, BrokenPipeError):
        raise
    except KeyboardInterrupt:
        error_output.print_error_answer(arguments, SchedulerError("stopped by the user"), None)
        return int(ExitCode.NOT_RESTORED if arguments.word in _RESTORE_COMMANDS else ExitCode.ABORTED)
    except Exception as error:  # noqa: BLE001 - the last resort: no user sees a traceback
        return int(_report_bug(arguments, error))


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    _refuse_undecodable(argv)
    try:
        return _build_parser().parse_args(argv)
    except SystemExit as end:
        if end.code and "--json" in argv:  # argparse printed the reason on standard error
            told = SchedulerError("the command line cannot be read", hint="'domtune WORD --help' shows what it takes.")
            error_output.print_error_answer(argparse.Namespace(json=True), told, None)
        raise


def _refuse_undecodable(argv: Sequence[str]) -> None:
    """Raise SystemExit for arguments that are not UTF-8.

    No answer, store or plan could repeat such an argument.
    """
    odd = next((number for number, word in enumerate(argv, 1) if not _is_utf8(word)), 0)
    if odd:
        hint = "Type it in UTF-8, or give a domain by its UUID."
        told = SchedulerError(f"argument {odd} is not UTF-8: {argv[odd - 1]!a}", hint=hint)
        error_output.print_error(told)
        error_output.print_error_answer(argparse.Namespace(json="--json" in argv), told, None)
        raise SystemExit(int(ExitCode.BAD_INPUT))


def _is_utf8(word: str) -> bool:
    """Return True when an argument is text.

    Python keeps any other byte as half of a surrogate pair (PEP 383).
    """
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _report_bug(arguments: argparse.Namespace, error: Exception) -> ExitCode:
    """Print where a bug was logged, but not its text, which may hold secrets.

    Return the exit code.
    """
    log.critical("a bug ended 'domtune %s'", arguments.word, exc_info=error)
    due = _is_restore_pending()
    text, hint = _explain_error(arguments.word, error)
    told = SchedulerError(text, hint="A host may still be changed: run 'domtune restore'." if due else hint)
    error_output.print_error(told)
    error_output.print_error_answer(arguments, told, None)
    return ExitCode.NOT_RESTORED if due else ExitCode.FAILED


def _explain_error(word: str, error: Exception) -> tuple[str, str]:
    """Return a sentence and a hint for an error that no command handled.

    A file of another account is not a bug.
    """
    if isinstance(error, PermissionError) and error.filename:
        hint = "Another account owns the file or a folder above it. Is DOMTUNE_HOME another account's?"
        return f"'{word}' may not use {error.filename!s}: {error.strerror}", hint
    return f"a bug ended '{word}': {type(error).__name__}; it is in {places.log_path()}", ""


def _is_restore_pending() -> bool:
    """Return True when a restore is pending without a sweep, or when unknown."""
    try:
        return not _import_restores().list_pending().clean
    except Exception:
        log.warning("the undo records could not be looked at", exc_info=True)
        return True


def _import_restores() -> ModuleType:
    return import_module("scheduler.commands.pending_restores")


def _report_lost_output(word: str, error: OSError) -> int:
    """Print that the answer was not written; keep Python from retrying at exit."""
    sys.stdout = None
    if not isinstance(error.__cause__ or error, BrokenPipeError):
        error_output.print_error(SchedulerError(f"the answer of '{word}' could not be printed: {error}"))
    return int(ExitCode.FAILED)


def _command_function(word: str) -> Callable[[argparse.Namespace], int]:
    name = word.replace("-", "_")
    return getattr(_import_command(word), f"{name}_" if iskeyword(name) else name)


def _import_command(word: str) -> ModuleType:
    """Import only the module of a command: `restore` must not wait for numpy."""
    name = word.replace("-", "_")
    module = name if name.startswith("check_") else f"{name}_command"
    return import_module("labs.lab_command" if name == "lab" else f"scheduler.commands.{module}")


class _VersionAction(argparse.Action):
    """Option --version, which reads the version on demand because reading is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        from importlib.metadata import version

        print(f"domtune {version('domtune')}")
        parser.exit()


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="domtune",
        description="Without a word, the window opens.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="show program's version number and exit")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to standard error, too")
    words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
    _add_sweeping(words.add_parser)
    _add_hosts(words.add_parser)
    _add_results(words.add_parser)
    _add_lab(words.add_parser)
    return parser


_ALLOW = "run what the plan names: its command, or code of its Dask scheduler's"
_INSECURE = "reach a Dask scheduler over tcp://, without encryption, also on this computer"


def _add_sweeping(add: AddParser) -> None:
    run = add("run", help="sweep as a plan file says")
    run.add_argument("plan", nargs="?", default="", help="a TOML file, or - for standard input")
    run.add_argument("--json", action="store_true", help="print one JSON object (domtune-results/1)")
    run.add_argument("--dry-run", action="store_true", help="say what would be done; touch nothing")
    run.add_argument(
        "--continue", dest="continues", default="", metavar="RUN", help="go on with a run; without PLAN by its own"
    )
    longer = "with --continue: how much longer to measure, for example 12m (1m to 7d)"
    run.add_argument("--for", dest="for_time", default="", metavar="TIME", help=longer)
    run.add_argument("--allow-command", action="store_true", help=_ALLOW)
    run.add_argument("--insecure", action="store_true", help=_INSECURE)
    run.add_argument("--allow-password", action="store_true", help=_OWN_PASSWORD)
    run.add_argument(DESPITE_ERRORS_OPTION, action="store_true", help="run although preflight finds errors on the host")
    run.add_argument("--quiet", action="store_true", help="no progress on standard error")
    tries = add("try", help="run a plan's own command for some seconds and say what is understood of its lines")
    tries.add_argument("plan", help="a TOML file, or - for standard input")
    tries.add_argument("--seconds", type=int, default=10, metavar="N", help="how long it runs; 10 if absent")
    tries.add_argument("--allow-command", action="store_true", help=_ALLOW)
    tries.add_argument("--allow-password", action="store_true", help=_OWN_PASSWORD)
    tries.add_argument("--json", action="store_true", help="print one JSON object")
    add("understand", description="Read a text by a pattern for a window: JSON on both sides.")  # not listed
    add("core", description="Sweep for a window: orders on standard input, documents on standard output.")  # not listed


def _add_restore(add: AddParser) -> argparse.ArgumentParser:
    restore = add("restore", help="restore hosts that a broken sweep left changed")
    what = restore.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="only say what would be restored")
    what.add_argument("--force", action="store_true", help="restore what somebody else has set meanwhile, too")
    restore.add_argument("--only", default="", metavar="HOST", help="this host alone, named by its id")
    restore.add_argument(
        "--copy",
        action="store_true",
        help="with --only: read a copy of the undo record from standard input, used if the file is missing or damaged",
    )
    what.add_argument("--forget", default="", metavar="HOST", help="keep a host's record aside; restore nothing")
    return restore


def _add_hosts(add: AddParser) -> None:
    probe = add("probe", help="look at a host; touch nothing")
    probe.add_argument("url", help="for example local:")
    probe.add_argument("--io", default="", metavar="DOMAIN", help="the I/O domain, where it is not obvious")
    probe.add_argument("--guest", default="", metavar="DOMAIN", help="the guest, where there are several")
    watch = add("watch", help="name the split that suits the load that runs there; reads counters, touches nothing")
    watch.add_argument("url", help="for example local:")
    watch.add_argument("--for", dest="for_time", default="24h", metavar="TIME", help="1m to 7d; 24h if absent")
    watch.add_argument("--io", default="", metavar="DOMAIN", help="the I/O domain, where it is not obvious")
    watch.add_argument("--guest", default="", metavar="DOMAIN", help="the guest, where there are several")
    watch.add_argument("--database", default="", metavar="URL", help="a PostgreSQL whose transactions are counted")
    watch.add_argument("--quiet", action="store_true", help="no progress on standard error")
    watch.add_argument("--windows", action="store_true", help="with --json: a line for each 10 s before the answer")
    follow = _add_following(add)
    restore = _add_restore(add)
    check = add("check-database", help="look whether the loads may use a database")
    check.add_argument("url", help="postgresql://USER@HOST:PORT/NAME; a password comes on standard input")
    clients = add("check-clients", help="look whether a Dask cluster may make the load; starts nothing there")
    clients.add_argument("address", help="of its scheduler: tls://HOST:8786, or tcp://127.0.0.1:8786")
    clients.add_argument("--worker", action="append", default=[], metavar="NAME", help="this one, too; all if absent")
    clients.add_argument("--insecure", action="store_true", help=_INSECURE)
    for file in ("--ca-file", "--cert-file", "--key-file"):
        clients.add_argument(file, default="", metavar="PEM", help="for tls://")
    apply, revert = _add_applying(add)
    setup = add("host-setup", help="write what an account without root needs on a Xen host; touches no host")
    setup.add_argument("account", help="name of the account on the host")
    setup.add_argument("--out", default="", metavar="FOLDER", help="a new folder; domtune-host-setup-ACCOUNT if absent")
    trust = add("trust", help="show a host's ssh key or certificate, or accept it")
    trust.add_argument("url", help="for example xl+ssh://root@HOST or xapi://HOST")
    trust.add_argument("--fingerprint", default="", metavar="SHA256:...", help="accept the key with this fingerprint")
    for parser in (probe, watch, follow, restore, check, clients, apply, revert, trust):
        parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_following(add: AddParser) -> argparse.ArgumentParser:
    follow = add("follow", help="keep the split near the best of the moment for some hours; asks, writes, gives back")
    follow.add_argument("url", nargs="?", default="", help="for example qemu:///system")
    follow.add_argument("--for", dest="for_time", default="", metavar="TIME", help="1m to 7d; to be said")
    follow.add_argument(
        "--range", default="1:5..5:1", metavar="A:B..C:D", help="splits that may be set; 1:5..5:1 if absent"
    )
    follow.add_argument(
        "--static", default="", metavar="A:B", help="what it is compared with; the split found if absent"
    )
    follow.add_argument(
        "--account", type=int, metavar="PERCENT", help="50, 10 or 0; how much of the time is accounted for"
    )
    follow.add_argument("--database", default="", metavar="URL", help="a PostgreSQL or MariaDB whose work is counted")
    follow.add_argument("--io", default="", metavar="DOMAIN", help="the I/O domain, where it is not obvious")
    follow.add_argument("--guest", default="", metavar="DOMAIN", help="the guest, where there are several")
    follow.add_argument("--seed", type=int, metavar="N", help="of the order in which what is compared has its turn")
    follow.add_argument("--yes", action="store_true", help="do not ask")
    follow.add_argument(
        DESPITE_ERRORS_OPTION, action="store_true", help="follow although preflight finds errors on the host"
    )
    follow.add_argument("--ask", action="store_true", help="with --json: wait on standard input for a line 'yes'")
    follow.add_argument("--quiet", action="store_true", help="say only how it ended")
    follow.add_argument("--detach", action="store_true", help="ask, then go on without this terminal")
    follow.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)  # started by --detach
    follow.add_argument("--list", action="store_true", help="say which hosts are followed; touch nothing")
    follow.add_argument("--stop", default="", metavar="HOST", help="end it, restore the host, say whether it was")
    return follow


def _add_applying(add: AddParser) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    apply = add("apply", help="set the split that a run advises, or one that 'watch' named, and keep it")
    apply.add_argument("run", nargs="?", default="", help=f"{_RUN}; or a host, to divide anew what is set there")
    apply.add_argument("--split", default="", help="another split of that run, as a:b; the split of a host")
    apply.add_argument("--anyway", action="store_true", help="take the split of a decision that orders no change")
    apply.add_argument("--io", default="", metavar="DOMAIN", help="of a host: the I/O domain, where it is not obvious")
    apply.add_argument("--guest", default="", metavar="DOMAIN", help="of a host: the guest, where there are several")
    apply.add_argument(
        DESPITE_ERRORS_OPTION, action="store_true", help="apply although preflight finds errors on the host"
    )
    apply.add_argument("--dry-run", action="store_true", help="say what would be changed; touch nothing")
    apply.add_argument("--list", action="store_true", help="list the hosts with an applied split; touch nothing")
    revert = add("revert", help="undo 'apply'")
    revert.add_argument("url", nargs="?", default="local:", help="the host; local: if absent")
    revert.add_argument("--dry-run", action="store_true", help="say what would be restored; touch nothing")
    revert.add_argument("--force", action="store_true", help="restore although another program changed the split since")
    revert.add_argument("--list", action="store_true", help="list the hosts with an applied split; touch nothing")
    return apply, revert


def _add_results(add: AddParser) -> None:
    runs = add("runs", help="list runs, show one, name, tag or delete it")
    runs.add_argument("run", nargs="*", help=f"{_RUN}; several to change them all")
    runs.add_argument("--rename", metavar="NAME", help="call it so; an empty NAME gives it its plan's again")
    runs.add_argument("--tag", nargs="*", metavar="TAG", help="these are its tags; none takes all away")
    runs.add_argument("--note", metavar="TEXT", help="note this about it")
    runs.add_argument("--delete", action="store_true", help="leave it out of the list; it is kept for 30 days")
    runs.add_argument("--undelete", action="store_true", help="take a deleted run back")
    runs.add_argument("--deleted", action="store_true", help="list the runs that can be taken back")
    runs.add_argument("--json", action="store_true", help="print one JSON object")
    export = add("export", help="write a run's results or configuration")
    export.add_argument("run", help=_RUN)
    export.add_argument("--to", required=True, help="csv, json, html, machine, plan or bundle")
    export.add_argument("--split", default="", help="for a bundle: another split of that run, as a:b")
    export.add_argument("--anyway", action="store_true", help="take the split of a decision that orders no change")
    export.add_argument("--out", default="", metavar="PATH", help="where to; the current folder if absent")
    export.add_argument("--force", action="store_true", help="replace files that are there already")


def _add_lab(add: AddParser) -> None:
    lab = add("lab", help="a real hypervisor to try things on, made on this computer")
    lab.add_argument("kind", choices=("xen", "lxc"), help="xen: Xen, Dom0 and a guest, emulated; lxc: two containers")
    lab.add_argument("action", choices=("up", "status", "down"))
    lab.add_argument("--scheduler", choices=("credit2", "credit", "rtds"), default="credit2", help="for `xen up`")
    lab.add_argument("--fresh", action="store_true", help="for `xen up`: boot, though a saved state is there")
    lab.add_argument("--guests", type=int, choices=(1, 2), default=1, help="for `xen up`: 2 starts a second guest")
    lab.add_argument(
        "--cpus", type=int, choices=(1, 4), default=1, help="for `xen up`: CPUs, of which Dom0 and guest may use all"
    )
    lab.add_argument("--bare", action="store_true", help="for `lxc up`: beside it, PostgreSQL without a container")
    lab.add_argument("--json", action="store_true", help="print one JSON object")
