"""Comparison of the rows and database settings of two sides.

Sides that differ are refused. With 128 MB of buffers on one side and 2 GB on the other, a slowdown does not show the
cost of the I/O domain.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

import msgspec

from scheduler.errors import SpecError
from scheduler.model.sentence_texts import join_names
from scheduler.translation import _

DECISIVE_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "postgresql": (
        "shared_buffers",
        "work_mem",
        "effective_cache_size",
        "io_method",
        "io_workers",
        "effective_io_concurrency",
        "max_parallel_workers_per_gather",
        "jit",
        "random_page_cost",
        "huge_pages",
        "data_checksums",
        "track_io_timing",
        "fsync",
        "synchronous_commit",
    ),
    "mariadb": (
        "innodb_buffer_pool_size",
        "innodb_flush_method",
        "innodb_io_capacity",
        "innodb_flush_log_at_trx_commit",
        "innodb_doublewrite",
        "join_buffer_size",
        "sort_buffer_size",
        "tmp_table_size",
        "query_cache_type",
    ),
}
"""Settings that decide the speed of queries, by kind of database. If one differs, nothing is compared."""

_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_SHOWN = 6


class DataFingerprint(msgspec.Struct, frozen=True, kw_only=True):
    """Rows and settings of one side.

    Attributes:
        database: Name of the kind of database (`scheduler/model/databases.py`).
        version: Version of the database, for example `18.1`.
        data: Table to `rows:sum`, or query to the digest of its answer; identifies the data.
        settings: Setting to its value, in a format that does not depend on the version: `128MB`.
    """

    database: str
    version: str
    data: Mapping[str, str]
    settings: Mapping[str, str]


def settings_query(database: str) -> str:
    """Return the query for settings, whose rows have a name and a value.

    Run the query on a user's connection, because the users' settings count.

    Raises:
        SpecError: The kind of database is not supported.
    """
    if database not in DECISIVE_SETTINGS:
        raise SpecError(
            "database",
            _("the relevant settings of {database} are unknown").format(database=database),
            hint=_("Known: {decisive_settings}.").format(decisive_settings=join_names(DECISIVE_SETTINGS)),
        )
    names = ", ".join(f"'{name}'" for name in DECISIVE_SETTINGS[database])
    if database == "postgresql":
        return f"SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({names})"  # noqa: S608 - constant names
    return f"SHOW VARIABLES WHERE Variable_name IN ({names})"


def refuse_different(sides: Mapping[str, DataFingerprint]) -> tuple[str, ...]:
    """Refuse sides whose data or settings differ; return minor differences.

    Args:
        sides: Name of a side, for people, to its fingerprint; at least two.

    Returns:
        A sentence for each difference that does not matter.

    Raises:
        SpecError: The sides differ; the error names the differences and both values.
    """
    wrong: list[str] = []
    notes: list[str] = []
    for (first, one), (second, two) in pairwise(sides.items()):
        if one.database != two.database:
            wrong.append(_difference_text(_("the database"), first, one.database, second, two.database))
            continue
        if major_version(one) != major_version(two):
            wrong.append(_difference_text(_("the version"), first, one.version, second, two.version))
        elif one.version != two.version:
            notes.append(
                _("{difference}: counted as the same.").format(
                    difference=_difference_text(_("the version"), first, one.version, second, two.version)
                )
            )
        wrong += _compare_data(one.data, two.data, first, second)
        decides, others = _compare_settings(one, two, first, second)
        wrong += decides
        notes += others
    if wrong:
        more = _("; and {count} more").format(count=len(wrong) - _SHOWN) if len(wrong) > _SHOWN else ""
        raise SpecError(
            "sides",
            _("they cannot be compared: {wrong}{more}").format(wrong="; ".join(wrong[:_SHOWN]), more=more),
            hint=_("Load the same data on both, set the same settings on both, and measure again."),
        )
    return tuple(notes)


def major_version(side: DataFingerprint) -> str:
    """Return the part of a version with stable plans and formats.

    This is `18` for PostgreSQL and `10.11` for MariaDB.
    """
    found = _VERSION.match(side.version)
    parts = (found[0] if found else side.version).split(".")
    return ".".join(parts[: 1 if side.database == "postgresql" else 2])


def _compare_data(one: Mapping[str, str], two: Mapping[str, str], first: str, second: str) -> Iterable[str]:
    for name in dict.fromkeys((*one, *two)):
        if one.get(name) != two.get(name):
            yield _difference_text(name, first, one.get(name, "nothing"), second, two.get(name, "nothing"))


def _compare_settings(
    one: DataFingerprint, two: DataFingerprint, first: str, second: str
) -> tuple[list[str], list[str]]:
    """Return decisive differences, and notes.

    Notes are about settings of one side only, or settings that are not known to matter.
    """
    decides: list[str] = []
    notes: list[str] = []
    for name in dict.fromkeys((*one.settings, *two.settings)):
        mine, theirs = one.settings.get(name), two.settings.get(name)
        if mine == theirs:
            continue
        words = _difference_text(name, first, mine or _("not known there"), second, theirs or _("not known there"))
        if mine is None or theirs is None or name not in DECISIVE_SETTINGS.get(one.database, ()):
            notes.append(f"{words}.")
        else:
            decides.append(words)
    return decides, notes


def _difference_text(what: str, first: str, mine: str, second: str, theirs: str) -> str:
    return _("{what} is {mine} on {first} and {theirs} on {second}").format(
        what=what, mine=mine, first=first, theirs=theirs, second=second
    )
