"""Restart of a command in a delegated scope, for users who need one for cgroups."""

import argparse
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from scheduler.children import import_path, python_module
from scheduler.errors import SchedulerError
from scheduler.hosts.host_registry import is_this_computer, privilege_prefix

log = logging.getLogger(__name__)

_WORDS = frozenset(
    {"run", "lesson", "core", "probe", "apply"}
)  # `restore` and `revert` find the cgroups from their records
_ONCE = "DOMTUNE_SCOPED"


def enter_scope(arguments: argparse.Namespace, argv: Sequence[str]) -> None:
    """Restart as `systemd-run --user --scope ... python -m scheduler ARGV` if needed.

    Standard streams, process id and exit code stay the same: systemd-run registers the scope, then executes us.

    Args:
        arguments: The parsed command line.
        argv: The command line.
    """
    if arguments.word not in _WORDS or _ONCE in os.environ:
        return
    words = privilege_prefix()
    host = _named_host(arguments) if words else ""
    if not words or (host and not is_this_computer(host)):
        return
    log.info("starting in a delegated scope: %s", " ".join(words))
    os.environ[_ONCE] = "1"  # without delegation, fail instead of restarting forever
    os.environ.update(import_path())
    os.execvp(words[0], [*words, *python_module("scheduler", *argv)])


def _named_host(arguments: argparse.Namespace) -> str:
    """Return the host's URL on a command line.

    The URL is empty when only a run, standard input or an order names the host.
    """
    if arguments.word == "run" and arguments.plan not in {"", "-"}:
        from scheduler.commands.plan_argument import (
            read_named_plan,
        )  # imported here, because `restore` must start quickly

        try:
            return read_named_plan(arguments.plan).host_url
        except SchedulerError:  # reported when the command reads its plan
            return ""
    if arguments.word == "lesson":
        return _lesson_host(arguments)
    named = {"probe": "url", "apply": "run"}.get(arguments.word)
    url = getattr(arguments, named) if named else ""
    return url if ":" in url else ""


def _lesson_host(arguments: argparse.Namespace) -> str:
    """Return the host of the lesson to run; `sim:` for other actions."""
    from scheduler.lessons.lesson_files import read_lessons

    if arguments.action != "run":
        return "sim:"
    try:
        folder = Path(arguments.folder) if arguments.folder else None
        return read_lessons(folder).find(arguments.name).plan.host_url
    except SchedulerError:  # reported when the command reads its lesson
        return "sim:"
