"""`domtune check-database URL`: check that the loads can use a database.

The command connects to the database and writes nothing.
"""

import argparse
import os
import sys

from scheduler.commands.command_output import print_answer
from scheduler.databases.database_registry import own_password
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.load_registry import open_loads
from scheduler.model.command_answers import DatabaseCheck
from scheduler.model.databases import POOLER, POOLER_SENTENCE
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import list_standard_kinds
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.setting import SplitSetting
from scheduler.model.spec import RunSpec
from scheduler.model.split import split_between
from scheduler.model.urls import refuse_password
from scheduler.translation import _

_LONGEST_LINE_BYTES = 1024  # the limit of libpq is lower


def check_database(arguments: argparse.Namespace) -> int:
    """Print the database's suitability and version.

    The first line of standard input is the password.
    """
    return print_answer(
        lambda: _check_access(arguments.url, _read_password()), _answer_lines, _error_answer, as_json=arguments.json
    )


def _read_password() -> str:
    """Return the first line of standard input; empty at a terminal.

    Raises:
        SpecError: The line cannot be a password.
    """
    stream = sys.stdin
    if stream is None or stream.isatty():  # None when Python starts with it closed
        return ""
    line = stream.buffer.readline(_LONGEST_LINE_BYTES + 1)
    password = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
    if len(line) > _LONGEST_LINE_BYTES or not password.isprintable():  # bytes outside UTF-8 are not printable either
        hint = _("Its first line is the password: printable, UTF-8, at most {longest_line_bytes} bytes.").format(
            longest_line_bytes=_LONGEST_LINE_BYTES
        )
        raise SpecError(_("standard input"), _("holds no password"), hint=hint)
    return password


def _error_answer(error: SchedulerError) -> DatabaseCheck:
    return DatabaseCheck(fine=False, text=str(error), hint=error.hint)


def _answer_lines(answer: DatabaseCheck) -> list[str]:
    return [answer.text, *(f"  {name}: {value}" for name, value in answer.versions.items())]


def _check_access(url: str, password: str) -> DatabaseCheck:
    refuse_password(url, "url")
    spec = RunSpec("local:", (SplitSetting(split_between(1, 1)),), (LoadSpec(list_standard_kinds()[0], database=url),))
    password = password or own_password(url)  # allowed, because the user typed the URL
    loads = open_loads(spec, _local_host(), "", {url: password})
    try:
        versions = loads.preflight()
    finally:
        loads.close()
    text = _("the loads can use this database")
    return DatabaseCheck(
        fine=True, text=join_sentences(text, POOLER_SENTENCE) if POOLER in versions else text, versions=versions
    )


def _local_host() -> HostProperties:
    cpus = tuple(range(os.cpu_count() or 1))
    return HostProperties(
        host_id="this-computer",
        url="local:",
        title=_("this computer"),
        scheduler="",
        pcpus=len(cpus),
        shared_cpus=(),
        client_cpus=cpus,
        domains=(),
        versions={},
    )
