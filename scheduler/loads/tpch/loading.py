"""Filling the tables: rows first, then keys and indexes, then the answers that every later one must equal."""

import logging
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from scheduler.databases.base import Row, Session
from scheduler.errors import LoadError
from scheduler.loads.ours import refuse_foreign_schema
from scheduler.loads.tpch import answers, data, queries
from scheduler.loads.tpch.dialects import dialect_of
from scheduler.loads.tpch.schema import FORMAT, NAMES, OUR_TABLES, TABLES, for_scale, scale_text, schema_of

log = logging.getLogger(__name__)

BEGUN, COMPLETE = "begun", "complete"
_ANSWER, _STATE = "answer ", "table "


def refuse_foreign(session: Session, scale: float) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    refuse_foreign_schema(session, schema_of(scale), marked=bool(marker(session, scale)))


def marker(session: Session, scale: float) -> dict[str, str]:
    """Return our marker; empty when there is none, or one that is not ours."""
    rows = session.seen(for_scale("SELECT name, value FROM @.domtune_marker", scale)) or ()
    found = {str(name): str(value) for name, value in rows}
    return found if found.get("tool") == "domtune" else {}


def is_loaded(session: Session, scale: float) -> bool:
    """Return True when our complete tables of this scale are there, and hold what they held when they were loaded."""
    if not session.tables(schema_of(scale)).issuperset(OUR_TABLES):
        return False
    found = marker(session, scale)
    if not {**_form(scale), "state": COMPLETE}.items() <= found.items():
        return False
    return kept(found, _STATE) == state(session, scale) and len(kept(found, _ANSWER)) == queries.COUNT


def state(session: Session, scale: float) -> dict[str, str]:
    """Return the number of rows of each table, and the sum of one of its columns; it reads all of them."""
    found: dict[str, str] = {}
    for table in TABLES:
        query = f"SELECT count(*), coalesce(sum({table.total}), 0) FROM @.{table.name}"  # noqa: S608 - ours
        [(count, total)] = session.rows(for_scale(query, scale))
        found[table.name] = f"{count}:{answers.plain(total)}"
    return found


def kept(found: Mapping[str, str], sort: str) -> dict[str, str]:
    """Return what a marker keeps of one sort, without that word."""
    return {name.removeprefix(sort): value for name, value in found.items() if name.startswith(sort)}


def answers_kept(session: Session, scale: float) -> dict[str, str]:
    """Return query (`Q1`) to the answer that it had when the tables had been loaded."""
    return kept(marker(session, scale), _ANSWER)


def load(session: Session, scale: float) -> None:
    """Make the tables anew; what an interrupted load left is dropped first. Raises LoadError."""
    refuse_foreign(session, scale)
    folder = data.files_of(scale)
    _make_tables(session, scale)
    dialect = dialect_of(session.database)
    for table in TABLES:
        log.info("loading %s of tpch, scale %s", table.name, scale_text(scale))
        name = f"{schema_of(scale)}.{table.name}"
        session.load(name, tuple(table.columns), data.chunks(folder, table.name), data.DELIMITER)
        for statement in dialect.finish(table):
            session.execute(for_scale(statement, scale))
    session.settle([f"{schema_of(scale)}.{name}" for name in NAMES])
    held = state(session, scale)
    wrong = [
        f"{name} has {held[name].partition(':')[0]} rows, not {wanted}"
        for name in NAMES
        if int(held[name].partition(":")[0]) != (wanted := data.rows_in(folder, name))
    ]
    if wrong:
        raise LoadError(f"the data just loaded are not right: {'; '.join(wrong)}")
    _keep(session, scale, {f"{_STATE}{name}": value for name, value in held.items()})
    _keep(session, scale, {f"{_ANSWER}Q{number}": told for number, told in _first_answers(session, scale).items()})
    mark(session, scale, COMPLETE)


def mark(session: Session, scale: float, what: str) -> None:
    """Say that the tables may be used, or, with `BEGUN`, that they must be made anew."""
    session.execute(for_scale("UPDATE @.domtune_marker SET value = %s WHERE name = 'state'", scale), what)


def ask(session: Session, number: int, scale: float) -> list[Row]:
    """Return the rows of one of the queries."""
    return session.rows(queries.text_of(number, session.database, scale))


def _first_answers(session: Session, scale: float) -> dict[int, str]:
    found: dict[int, str] = {}
    wrong: list[str] = []
    for number in queries.NUMBERS:
        rows = ask(session, number, scale)
        found[number] = answers.answer_of(rows)
        wrong += _published(number, rows) if scale == 1 else ()
    if wrong:
        raise LoadError(f"the answers are not those that TPC-H publishes: {'; '.join(wrong[:3])}")
    return found


def _published(number: int, rows: Sequence[Row]) -> list[str]:
    differs = answers.differs_from_published(number, rows)
    return [differs] if differs else []


def _make_tables(session: Session, scale: float) -> None:
    """The marker is there as soon as the schema is, and says `begun` before anything is dropped."""
    dialect = dialect_of(session.database)
    with session.transaction():
        for statement in dialect.begin:
            session.execute(for_scale(statement.format(schema=schema_of(scale)), scale))
    with session.transaction():
        session.execute(for_scale("DELETE FROM @.domtune_marker WHERE name <> 'tool'", scale))
    _keep(session, scale, {"version": version("domtune"), **_form(scale), "state": BEGUN})
    with session.transaction():
        for table in TABLES:
            session.execute(for_scale(f"DROP TABLE IF EXISTS @.{table.name}", scale))
            session.execute(for_scale(dialect.create(table), scale))


def _keep(session: Session, scale: float, pairs: Mapping[str, str]) -> None:
    with session.transaction():
        for pair in pairs.items():
            session.execute(for_scale("INSERT INTO @.domtune_marker VALUES (%s, %s)", scale), *pair)


def _form(scale: float) -> dict[str, str]:
    """Return what the marker says of the data."""
    return {"format": FORMAT, "scale": scale_text(scale), "data": data.version()}
