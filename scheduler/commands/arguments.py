"""Arguments of the command line.

They are the source of `--help` and of docs/reference/command-line.md.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from scheduler.commands.preflight import DESPITE_ERRORS_OPTION
from scheduler.translation import _

_RUN = _("ID of a run, or 'last'")
_PLAN = _("plan file (TOML), name of a plan of DomTune, for example quick-simulated, or - for standard input")
_SPLIT = _("measured split to take instead of the decision's, for example 1:2")
_ANYWAY = _("take the split of a decision that orders no change")
_CODE = _("run the code that the plan names: its own command, or its Dask scheduler")
_INSECURE = _("allow a Dask scheduler over tcp://, without encryption, also on this computer")
_PASSWORD = _("send your own passwords (~/.pgpass, PGPASSWORD, ~/.my.cnf, MYSQL_PWD) to the plan's databases")

_EXAMPLES = _("""examples:
  domtune probe xl+ssh://root@HOST   check a host; change nothing there
  domtune run PLAN.toml --dry-run    print each command of a sweep and its duration
  domtune run PLAN.toml              sweep, restore the host, print the decision
  domtune export last --to html      write the report of the last run
  domtune restore --list             list hosts that an interrupted sweep left changed

'domtune COMMAND --help' shows the options of a command.""")


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
    json: str = _("print one JSON object")


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
        description=_("Without a command, the window opens."),
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_VersionAction, nargs=0, help=_("print the version and exit"))
    parser.add_argument("-v", "--verbose", action="store_true", help=_("print the log to standard error as well"))
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
    "understand": _("Read a text by a pattern for a window: JSON on both sides."),
    "core": _("Sweep for a window: orders on standard input, documents on standard output."),
}


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument("plan", nargs="?", default="", help=_("{plan}; optional with --continue").format(plan=_PLAN))
    run.add_argument("--dry-run", action="store_true", help=_("print commands, findings and duration; change nothing"))
    continues = _("continue a run that is unfinished, or longer with --for; RUN is an ID, or 'last'")
    run.add_argument("--continue", dest="continues", default="", metavar="RUN", help=continues)
    longer = _("with --continue: how much longer to measure, for example 12m (1m to 7d)")
    run.add_argument("--for", dest="for_time", default="", metavar="TIME", help=longer)
    _add_consent(run)
    run.add_argument("--insecure", action="store_true", help=_INSECURE)
    _add_despite_errors(run, "run")
    _add_notify(run)
    run.add_argument("--quiet", action="store_true", help=_("print no progress to standard error"))


def _add_notify(parser: argparse.ArgumentParser) -> None:
    program = _("start this program at the end, for example 'mail-me admin'; DOMTUNE_NOTICE has the sentence")
    parser.add_argument("--notify", default="", metavar="PROGRAM", help=program)


def _add_try(tries: argparse.ArgumentParser) -> None:
    tries.add_argument("plan", help=_PLAN)
    seconds = _("seconds to run, from the first line on (1 to 600, default 10)")
    tries.add_argument("--seconds", type=int, default=10, metavar="N", help=seconds)
    _add_consent(tries)


def _add_consent(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--allow-command", action="store_true", help=_CODE)
    parser.add_argument("--allow-password", action="store_true", help=_PASSWORD)


def _add_despite_errors(parser: argparse.ArgumentParser, verb: str) -> None:
    parser.add_argument(
        DESPITE_ERRORS_OPTION,
        action="store_true",
        help=_("{verb} although preflight finds errors on the host").format(verb=verb),
    )


def _add_domains(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--io", default="", metavar="DOMAIN", help=_("name of the I/O domain (default: detected)"))
    parser.add_argument("--guest", default="", metavar="DOMAIN", help=_("name of the guest (default: the only guest)"))


def _add_probe(probe: argparse.ArgumentParser) -> None:
    probe.add_argument("url", help=_("host, for example local:"))
    _add_domains(probe)


def _add_trust(trust: argparse.ArgumentParser) -> None:
    trust.add_argument("url", help=_("host, for example xl+ssh://root@HOST or xapi://HOST"))
    accept = _("accept the key or certificate with this fingerprint")
    trust.add_argument("--fingerprint", default="", metavar="SHA256:...", help=accept)


def _add_watch(watch: argparse.ArgumentParser) -> None:
    watch.add_argument("url", help=_("host, for example qemu:///system"))
    duration = _("how long to watch, for example 8h (1m to 7d, default 24h)")
    watch.add_argument("--for", dest="for_time", default="24h", metavar="TIME", help=duration)
    _add_domains(watch)
    watch.add_argument("--database", default="", metavar="URL", help=_("PostgreSQL whose transactions to count"))
    _add_notify(watch)
    watch.add_argument("--quiet", action="store_true", help=_("print no progress to standard error"))
    watch.add_argument("--windows", action="store_true", help=_("with --json: also print one line per 10 s"))
    watch.add_argument("--orders", action="store_true", help=argparse.SUPPRESS)  # started by the window


def _add_follow(follow: argparse.ArgumentParser) -> None:
    follow.add_argument("url", nargs="?", default="", help=_("host, for example qemu:///system"))
    duration = _("how long to run, for example 8h (1m to 7d, required)")
    follow.add_argument("--for", dest="for_time", default="", metavar="TIME", help=duration)
    allowed = _("allowed splits, within 1:9..9:1 (default 1:5..5:1)")
    follow.add_argument("--range", default="1:5..5:1", metavar="A:B..C:D", help=allowed)
    static = _("fixed split to compare with, within the range (default: the current split)")
    follow.add_argument("--static", default="", metavar="A:B", help=static)
    account = _("share of the time for comparison: 50, 10 or 0 (default 50 with --database, else 0)")
    follow.add_argument("--account", type=int, metavar="PERCENT", help=account)
    database = _("PostgreSQL, MariaDB or MySQL whose work to count")
    follow.add_argument("--database", default="", metavar="URL", help=database)
    _add_domains(follow)
    follow.add_argument("--seed", type=int, metavar="N", help=_("seed of the comparison order (default: random)"))
    follow.add_argument("--yes", action="store_true", help=_("do not ask for confirmation"))
    ask = _("with --json: wait for a line 'yes' on standard input before the first change")
    follow.add_argument("--ask", action="store_true", help=ask)
    _add_despite_errors(follow, "follow")
    _add_notify(follow)
    follow.add_argument("--quiet", action="store_true", help=_("print only the outcome"))
    follow.add_argument("--detach", action="store_true", help=_("continue in the background after confirmation"))
    follow.add_argument("--list", action="store_true", help=_("list hosts that are being followed; change nothing"))
    follow.add_argument("--stop", default="", metavar="HOST", help=_("stop following HOST (ID or URL) and restore it"))


def _add_apply(apply: argparse.ArgumentParser) -> None:
    apply.add_argument(
        "run", nargs="?", default="", metavar="RUN|URL", help=_("{run}; or a host, with --split").format(run=_RUN)
    )
    apply.add_argument(
        "--split", default="", metavar="A:B", help=_("{split}; required with a host").format(split=_SPLIT)
    )
    apply.add_argument("--anyway", action="store_true", help=_ANYWAY)
    _add_domains(apply)
    _add_despite_errors(apply, "apply")
    apply.add_argument("--dry-run", action="store_true", help=_("print each change; change nothing"))
    apply.add_argument("--list", action="store_true", help=_("list the hosts with an applied split; change nothing"))


def _add_revert(revert: argparse.ArgumentParser) -> None:
    revert.add_argument("url", nargs="?", default="local:", help=_("host (default local:)"))
    revert.add_argument("--dry-run", action="store_true", help=_("print each value to restore; change nothing"))
    force = _("restore although another program changed the split since")
    revert.add_argument("--force", action="store_true", help=force)
    revert.add_argument("--list", action="store_true", help=_("list the hosts with an applied split; change nothing"))


def _add_restore(restore: argparse.ArgumentParser) -> None:
    mode = restore.add_mutually_exclusive_group()
    mode.add_argument("--list", action="store_true", help=_("list pending restores; change nothing"))
    mode.add_argument("--force", action="store_true", help=_("also restore values that others changed meanwhile"))
    restore.add_argument("--only", default="", metavar="HOST", help=_("restore only the host with this ID"))
    copy = _("with --only: read a copy of the undo record from standard input, for a missing or damaged record")
    restore.add_argument("--copy", action="store_true", help=copy)
    mode.add_argument("--forget", default="", metavar="HOST", help=_("quarantine the record of HOST; restore nothing"))


def _add_runs(runs: argparse.ArgumentParser) -> None:
    runs.add_argument(
        "run", nargs="*", help=_("{run}; several to change all of them (default: list all runs)").format(run=_RUN)
    )
    runs.add_argument("--rename", metavar="NAME", help=_('set the display name ("" resets it to the plan\'s name)'))
    runs.add_argument("--tag", nargs="*", metavar="TAG", help=_("set the tags (without a TAG: remove all tags)"))
    runs.add_argument("--note", metavar="TEXT", help=_('set the note ("" removes it)'))
    runs.add_argument("--delete", action="store_true", help=_("delete from the list; kept for 30 days"))
    runs.add_argument("--undelete", action="store_true", help=_("restore a deleted run to the list"))
    runs.add_argument("--deleted", action="store_true", help=_("list the deleted runs that can be restored"))
    runs.add_argument(
        "--at", metavar="TIME", help=_("show the answer as it was at this time of the run, for example 12m")
    )


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help=_("run file (.domtune), or results (.json)"))


def _add_lesson(lesson: argparse.ArgumentParser) -> None:
    actions = _("list all lessons, show the text of one, run one, or check a run")
    lesson.add_argument("action", choices=("list", "show", "run", "check"), help=actions)
    name = _("name or number of a lesson; for check a run (default: last)")
    lesson.add_argument("name", nargs="?", default="", metavar="LESSON", help=name)
    student = _("run: name of the student, which decides the seed (required)")
    lesson.add_argument("--student", default="", metavar="NAME", help=student)
    predict = _("run: prediction before the measurement, for example 1:2, 8 or 20 (required)")
    lesson.add_argument("--predict", default="", metavar="VALUE", help=predict)
    out = _("run: answer file to write (default: domtune-RUN.domtune in the current folder)")
    lesson.add_argument("--out", default="", metavar="PATH", help=out)
    folder = _("folder with lessons of your own (default: the lessons of DomTune)")
    lesson.add_argument("--from", dest="folder", default="", metavar="FOLDER", help=folder)
    lesson.add_argument("--quiet", action="store_true", help=_("print no progress to standard error"))


def _add_class(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("collect",), help=_("join answer files to one table"))
    parser.add_argument("file", nargs="+", metavar="FILE", help=_("answer file of a lesson (.domtune)"))
    parser.add_argument("--csv", default="", metavar="PATH", help=_("also write the table to this CSV file"))
    parser.add_argument("--force", action="store_true", help=_("replace an existing CSV file"))


def _add_export(export: argparse.ArgumentParser) -> None:
    export.add_argument("run", help=_RUN)
    kinds = _("format: html, pdf, csv, json, machine, plan, file or bundle (required)")
    export.add_argument("--to", required=True, metavar="KIND", help=kinds)
    export.add_argument("--split", default="", metavar="A:B", help=f"for a bundle: {_SPLIT}")
    export.add_argument("--anyway", action="store_true", help=f"for a bundle: {_ANYWAY}")
    out = _("file or folder to write (default: domtune-RUN in the current folder)")
    export.add_argument("--out", default="", metavar="PATH", help=out)
    export.add_argument("--force", action="store_true", help=_("replace existing files"))


def _add_check_database(check: argparse.ArgumentParser) -> None:
    check.add_argument("url", help=_("postgresql://USER@HOST:PORT/NAME; the password comes on standard input"))


def _add_check_clients(clients: argparse.ArgumentParser) -> None:
    clients.add_argument("address", help=_("Dask scheduler: tls://HOST:8786, or tcp://127.0.0.1:8786"))
    worker = _("check this worker; repeat for more (default: all workers)")
    clients.add_argument("--worker", action="append", default=[], metavar="NAME", help=worker)
    clients.add_argument("--insecure", action="store_true", help=_INSECURE)
    for option, meaning in (("--ca-file", _("CA certificate")), ("--cert-file", _("client certificate"))):
        clients.add_argument(option, default="", metavar="PEM", help=_("{meaning}, for tls://").format(meaning=meaning))
    clients.add_argument("--key-file", default="", metavar="PEM", help=_("private key of the client, for tls://"))


def _add_host_setup(setup: argparse.ArgumentParser) -> None:
    setup.add_argument("account", help=_("name of the account on the host"))
    out = _("new folder to write (default: domtune-host-setup-ACCOUNT)")
    setup.add_argument("--out", default="", metavar="FOLDER", help=out)


def _add_desktop(desktop: argparse.ArgumentParser) -> None:
    desktop.add_argument("action", choices=("install", "uninstall"), help=_("write the files, or remove them"))


def _add_lab(lab: argparse.ArgumentParser) -> None:
    kinds = _("xen: Xen, Dom0 and a guest, emulated; lxc: two containers")
    lab.add_argument("kind", choices=("xen", "lxc"), help=kinds)
    actions = _("start it, show its state, or end it")
    lab.add_argument("action", choices=("up", "status", "down"), help=actions)
    schedulers = _("xen up: scheduler, credit2, credit or rtds (default credit2)")
    names = ("credit2", "credit", "rtds")
    lab.add_argument("--scheduler", choices=names, default="credit2", metavar="NAME", help=schedulers)
    lab.add_argument("--fresh", action="store_true", help=_("xen up: boot again although a saved state exists"))
    guests = _("xen up: number of guests, 1 or 2 (default 1)")
    lab.add_argument("--guests", type=int, choices=(1, 2), default=1, metavar="N", help=guests)
    cpus = _("xen up: number of CPUs, 1 or 4; with 4, Dom0 and each guest have 4 vCPUs without pins (default 1)")
    lab.add_argument("--cpus", type=int, choices=(1, 4), default=1, metavar="N", help=cpus)
    lab.add_argument("--bare", action="store_true", help=_("lxc up: also start PostgreSQL without a container"))


COMMANDS = (
    Command(
        "run",
        _("sweep a host by a plan file, then restore the host"),
        (
            ("run plan.toml --dry-run", _("print what would be done, and how long it takes")),
            ("run --continue last --for 30m", _("measure 30 minutes more")),
        ),
        _add_run,
        json=_("print one JSON object: the results, or with --dry-run the findings and commands"),
    ),
    Command(
        "try",
        _("run a plan's own command for some seconds and show the rates read from its lines"),
        (
            ("try plan.toml", _("show the command; run nothing")),
            ("try plan.toml --allow-command --seconds 20", _("run it for 20 s")),
        ),
        _add_try,
    ),
    Command(
        "probe",
        _("check a host; change nothing"),
        (
            ("probe local:", _("check this computer")),
            ("probe xl+ssh://root@xen1 --guest db1 --json", _("check the pair Dom0 and db1")),
        ),
        _add_probe,
    ),
    Command(
        "watch",
        _("find the split that suits the running load from counters; change nothing"),
        (
            ("watch qemu:///system --for 8h", _("watch for a working day")),
            ("watch xl+ssh://root@xen1 --guest db1 --for 10m --json", _("print the answer as JSON")),
        ),
        _add_watch,
    ),
    Command(
        "follow",
        _("keep the split near the best for the running load, then restore the host"),
        (
            ("follow qemu:///system --for 8h", _("ask, then follow for 8 hours")),
            ("follow --list", _("list hosts that are being followed")),
        ),
        _add_follow,
        json=_("print one JSON object per line; the last one is the outcome"),
    ),
    Command(
        "restore",
        _("restore hosts that an interrupted sweep left changed"),
        (("restore --list", _("list pending restores")), ("restore", _("restore all of them"))),
        _add_restore,
    ),
    Command(
        "check-database",
        _("check whether the loads may use a database"),
        (
            ("check-database postgresql://osdb@db1/osdb", _("the password is read from standard input")),
            ("check-database mariadb://osdb@127.0.0.1:3306/osdb --json", _("print the answer as JSON")),
        ),
        _add_check_database,
    ),
    Command(
        "check-clients",
        _("check whether a Dask cluster may run the load; start nothing there"),
        (
            ("check-clients tcp://127.0.0.1:8786 --insecure", _("check all workers of a local cluster")),
            (
                "check-clients tls://lab:8786 --ca-file ca.pem --cert-file me.pem --key-file me.key",
                _("use certificates"),
            ),
        ),
        _add_check_clients,
    ),
    Command(
        "apply",
        _("set the split of a run's decision, or a named one, and keep it"),
        (
            ("apply last --dry-run", _("print each change of the last run's decision")),
            ("apply qemu:///system --split 1:2", "set a split that 'watch' named"),
        ),
        _add_apply,
    ),
    Command(
        "revert",
        _("undo 'apply'"),
        (
            ("revert --list", _("list the hosts with an applied split")),
            ("revert xl+ssh://root@xen1", _("restore the values before 'apply'")),
        ),
        _add_revert,
    ),
    Command(
        "host-setup",
        _("write the files for an account without root on a Xen host; contact no host"),
        (
            ("host-setup domtune", _("write the folder domtune-host-setup-domtune")),
            ("host-setup domtune --out setup", _("write the folder setup")),
        ),
        _add_host_setup,
        json="",
    ),
    Command(
        "desktop",
        _("add DomTune to this account's menu, with its icon and file type, or remove it"),
        (
            ("desktop install", _("write the files below ~/.local/share and print their paths")),
            ("desktop uninstall", _("remove these files")),
        ),
        _add_desktop,
        json="",
    ),
    Command(
        "trust",
        _("show a host's ssh key or certificate, or accept it"),
        (
            ("trust xl+ssh://root@xen1", _("show the fingerprint of the key")),
            ("trust xl+ssh://root@xen1 --fingerprint SHA256:4kY9...", _("accept this key")),
        ),
        _add_trust,
    ),
    Command(
        "runs",
        _("list runs; show, rename, tag or delete one"),
        (
            ("runs last --at 12m", _("show its answer as it was at minute 12")),
            ("runs last --tag nightly db1", _("set two tags")),
        ),
        _add_runs,
    ),
    Command(
        "export",
        _("write a run's results or configuration to files"),
        (
            ("export last --to html", _("write the report")),
            ("export last --to bundle --out change-4711", _("write scripts that apply, verify and roll back")),
        ),
        _add_export,
        json="",
    ),
    Command(
        "import",
        _("store runs from run files; show results of JSON files"),
        (
            ("import ana.domtune ben.domtune", _("store two runs")),
            ("import results.json", _("show results, store nothing")),
        ),
        _add_import,
    ),
    Command(
        "lesson",
        _("list, show and run lessons: predict, measure, check"),
        (
            ("lesson list", _("list all lessons")),
            ("lesson run 1 --student Ana --predict 1:2", _("predict 1:2, measure, check, write the answer file")),
        ),
        _add_lesson,
    ),
    Command(
        "class",
        _("collect the answer files of a class; run nothing of them"),
        (
            ("class collect *.domtune", _("print a table and a histogram per lesson")),
            ("class collect *.domtune --csv class.csv", _("also write the table to a file")),
        ),
        _add_class,
    ),
    Command(
        "lab",
        _("start a real hypervisor on this computer, to try DomTune on"),
        (
            ("lab xen up --scheduler credit", _("start Xen with credit")),
            ("lab lxc status", _("show the state of the lab")),
        ),
        _add_lab,
    ),
)
