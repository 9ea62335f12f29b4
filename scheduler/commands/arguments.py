"""Arguments of the command line.

They are the source of `--help` and of docs/reference/command-line.md.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from scheduler.commands.preflight import DESPITE_ERRORS_OPTION

_RUN = "ID of a run, or 'last'"
_PLAN = "plan file (TOML), name of a plan of DomTune, for example quick-simulated, or - for standard input"
_SPLIT = "measured split to take instead of the decision's, for example 1:2"
_ANYWAY = "take the split of a decision that orders no change"
_CODE = "run the code that the plan names: its own command, or its Dask scheduler"
_INSECURE = "allow a Dask scheduler over tcp://, without encryption, also on this computer"
_PASSWORD = "send your own passwords (~/.pgpass, PGPASSWORD, ~/.my.cnf, MYSQL_PWD) to the plan's databases"

_EXAMPLES = """examples:
  domtune probe xl+ssh://root@HOST   check a host; change nothing there
  domtune run PLAN.toml --dry-run    print each command of a sweep and its duration
  domtune run PLAN.toml              sweep, restore the host, print the decision
  domtune export last --to html      write the report of the last run
  domtune restore --list             list hosts that an interrupted sweep left changed

'domtune COMMAND --help' shows the options of a command."""


class Command(NamedTuple):
    """One command of the command line.

    Attributes:
        name: Name as typed.
        purpose: One line for the list of commands.
        examples: Two command lines after `domtune`, each with its explanation.
        add_arguments: Function that declares the arguments.
        json: Help of --json; empty for a command without it.
    """

    name: str
    purpose: str
    examples: tuple[tuple[str, str], tuple[str, str]]
    add_arguments: Callable[[argparse.ArgumentParser], None]
    json: str = "print one JSON object"


class _VersionAction(argparse.Action):
    """Option --version, which reads the version on demand because reading is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        from importlib.metadata import version

        print(f"domtune {version('domtune')}")
        parser.exit()


def build_parser(*, internal: bool = False) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Args:
        internal: True to add the commands that only the window uses. They are neither listed nor suggested.
    """
    parser = argparse.ArgumentParser(
        prog="domtune",
        description="Without a command, the window opens.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="print the version and exit")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the log to standard error as well")
    commands = parser.add_subparsers(dest="word", required=True, metavar="COMMAND")
    for command in COMMANDS:
        width = max(len(line) for line, _ in command.examples)
        lines = [f"  domtune {line:<{width}}   {meaning}" for line, meaning in command.examples]
        added = commands.add_parser(
            command.name,
            help=command.purpose,
            description=f"{command.purpose[0].upper()}{command.purpose[1:]}.",
            epilog="\n".join(["examples:", *lines]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(added)
        if command.json:
            added.add_argument("--json", action="store_true", help=command.json)
    for name, description in INTERNAL_COMMANDS.items() if internal else ():
        commands.add_parser(name, description=description)
    return parser


INTERNAL_COMMANDS = {
    "understand": "Read a text by a pattern for a window: JSON on both sides.",
    "core": "Sweep for a window: orders on standard input, documents on standard output.",
}


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument("plan", nargs="?", default="", help=f"{_PLAN}; optional with --continue")
    run.add_argument("--dry-run", action="store_true", help="print commands, findings and duration; change nothing")
    continues = "continue a run that is unfinished, or longer with --for; RUN is an ID, or 'last'"
    run.add_argument("--continue", dest="continues", default="", metavar="RUN", help=continues)
    longer = "with --continue: how much longer to measure, for example 12m (1m to 7d)"
    run.add_argument("--for", dest="for_time", default="", metavar="TIME", help=longer)
    _add_consent(run)
    run.add_argument("--insecure", action="store_true", help=_INSECURE)
    _add_despite_errors(run, "run")
    _add_notify(run)
    run.add_argument("--quiet", action="store_true", help="print no progress to standard error")


def _add_notify(parser: argparse.ArgumentParser) -> None:
    program = "start this program at the end, for example 'mail-me admin'; DOMTUNE_NOTICE has the sentence"
    parser.add_argument("--notify", default="", metavar="PROGRAM", help=program)


def _add_try(tries: argparse.ArgumentParser) -> None:
    tries.add_argument("plan", help=_PLAN)
    seconds = "seconds to run, from the first line on (1 to 600, default 10)"
    tries.add_argument("--seconds", type=int, default=10, metavar="N", help=seconds)
    _add_consent(tries)


def _add_consent(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--allow-command", action="store_true", help=_CODE)
    parser.add_argument("--allow-password", action="store_true", help=_PASSWORD)


def _add_despite_errors(parser: argparse.ArgumentParser, verb: str) -> None:
    parser.add_argument(
        DESPITE_ERRORS_OPTION, action="store_true", help=f"{verb} although preflight finds errors on the host"
    )


def _add_domains(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--io", default="", metavar="DOMAIN", help="name of the I/O domain (default: detected)")
    parser.add_argument("--guest", default="", metavar="DOMAIN", help="name of the guest (default: the only guest)")


def _add_probe(probe: argparse.ArgumentParser) -> None:
    probe.add_argument("url", help="host, for example local:")
    _add_domains(probe)


def _add_trust(trust: argparse.ArgumentParser) -> None:
    trust.add_argument("url", help="host, for example xl+ssh://root@HOST or xapi://HOST")
    accept = "accept the key or certificate with this fingerprint"
    trust.add_argument("--fingerprint", default="", metavar="SHA256:...", help=accept)


def _add_watch(watch: argparse.ArgumentParser) -> None:
    watch.add_argument("url", help="host, for example qemu:///system")
    duration = "how long to watch, for example 8h (1m to 7d, default 24h)"
    watch.add_argument("--for", dest="for_time", default="24h", metavar="TIME", help=duration)
    _add_domains(watch)
    watch.add_argument("--database", default="", metavar="URL", help="PostgreSQL whose transactions to count")
    _add_notify(watch)
    watch.add_argument("--quiet", action="store_true", help="print no progress to standard error")
    watch.add_argument("--windows", action="store_true", help="with --json: also print one line per 10 s")
    watch.add_argument("--orders", action="store_true", help=argparse.SUPPRESS)  # started by the window


def _add_follow(follow: argparse.ArgumentParser) -> None:
    follow.add_argument("url", nargs="?", default="", help="host, for example qemu:///system")
    duration = "how long to run, for example 8h (1m to 7d, required)"
    follow.add_argument("--for", dest="for_time", default="", metavar="TIME", help=duration)
    allowed = "allowed splits, within 1:9..9:1 (default 1:5..5:1)"
    follow.add_argument("--range", default="1:5..5:1", metavar="A:B..C:D", help=allowed)
    static = "fixed split to compare with, within the range (default: the current split)"
    follow.add_argument("--static", default="", metavar="A:B", help=static)
    account = "share of the time for comparison: 50, 10 or 0 (default 50 with --database, else 0)"
    follow.add_argument("--account", type=int, metavar="PERCENT", help=account)
    database = "PostgreSQL, MariaDB or MySQL whose work to count"
    follow.add_argument("--database", default="", metavar="URL", help=database)
    _add_domains(follow)
    follow.add_argument("--seed", type=int, metavar="N", help="seed of the comparison order (default: random)")
    follow.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    ask = "with --json: wait for a line 'yes' on standard input before the first change"
    follow.add_argument("--ask", action="store_true", help=ask)
    _add_despite_errors(follow, "follow")
    _add_notify(follow)
    follow.add_argument("--quiet", action="store_true", help="print only the outcome")
    follow.add_argument("--detach", action="store_true", help="continue in the background after confirmation")
    follow.add_argument("--list", action="store_true", help="list hosts that are being followed; change nothing")
    follow.add_argument("--stop", default="", metavar="HOST", help="stop following HOST (ID or URL) and restore it")


def _add_apply(apply: argparse.ArgumentParser) -> None:
    apply.add_argument("run", nargs="?", default="", metavar="RUN|URL", help=f"{_RUN}; or a host, with --split")
    apply.add_argument("--split", default="", metavar="A:B", help=f"{_SPLIT}; required with a host")
    apply.add_argument("--anyway", action="store_true", help=_ANYWAY)
    _add_domains(apply)
    _add_despite_errors(apply, "apply")
    apply.add_argument("--dry-run", action="store_true", help="print each change; change nothing")
    apply.add_argument("--list", action="store_true", help="list the hosts with an applied split; change nothing")


def _add_revert(revert: argparse.ArgumentParser) -> None:
    revert.add_argument("url", nargs="?", default="local:", help="host (default local:)")
    revert.add_argument("--dry-run", action="store_true", help="print each value to restore; change nothing")
    force = "restore although another program changed the split since"
    revert.add_argument("--force", action="store_true", help=force)
    revert.add_argument("--list", action="store_true", help="list the hosts with an applied split; change nothing")


def _add_restore(restore: argparse.ArgumentParser) -> None:
    mode = restore.add_mutually_exclusive_group()
    mode.add_argument("--list", action="store_true", help="list pending restores; change nothing")
    mode.add_argument("--force", action="store_true", help="also restore values that others changed meanwhile")
    restore.add_argument("--only", default="", metavar="HOST", help="restore only the host with this ID")
    copy = "with --only: read a copy of the undo record from standard input, for a missing or damaged record"
    restore.add_argument("--copy", action="store_true", help=copy)
    mode.add_argument("--forget", default="", metavar="HOST", help="quarantine the record of HOST; restore nothing")


def _add_runs(runs: argparse.ArgumentParser) -> None:
    runs.add_argument("run", nargs="*", help=f"{_RUN}; several to change all of them (default: list all runs)")
    runs.add_argument("--rename", metavar="NAME", help='set the display name ("" resets it to the plan\'s name)')
    runs.add_argument("--tag", nargs="*", metavar="TAG", help="set the tags (without a TAG: remove all tags)")
    runs.add_argument("--note", metavar="TEXT", help='set the note ("" removes it)')
    runs.add_argument("--delete", action="store_true", help="delete from the list; kept for 30 days")
    runs.add_argument("--undelete", action="store_true", help="restore a deleted run to the list")
    runs.add_argument("--deleted", action="store_true", help="list the deleted runs that can be restored")
    runs.add_argument("--at", metavar="TIME", help="show the answer as it was at this time of the run, for example 12m")


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="run file (.domtune), or results (.json)")


def _add_lesson(lesson: argparse.ArgumentParser) -> None:
    actions = "list all lessons, show the text of one, run one, or check a run"
    lesson.add_argument("action", choices=("list", "show", "run", "check"), help=actions)
    name = "name or number of a lesson; for check a run (default: last)"
    lesson.add_argument("name", nargs="?", default="", metavar="LESSON", help=name)
    student = "run: name of the student, which decides the seed (required)"
    lesson.add_argument("--student", default="", metavar="NAME", help=student)
    predict = "run: prediction before the measurement, for example 1:2, 8 or 20 (required)"
    lesson.add_argument("--predict", default="", metavar="VALUE", help=predict)
    out = "run: answer file to write (default: domtune-RUN.domtune in the current folder)"
    lesson.add_argument("--out", default="", metavar="PATH", help=out)
    folder = "folder with lessons of your own (default: the lessons of DomTune)"
    lesson.add_argument("--from", dest="folder", default="", metavar="FOLDER", help=folder)
    lesson.add_argument("--quiet", action="store_true", help="print no progress to standard error")


def _add_class(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("collect",), help="join answer files to one table")
    parser.add_argument("file", nargs="+", metavar="FILE", help="answer file of a lesson (.domtune)")
    parser.add_argument("--csv", default="", metavar="PATH", help="also write the table to this CSV file")
    parser.add_argument("--force", action="store_true", help="replace an existing CSV file")


def _add_export(export: argparse.ArgumentParser) -> None:
    export.add_argument("run", help=_RUN)
    kinds = "format: html, pdf, csv, json, machine, plan, file or bundle (required)"
    export.add_argument("--to", required=True, metavar="KIND", help=kinds)
    export.add_argument("--split", default="", metavar="A:B", help=f"for a bundle: {_SPLIT}")
    export.add_argument("--anyway", action="store_true", help=f"for a bundle: {_ANYWAY}")
    out = "file or folder to write (default: domtune-RUN in the current folder)"
    export.add_argument("--out", default="", metavar="PATH", help=out)
    export.add_argument("--force", action="store_true", help="replace existing files")


def _add_check_database(check: argparse.ArgumentParser) -> None:
    check.add_argument("url", help="postgresql://USER@HOST:PORT/NAME; the password comes on standard input")


def _add_check_clients(clients: argparse.ArgumentParser) -> None:
    clients.add_argument("address", help="Dask scheduler: tls://HOST:8786, or tcp://127.0.0.1:8786")
    worker = "check this worker; repeat for more (default: all workers)"
    clients.add_argument("--worker", action="append", default=[], metavar="NAME", help=worker)
    clients.add_argument("--insecure", action="store_true", help=_INSECURE)
    for option, meaning in (("--ca-file", "CA certificate"), ("--cert-file", "client certificate")):
        clients.add_argument(option, default="", metavar="PEM", help=f"{meaning}, for tls://")
    clients.add_argument("--key-file", default="", metavar="PEM", help="private key of the client, for tls://")


def _add_host_setup(setup: argparse.ArgumentParser) -> None:
    setup.add_argument("account", help="name of the account on the host")
    out = "new folder to write (default: domtune-host-setup-ACCOUNT)"
    setup.add_argument("--out", default="", metavar="FOLDER", help=out)


def _add_desktop(desktop: argparse.ArgumentParser) -> None:
    desktop.add_argument("action", choices=("install", "uninstall"), help="write the files, or remove them")


def _add_lab(lab: argparse.ArgumentParser) -> None:
    kinds = "xen: Xen, Dom0 and a guest, emulated; lxc: two containers"
    lab.add_argument("kind", choices=("xen", "lxc"), help=kinds)
    actions = "start it, show its state, or end it"
    lab.add_argument("action", choices=("up", "status", "down"), help=actions)
    schedulers = "xen up: scheduler, credit2, credit or rtds (default credit2)"
    names = ("credit2", "credit", "rtds")
    lab.add_argument("--scheduler", choices=names, default="credit2", metavar="NAME", help=schedulers)
    lab.add_argument("--fresh", action="store_true", help="xen up: boot again although a saved state exists")
    guests = "xen up: number of guests, 1 or 2 (default 1)"
    lab.add_argument("--guests", type=int, choices=(1, 2), default=1, metavar="N", help=guests)
    cpus = "xen up: number of CPUs, 1 or 4; with 4, Dom0 and each guest have 4 vCPUs without pins (default 1)"
    lab.add_argument("--cpus", type=int, choices=(1, 4), default=1, metavar="N", help=cpus)
    lab.add_argument("--bare", action="store_true", help="lxc up: also start PostgreSQL without a container")


COMMANDS = (
    Command(
        "run",
        "sweep a host by a plan file, then restore the host",
        (
            ("run plan.toml --dry-run", "print what would be done, and how long it takes"),
            ("run --continue last --for 30m", "measure 30 minutes more"),
        ),
        _add_run,
        json="print one JSON object: the results, or with --dry-run the findings and commands",
    ),
    Command(
        "try",
        "run a plan's own command for some seconds and show the rates read from its lines",
        (
            ("try plan.toml", "show the command; run nothing"),
            ("try plan.toml --allow-command --seconds 20", "run it for 20 s"),
        ),
        _add_try,
    ),
    Command(
        "probe",
        "check a host; change nothing",
        (
            ("probe local:", "check this computer"),
            ("probe xl+ssh://root@xen1 --guest db1 --json", "check the pair Dom0 and db1"),
        ),
        _add_probe,
    ),
    Command(
        "watch",
        "find the split that suits the running load from counters; change nothing",
        (
            ("watch qemu:///system --for 8h", "watch for a working day"),
            ("watch xl+ssh://root@xen1 --guest db1 --for 10m --json", "print the answer as JSON"),
        ),
        _add_watch,
    ),
    Command(
        "follow",
        "keep the split near the best for the running load, then restore the host",
        (
            ("follow qemu:///system --for 8h", "ask, then follow for 8 hours"),
            ("follow --list", "list hosts that are being followed"),
        ),
        _add_follow,
        json="print one JSON object per line; the last one is the outcome",
    ),
    Command(
        "restore",
        "restore hosts that an interrupted sweep left changed",
        (("restore --list", "list pending restores"), ("restore", "restore all of them")),
        _add_restore,
    ),
    Command(
        "check-database",
        "check whether the loads may use a database",
        (
            ("check-database postgresql://osdb@db1/osdb", "the password is read from standard input"),
            ("check-database mariadb://osdb@127.0.0.1:3306/osdb --json", "print the answer as JSON"),
        ),
        _add_check_database,
    ),
    Command(
        "check-clients",
        "check whether a Dask cluster may run the load; start nothing there",
        (
            ("check-clients tcp://127.0.0.1:8786 --insecure", "check all workers of a local cluster"),
            ("check-clients tls://lab:8786 --ca-file ca.pem --cert-file me.pem --key-file me.key", "use certificates"),
        ),
        _add_check_clients,
    ),
    Command(
        "apply",
        "set the split of a run's decision, or a named one, and keep it",
        (
            ("apply last --dry-run", "print each change of the last run's decision"),
            ("apply qemu:///system --split 1:2", "set a split that 'watch' named"),
        ),
        _add_apply,
    ),
    Command(
        "revert",
        "undo 'apply'",
        (
            ("revert --list", "list the hosts with an applied split"),
            ("revert xl+ssh://root@xen1", "restore the values before 'apply'"),
        ),
        _add_revert,
    ),
    Command(
        "host-setup",
        "write the files for an account without root on a Xen host; contact no host",
        (
            ("host-setup domtune", "write the folder domtune-host-setup-domtune"),
            ("host-setup domtune --out setup", "write the folder setup"),
        ),
        _add_host_setup,
        json="",
    ),
    Command(
        "desktop",
        "add DomTune to this account's menu, with its icon and file type, or remove it",
        (
            ("desktop install", "write the files below ~/.local/share and print their paths"),
            ("desktop uninstall", "remove these files"),
        ),
        _add_desktop,
        json="",
    ),
    Command(
        "trust",
        "show a host's ssh key or certificate, or accept it",
        (
            ("trust xl+ssh://root@xen1", "show the fingerprint of the key"),
            ("trust xl+ssh://root@xen1 --fingerprint SHA256:4kY9...", "accept this key"),
        ),
        _add_trust,
    ),
    Command(
        "runs",
        "list runs; show, rename, tag or delete one",
        (
            ("runs last --at 12m", "show its answer as it was at minute 12"),
            ("runs last --tag nightly db1", "set two tags"),
        ),
        _add_runs,
    ),
    Command(
        "export",
        "write a run's results or configuration to files",
        (
            ("export last --to html", "write the report"),
            ("export last --to bundle --out change-4711", "write scripts that apply, verify and roll back"),
        ),
        _add_export,
        json="",
    ),
    Command(
        "import",
        "store runs from run files; show results of JSON files",
        (("import ana.domtune ben.domtune", "store two runs"), ("import results.json", "show results, store nothing")),
        _add_import,
    ),
    Command(
        "lesson",
        "list, show and run lessons: predict, measure, check",
        (
            ("lesson list", "list all lessons"),
            ("lesson run 1 --student Ana --predict 1:2", "predict 1:2, measure, check, write the answer file"),
        ),
        _add_lesson,
    ),
    Command(
        "class",
        "collect the answer files of a class; run nothing of them",
        (
            ("class collect *.domtune", "print a table and a histogram per lesson"),
            ("class collect *.domtune --csv class.csv", "also write the table to a file"),
        ),
        _add_class,
    ),
    Command(
        "lab",
        "start a real hypervisor on this computer, to try DomTune on",
        (("lab xen up --scheduler credit", "start Xen with credit"), ("lab lxc status", "show the state of the lab")),
        _add_lab,
    ),
)
