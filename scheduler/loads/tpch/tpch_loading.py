"""Filling the tables: rows first, then keys and indexes, then the answers that every later one must equal."""

import logging
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from scheduler.databases.protocols import Row, WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.table_ownership import refuse_foreign_schema
from scheduler.loads.tpch import queries, query_answers, tpch_data
from scheduler.loads.tpch.tpch_dialects import tpch_dialect
from scheduler.loads.tpch.tpch_schema import (
    FORMAT,
    NAMES,
    OUR_TABLES,
    TABLES,
    qualify_statement,
    scale_text,
    tpch_schema_name,
)

log = logging.getLogger(__name__)

BEGUN, COMPLETE = "begun", "complete"
_ANSWER, _STATE = "answer ", "table "


def refuse_foreign_tables(session: WorkloadSession, scale: float) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    refuse_foreign_schema(session, tpch_schema_name(scale), marked=bool(read_marker(session, scale)))


def read_marker(session: WorkloadSession, scale: float) -> dict[str, str]:
    """Return our marker; empty when there is none, or one that is not ours."""
    rows = session.seen(qualify_statement("SELECT name, value FROM @.domtune_marker", scale)) or ()
    found = {str(name): str(value) for name, value in rows}
    return found if found.get("tool") == "domtune" else {}


def is_loaded(session: WorkloadSession, scale: float) -> bool:
    """Return True when our complete tables of this scale are there, and hold what they held when they were loaded."""
    if not session.tables(tpch_schema_name(scale)).issuperset(OUR_TABLES):
        return False
    found = read_marker(session, scale)
    if not {**_data_format(scale), "state": COMPLETE}.items() <= found.items():
        return False
    return (
        marker_entries(found, _STATE) == read_table_sums(session, scale)
        and len(marker_entries(found, _ANSWER)) == queries.QUERY_COUNT
    )


def read_table_sums(session: WorkloadSession, scale: float) -> dict[str, str]:
    """Return the number of rows of each table, and the sum of one of its columns; it reads all of them."""
    found: dict[str, str] = {}
    for table in TABLES:
        query = f"SELECT count(*), coalesce(sum({table.total}), 0) FROM @.{table.name}"  # noqa: S608 - ours
        [(count, total)] = session.rows(qualify_statement(query, scale))
        found[table.name] = f"{count}:{query_answers.plain_text(total)}"
    return found


def marker_entries(found: Mapping[str, str], sort: str) -> dict[str, str]:
    """Return what a marker keeps of one sort, without that word."""
    return {name.removeprefix(sort): value for name, value in found.items() if name.startswith(sort)}


def stored_answers(session: WorkloadSession, scale: float) -> dict[str, str]:
    """Return query (`Q1`) to the answer that it had when the tables had been loaded."""
    return marker_entries(read_marker(session, scale), _ANSWER)


def load_tables(session: WorkloadSession, scale: float) -> None:
    """Make the tables anew; what an interrupted load left is dropped first. Raises LoadError."""
    refuse_foreign_tables(session, scale)
    folder = tpch_data.ensure_files(scale)
    _make_tables(session, scale)
    dialect = tpch_dialect(session.database)
    for table in TABLES:
        log.info("loading %s of tpch, scale %s", table.name, scale_text(scale))
        name = f"{tpch_schema_name(scale)}.{table.name}"
        session.load(name, tuple(table.columns), tpch_data.read_chunks(folder, table.name), tpch_data.DELIMITER)
        for statement in dialect.finish(table):
            session.execute(qualify_statement(statement, scale))
    session.settle([f"{tpch_schema_name(scale)}.{name}" for name in NAMES])
    held = read_table_sums(session, scale)
    wrong = [
        f"{name} has {held[name].partition(':')[0]} rows, not {wanted}"
        for name in NAMES
        if int(held[name].partition(":")[0]) != (wanted := tpch_data.count_rows(folder, name))
    ]
    if wrong:
        raise LoadError(f"the data just loaded are not right: {'; '.join(wrong)}")
    _store_in_marker(session, scale, {f"{_STATE}{name}": value for name, value in held.items()})
    _store_in_marker(
        session, scale, {f"{_ANSWER}Q{number}": told for number, told in _first_answers(session, scale).items()}
    )
    set_marker_state(session, scale, COMPLETE)


def set_marker_state(session: WorkloadSession, scale: float, what: str) -> None:
    """Say that the tables may be used, or, with `BEGUN`, that they must be made anew."""
    session.execute(qualify_statement("UPDATE @.domtune_marker SET value = %s WHERE name = 'state'", scale), what)


def run_query(session: WorkloadSession, number: int, scale: float) -> list[Row]:
    """Return the rows of one of the queries."""
    return session.rows(queries.query_text(number, session.database, scale))


def _first_answers(session: WorkloadSession, scale: float) -> dict[int, str]:
    found: dict[int, str] = {}
    wrong: list[str] = []
    for number in queries.QUERY_NUMBERS:
        rows = run_query(session, number, scale)
        found[number] = query_answers.answer_digest(rows)
        wrong += _published_flaws(number, rows) if scale == 1 else ()
    if wrong:
        raise LoadError(f"the answers are not those that TPC-H publishes: {'; '.join(wrong[:3])}")
    return found


def _published_flaws(number: int, rows: Sequence[Row]) -> list[str]:
    differs = query_answers.differs_from_published(number, rows)
    return [differs] if differs else []


def _make_tables(session: WorkloadSession, scale: float) -> None:
    """The marker is there as soon as the schema is, and says `begun` before anything is dropped."""
    dialect = tpch_dialect(session.database)
    with session.transaction():
        for statement in dialect.begin:
            session.execute(qualify_statement(statement.format(schema=tpch_schema_name(scale)), scale))
    with session.transaction():
        session.execute(qualify_statement("DELETE FROM @.domtune_marker WHERE name <> 'tool'", scale))
    _store_in_marker(session, scale, {"version": version("domtune"), **_data_format(scale), "state": BEGUN})
    with session.transaction():
        for table in TABLES:
            session.execute(qualify_statement(f"DROP TABLE IF EXISTS @.{table.name}", scale))
            session.execute(qualify_statement(dialect.create(table), scale))


def _store_in_marker(session: WorkloadSession, scale: float, pairs: Mapping[str, str]) -> None:
    with session.transaction():
        for pair in pairs.items():
            session.execute(qualify_statement("INSERT INTO @.domtune_marker VALUES (%s, %s)", scale), *pair)


def _data_format(scale: float) -> dict[str, str]:
    """Return what the marker says of the data."""
    return {"format": FORMAT, "scale": scale_text(scale), "data": tpch_data.generator_version()}
