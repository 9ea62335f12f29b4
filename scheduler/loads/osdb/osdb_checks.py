"""Checks of the OSDB tables, after loading and after users have stopped."""

import math
from typing import Any

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.osdb import generator, osdb_schema
from scheduler.loads.osdb.osdb_schema import OsdbTables
from scheduler.loads.user_messages import UserTotals
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.translation import _

# Largest value of `decim` that simple_report excludes (AS3AP).
_REPORT_ABOVE = 980_000_000

_SUMS = """
    SELECT count(*), coalesce(sum(col_key), 0), coalesce(sum(col_signed), 0), coalesce(sum(col_double), 0),
           coalesce(sum(col_decim), 0)
    FROM @.{table}"""

_REPORT = """
    SELECT round(avg(col_decim)) FROM @.updates WHERE col_key IN
    (SELECT u.col_key FROM @.updates u JOIN @.hundred h ON h.col_key = u.col_key WHERE u.col_decim > {above})"""


class UpdateSums(msgspec.Struct, frozen=True):
    """Sums over `updates`, all exact: integers, decimals, and doubles far below 2^53."""

    rows: int
    keys: int
    signed: int
    double: int
    decim: int


def read_sums(session: WorkloadSession, tables: OsdbTables, table: str = "updates") -> UpdateSums:
    """Read the sums of a table.

    Args:
        session: Session on the database.
        tables: Tables of the load.
        table: Name of the table.
    """
    query = tables.at(_SUMS.format(table=table))
    return UpdateSums(*(int(value) for value in session.rows(query)[0]))


def sums_when_loaded(tuples: int) -> UpdateSums:
    """Return the sums of freshly loaded data.

    All columns but the key are symmetric around 0, so their sums are 0.
    """
    return UpdateSums(tuples, int(generator.dense_keys(tuples).sum()), 0, 0, 0)


def check_sums(kind: str, before: UpdateSums, after: UpdateSums, totals: UserTotals) -> LoadCheck:
    """Compare the users' totals with the table.

    Args:
        kind: Load kind.
        before: Sums before the users started.
        after: Sums after the users stopped.
        totals: Totals of all users, warm-up and tail included.
    """
    grown = after.signed - before.signed
    changes = LOAD_KINDS[kind].changes_rows
    expected = totals.tuples if changes else 0
    unchanged = msgspec.structs.replace(after, signed=before.signed) == before
    words = _("{tuples} committed, sum(signed) grew by {grown}").format(tuples=totals.tuples, grown=grown)
    if not changes:
        words = _("{tuples} rows read, updates {value}").format(
            tuples=totals.tuples, value="unchanged" if not grown and unchanged else "changed"
        )
    flaws = [
        _("{misses} operations missed their row").format(misses=totals.misses) if totals.misses else "",
        _("sum(signed) should have grown by {expected}").format(expected=expected) if grown != expected else "",
        _("other columns or the number of rows changed ({before} -> {after})").format(before=before, after=after)
        if not unchanged
        else "",
    ]
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def loading_flaws(session: WorkloadSession, tables: OsdbTables) -> list[str]:
    """Return the flaws of freshly loaded tables, one sentence each.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    flaws: list[str] = []
    for query, expected in expected_results(tables.tuples).items():
        found = session.rows(tables.at(query))[0][0]
        if found != expected:
            flaws.append(_("{query} gave {found}, not {expected}").format(query=query, found=found, expected=expected))
    for table in ("updates", osdb_schema.BACKUP):
        found = read_sums(session, tables, table)
        if found != sums_when_loaded(tables.tuples):
            flaws.append(
                _("{table} holds {found}, not {sums_when_loaded}").format(
                    table=table, found=found, sums_when_loaded=sums_when_loaded(tables.tuples)
                )
            )
    return flaws


def expected_results(tuples: int) -> dict[str, Any]:
    """Return queries with the results that OSDB and AS3AP give on such data."""
    count = "SELECT count(*) FROM "
    joined = count + "@.uniques u JOIN @.hundred h"
    in_both = int((generator.sparse_keys(tuples) == 1000).any())  # the dense keys always include 1000
    return {
        **{f"{count}@.{relation}": tuples for relation in (*osdb_schema.RELATIONS, osdb_schema.BACKUP)},
        f"{count}@.tiny": 1,
        **{f"{count}@.{relation} WHERE col_key = 1": 0 for relation in osdb_schema.RELATIONS},
        f"{count}@.updates WHERE col_key = 1000": 1,
        f"{count}@.updates WHERE col_key <= 100": 100,
        f"{count}@.updates WHERE col_int <= 100": 100,
        f"{count}@.updates WHERE col_code = '{generator.SPECIAL_CODE}'": 1,
        f"{count}@.uniques WHERE col_int = 1": 0,
        f"{count}@.uniques WHERE col_name = '{generator.SPECIAL_NAME}'": 1,
        f"{count}@.tenpct WHERE col_name = '{generator.SPECIAL_NAME}'": tuples // 10,
        f"{count}@.tenpct WHERE col_signed < -500000000": 0,
        f"{count}@.tenpct WHERE col_signed < -250000000": tuples // 4,
        "SELECT count(DISTINCT col_signed) FROM @.tenpct": tuples,
        "SELECT count(DISTINCT col_name) FROM @.hundred": 100,
        f"{joined} USING (col_address) WHERE col_address = '{generator.SPECIAL_ADDRESS}'": tuples // 100,
        f"{joined} USING (col_code) WHERE col_code = '{generator.SPECIAL_CODE}'": 1,
        f"{joined} USING (col_key) WHERE col_key = 1000": in_both,
        _REPORT.format(above=_REPORT_ABOVE): _report_average(tuples),
    }


def _report_average(tuples: int) -> int:
    decims = generator.spread_evenly(tuples, -1_000_000_000, 2_000_000_000)
    above = decims[decims > _REPORT_ABOVE]
    return math.floor(int(above.sum()) / len(above) + 0.5)  # rounded half up, as the server does
