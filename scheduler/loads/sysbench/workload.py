"""The tables' side of sysbench: made once by `sysbench prepare`, looked at before each block, checked after it."""

import logging
from collections.abc import Mapping

import msgspec

from scheduler.databases.base import Session
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.engines.making import wait_for_tables
from scheduler.loads.engines.program import Program
from scheduler.loads.orders import Totals
from scheduler.loads.sysbench import deviations, program, tables
from scheduler.model.facts import HostFacts
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

log = logging.getLogger(__name__)

_MOST_MAKERS = 4  # each makes one table at a time
_COUNTERS = {"point-select": "Com_select"}  # it has no transactions
_COMMITS = "Com_commit"
_READS_ONLY = frozenset({"read-only", "point-select"})


class State(msgspec.Struct, frozen=True):
    """What the tables and the server hold.

    Attributes:
        rows: Rows of each table.
        wrong: How many keys of each table lie outside 1 to its size.
        digest: Of all rows, one for each table; 0 where users change them.
        done: The server's own count of what an event of the script ends with, of all that it runs.
    """

    rows: tuple[int, ...]
    wrong: tuple[int, ...]
    digest: tuple[int, ...]
    done: int


class SysbenchWorkload:
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self._load = load
        self._tables, self._size = int(load.values["tables"]), int(load.values["table_size"])
        self._script = str(load.values["script"])
        self._schema = tables.schema_of(self._tables, self._size)
        self._names = [f"{self._schema}.{name}" for name in tables.names(self._tables)]
        self._before: State | None = None

    def preflight(self, session: Session) -> None:
        program.authorities_of(session.params)
        program.options_of(session.params)
        tables.refuse_foreign(session, self._schema)

    def prepare(self, session: Session) -> None:
        if not tables.is_complete(session, self._schema, self._tables) or self._flaws(session):
            self._make(session)
        session.settle(self._names)
        self._before = self._state(session)

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError("sysbench was checked before it was prepared")
        return after_users(self._before, self._state(session), self._size, totals)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, facts, versions)

    def _make(self, session: Session) -> None:
        log.info("sysbench makes %d tables of %d rows", self._tables, self._size)
        tables.begin(session, self._schema, self._tables, dict(program.versions()))
        program.prove_server(session.params)
        threads = f"--threads={min(self._tables, _MOST_MAKERS)}"
        making = Program(program.job(session.params, self._load.values, (threads, "prepare")))
        try:
            said = _at_its_end(making, session)
        finally:
            making.end()
        # It ends with status 0, too, where one of its threads was not let in.
        if making.status or not session.tables(self._schema).issuperset(tables.names(self._tables)):
            raise program.not_let_in(said, session.params) or LoadError(
                f"sysbench could not make its tables (status {making.status}): {said}",
                hint="Is the database's disk full? Its log may say more.",
            )
        flaws = self._flaws(session)
        if flaws:
            raise LoadError(f"the tables that sysbench made are not right: {'; '.join(flaws)}")
        tables.mark_complete(session, self._schema)

    def _flaws(self, session: Session) -> list[str]:
        return flaws_of(self._state(session), self._size)

    def _state(self, session: Session) -> State:
        counted = [session.rows(_rows_of(name, self._size))[0] for name in self._names]
        digests = session.rows(f"CHECKSUM TABLE {', '.join(self._names)}") if self._script in _READS_ONLY else []
        counter = _COUNTERS.get(self._script, _COMMITS)
        [(_, done)] = session.rows("SHOW GLOBAL STATUS WHERE Variable_name = %s", counter)
        return State(
            rows=tuple(int(rows) for rows, _ in counted),
            wrong=tuple(int(wrong) for _, wrong in counted),
            digest=tuple(int(digest or 0) for _, digest in digests),
            done=int(done),
        )


def _at_its_end(making: Program, session: Session) -> str:
    """Wait for its end; return what went wrong in its own words: the last ones are of threads that went on."""
    fatal: list[str] = []
    wait_for_tables(making, session, lambda line: fatal.append(line.text) if "FATAL" in line.text else None)
    return " / ".join(fatal[:_MOST_MAKERS]) or making.last_words


def _rows_of(name: str, size: int) -> str:
    return f"SELECT count(*), coalesce(sum(id NOT BETWEEN 1 AND {size}), 0) FROM {name}"  # noqa: S608 - names of ours


def flaws_of(state: State, size: int) -> list[str]:
    """Return what is not as it must be whenever nobody is in a transaction: each key from 1 to the size once."""
    named = zip(tables.names(len(state.rows)), state.rows, state.wrong, strict=True)
    return [
        f"{name} has {rows} rows, not {size}" if rows != size else f"{name} has {wrong} rows of other keys"
        for name, rows, wrong in named
        if rows != size or wrong
    ]


def after_users(before: State, after: State, size: int, totals: Totals) -> LoadCheck:
    """Compare tables and server with what sysbench says it did.

    The rule: every table still has each of its keys once (rows are deleted and inserted again in one transaction); what
    users only read is as it was, to the byte; the server itself counted at least as many commits, or queries where
    there are none, as sysbench says; and its lines did not tell of more events than its closing words.
    """
    told, counted = totals.told or 0, after.done - before.done
    flaws = [
        *flaws_of(after, size),
        "the tables were changed, and users only read" if before.digest != after.digest else "",
        f"the server counted {counted} only" if counted < totals.tuples else "",
        f"its lines told of {told}" if told > totals.tuples else "",
    ]
    words = f"sysbench says it completed {totals.tuples} events; {sum(after.rows)} rows in {len(after.rows)} tables"
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def open_workload(load: LoadSpec) -> SysbenchWorkload:
    """Return the tables' side of one load."""
    return SysbenchWorkload(load)
