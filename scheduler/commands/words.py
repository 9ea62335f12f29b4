"""The words of the command line and what each of them takes."""

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version

from scheduler.commands.exits import Exit, exit_for_error
from scheduler.commands.logs import log_to_file
from scheduler.commands.scope import enter_scope
from scheduler.errors import SchedulerError

log = logging.getLogger(__name__)

AddParser = Callable[..., argparse.ArgumentParser]

_PUTTING_BACK = frozenset({"restore", "revert"})  # stopped before the end, the host is still changed

_RUN = "a run's id, or 'last'"


def main(argv: Sequence[str]) -> int:
    """Carry out one word; return the exit code."""
    arguments = _parser().parse_args(argv)
    log_to_file(verbose=arguments.verbose)
    try:
        enter_scope(arguments.word, argv)
        return int(_action(arguments.word)(arguments))
    except SchedulerError as error:
        print(f"domtune: {error}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return int(exit_for_error(error))
    except BrokenPipeError:
        return _output_closed()
    except KeyboardInterrupt:
        return int(Exit.NOT_RESTORED if arguments.word in _PUTTING_BACK else Exit.ABORTED)


def _output_closed() -> int:
    """Whoever read our output has gone; keep Python from complaining about it at exit."""
    sys.stdout = None
    return int(Exit.FAILED)


def _action(word: str) -> Callable[[argparse.Namespace], int]:
    """Import only what the word needs: `domtune restore` must not wait for numpy."""
    name = word.replace("-", "_")
    module = {"check_database": "check_database", "apply": "applying", "revert": "applying"}.get(name, f"{name}_word")
    return getattr(import_module(f"scheduler.commands.{module}"), name)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="domtune", description="Without a word, the window opens.")
    parser.add_argument("--version", action="version", version=f"domtune {version('domtune')}")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to standard error, too")
    words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
    _add_sweeping(words.add_parser)
    _add_hosts(words.add_parser)
    _add_results(words.add_parser)
    _add_lab(words.add_parser)
    return parser


def _add_sweeping(add: AddParser) -> None:
    run = add("run", help="sweep as a plan file says")
    run.add_argument("plan", help="a TOML file, or - for standard input")
    run.add_argument("--json", action="store_true", help="print one JSON object (domtune-results/1)")
    run.add_argument("--dry-run", action="store_true", help="say what would be done; touch nothing")
    run.add_argument("--continue", dest="continues", default="", metavar="RUN", help="go on with an unfinished run")
    run.add_argument("--quiet", action="store_true", help="no progress on standard error")
    add("core", help="sweep for a window: orders on standard input, documents on standard output")


def _add_hosts(add: AddParser) -> None:
    probe = add("probe", help="look at a host; touch nothing")
    probe.add_argument("url", help="for example local:")
    probe.add_argument("--io", default="", metavar="DOMAIN", help="the I/O domain, where it is not obvious")
    probe.add_argument("--guest", default="", metavar="DOMAIN", help="the guest, where there are several")
    restore = add("restore", help="put back hosts that a broken sweep left changed")
    restore.add_argument("--list", action="store_true", help="only say what would be put back")
    check = add("check-database", help="look whether the loads may use a database")
    check.add_argument("url", help="postgresql://USER@HOST:PORT/NAME; a password comes on standard input")
    apply = add("apply", help="set a run's recommended split and keep it")
    apply.add_argument("run", help=_RUN)
    apply.add_argument("--split", default="", help="another split of that run, as a:b")
    apply.add_argument("--dry-run", action="store_true", help="say what would be changed; touch nothing")
    revert = add("revert", help="undo 'apply'")
    revert.add_argument("url", nargs="?", default="local:", help="the host; local: if absent")
    persist = add("persist", help="let XAPI keep a run's recommended split for the guest's next start")
    persist.add_argument("run", help=_RUN)
    persist.add_argument("--split", default="", help="another split of that run, as a:b")
    persist.add_argument("--dry-run", action="store_true", help="say what would be kept; touch nothing")
    persist.add_argument("--undo", action="store_true", help="put back what was kept before, on that run's host")
    setup = add("host-setup", help="write what an account without root needs on a Xen host; touches no host")
    setup.add_argument("account", help="name of the account on the host")
    setup.add_argument("--out", default="", metavar="FOLDER", help="a new folder; domtune-host-setup-ACCOUNT if absent")
    trust = add("trust", help="show a host's ssh key or certificate, or accept it")
    trust.add_argument("url", help="for example xl+ssh://root@HOST or xapi://HOST")
    trust.add_argument("--fingerprint", default="", metavar="SHA256:...", help="accept the key with this fingerprint")
    for parser in (probe, restore, check, apply, revert, persist, trust):
        parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_results(add: AddParser) -> None:
    runs = add("runs", help="list runs, or show one")
    runs.add_argument("run", nargs="?", default="", help=_RUN)
    runs.add_argument("--json", action="store_true", help="print one JSON object")
    export = add("export", help="write a run's results or configuration")
    export.add_argument("run", help=_RUN)
    export.add_argument("--to", required=True, help="csv, json, html, machine, plan or bundle")
    export.add_argument("--out", default="", metavar="PATH", help="where to; the current folder if absent")


def _add_lab(add: AddParser) -> None:
    lab = add("lab", help="a real hypervisor to try things on, made on this computer")
    lab.add_argument("kind", choices=("xen", "lxc"), help="xen: Xen, Dom0 and a guest, emulated; lxc: two containers")
    lab.add_argument("action", choices=("up", "status", "down"))
    lab.add_argument("--scheduler", choices=("credit2", "credit", "rtds"), default="credit2", help="for `xen up`")
    lab.add_argument("--fresh", action="store_true", help="for `xen up`: boot, though a saved state is there")
    lab.add_argument("--json", action="store_true", help="print one JSON object")
