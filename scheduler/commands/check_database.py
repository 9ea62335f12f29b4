"""`domtune check-database URL`: may the loads use that database? Connects and looks; writes nothing."""

import argparse
import os
import sys

from scheduler.commands.answers import answered
from scheduler.errors import SchedulerError
from scheduler.loads.registry import open_loads
from scheduler.model.facts import HostFacts
from scheduler.model.plan_file import refuse_password
from scheduler.model.probe import DatabaseCheck
from scheduler.model.setting import split_setting
from scheduler.model.spec import LOAD_KINDS, LoadSpec, RunSpec


def check_database(arguments: argparse.Namespace) -> int:
    """Say whether it will do, and what it is; a password is the first line of standard input."""
    password = "" if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    return answered(lambda: _look(arguments.url, password), _words, _refusal, as_json=arguments.json)


def _refusal(error: SchedulerError) -> DatabaseCheck:
    return DatabaseCheck(fine=False, text=str(error), hint=error.hint)


def _words(answer: DatabaseCheck) -> list[str]:
    return [answer.text, *(f"  {name}: {value}" for name, value in answer.versions.items())]


def _look(url: str, password: str) -> DatabaseCheck:
    refuse_password(url, "url")
    spec = RunSpec("local:", (split_setting("1:1"),), (LoadSpec(LOAD_KINDS[0], database=url),))
    loads = open_loads(spec, _this_computer(), "", {url: password} if password else {})
    try:
        versions = loads.preflight()
    finally:
        loads.close()
    return DatabaseCheck(fine=True, text="the loads can use this database", versions=versions)


def _this_computer() -> HostFacts:
    cpus = tuple(range(os.cpu_count() or 1))
    return HostFacts(
        host_id="this-computer",
        url="local:",
        title="this computer",
        scheduler="",
        pcpus=len(cpus),
        contended_cpus=(),
        client_cpus=cpus,
        domains=(),
        versions={},
    )
