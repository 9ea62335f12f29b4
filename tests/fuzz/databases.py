"""Answers of PostgreSQL and MariaDB servers, spoilt at one place: connecting, looking at a database, counting."""

import contextlib
from collections.abc import Callable
from random import Random

from scheduler.databases.database_registry import connect_transactions, connect_user
from scheduler.loads.commit_counter import CommitCounter
from scheduler.loads.load_registry import open_loads
from scheduler.loads.statement_counter import StatementCounter
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import facts_of, spec_of
from tests.fuzz.spoiling import NUMBERS, PIECES, spoil_bytes
from tests.hostile_databases import (
    OK,
    READY,
    Listening,
    data_row,
    described,
    greeting,
    hostile,
    message,
    packet,
    read_message,
    read_packet,
    read_startup,
    result,
    welcome_words,
)
from tests.one_load import side_of

_PATIENCE_S = 0.05  # with a client that waits for what a spoilt length promised
Rows = list[list[bytes | None]]
_ODD: tuple[bytes | None, ...] = (None, b"", b"\xff\xfe", *(text.encode()[:200] for text in (*NUMBERS, *PIECES)))
_VERSIONS = ("10.11.6-MariaDB", "9.7.0", "8.0.36", "x.y", "", "10.", "5.5.5-10.4.2-MariaDB", "\xff.1")


class _Spoiler:
    """Spoils one of the answers of a conversation.

    Args:
        rng: Says which, and how.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._left = rng.randrange(14)

    def __call__(self, connection: Listening, answer: bytes) -> None:
        self._left -= 1
        if self._left == 0:
            connection.limit(_PATIENCE_S)
            answer = _spoil(self._rng, answer)
        connection.sendall(answer)


def _spoil(rng: Random, data: bytes) -> bytes:
    """Return bytes with a few of them wrong, a piece lacking, or a piece twice."""
    way = rng.random()
    at = rng.randrange(len(data))
    piece = data[at : at + rng.randrange(1, 12)]
    if way < 0.1:
        return spoil_bytes(rng, data)
    if way < 0.2:
        return data[:at] + data[at + len(piece) :]
    if way < 0.3:
        return data[:at] + piece + data[at:]
    wrong = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        wrong[rng.randrange(len(wrong))] = rng.choice((0, 1, 0x7F, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF, rng.randrange(256)))
    return bytes(wrong)


def _twisted(rng: Random, rows: Rows) -> Rows:
    """Return rows of which now and then one lacks, is twice, or holds another value; or a column lacks, or is new."""
    if rng.random() < 0.7:
        return rows
    rows = [list(row) for row in rows]
    way = rng.random()
    if way < 0.15:
        return []
    if way < 0.3:
        return rows + rows
    if way < 0.45:
        return [row[:-1] for row in rows]
    if way < 0.6:
        return [[*row, b"1"] for row in rows]
    for row in rows:
        row[rng.randrange(len(row))] = rng.choice(_ODD)
    return rows


def _mariadb(rng: Random) -> Callable[[Listening], None]:
    spoil, version = _Spoiler(rng), rng.choice(_VERSIONS) if rng.random() < 0.2 else _VERSIONS[0]

    def serve(connection: Listening) -> None:
        spoil(connection, greeting(version=version))
        number, _ = read_packet(connection)
        spoil(connection, packet(number + 1, OK))
        while True:
            spoil(connection, mariadb_answer(rng, read_packet(connection)[1][1:], version))

    return serve


def mariadb_answer(rng: Random, statement: bytes, version: str) -> bytes:
    said = statement.lower()
    for words, names, rows, kind in (
        (b"version()", [b"version()"], [[version.encode("latin1")]], 253),
        (b"questions", [b"Variable_name", b"Value"], [[b"Questions", b"812"]], 253),
        (b"show", [b"Variable_name", b"Value"], [[b"log_bin", b"OFF"], [b"max_connections", b"151"]], 253),
        (b"get_lock", [b"x"], [[b"1"]], 8),
        (b"privilege", [b"x"], [[b"1"]], 8),
        (b"select", [b"a", b"b"], [[b"12", b"34"]], 8),
    ):
        if words in said:
            kinds = (kind, 3, 8, 12, 246, 245)  # numbers, a date, a decimal, JSON
            return result(_twisted(rng, rows), names, kind if rng.random() < 0.9 else rng.choice(kinds))
    return packet(1, OK)


def _postgresql(rng: Random) -> Callable[[Listening], None]:
    spoil, version = _Spoiler(rng), rng.choice(("16.2", "x.y", "", "9999999999", "18devel"))

    def serve(connection: Listening) -> None:
        read_startup(connection)
        spoil(connection, welcome_words(version))
        while True:
            kind, body = read_message(connection)
            if kind == b"X":
                return
            spoil(connection, postgresql_answer(rng, body) + READY)

    return serve


_ABOUT: Rows = [[b"16.2", b"160002", b"f", b"f", b"UTF8", None, *([b"on"] * 8)]]


def postgresql_answer(rng: Random, query: bytes) -> bytes:
    for words, oids, rows in (
        (b"server_version_num", [25, 23, 16, 16, *([25] * 10)], _ABOUT),
        (b"xact_commit", [20, 701], [[b"812", b"1.5"]]),
        (b"track_counts", [25], [[b"on"]]),
        (b"privilege", [16], [[b"t"]]),
        (b"SELECT 1", [23], [[b"1"]]),
        (b"SELECT k", [23], [[b"1"]]),
        (b"SELECT", [25], []),
    ):
        if words in query:
            kinds = oids if rng.random() < 0.9 else [rng.choice((16, 20, 23, 701, 1082, 1700, 114)) for _ in oids]
            reported = b"".join(map(data_row, _twisted(rng, rows) if rows else []))
            return described([b"c"] * len(oids), kinds) + reported + message(b"C", b"SELECT 1\0")
    return message(b"C", b"SET\0")


def _looked_at(url: str) -> None:
    loads = open_loads(spec_of(LoadSpec("osdb-ir", database=url)), facts_of(), "", {url: "secret"})
    try:
        loads.preflight()
    finally:
        loads.close()


def _used(url: str, rng: Random) -> None:
    """Be a user, as its process does it: what a statement raises is the business of the net around it."""
    loads = open_loads(spec_of(LoadSpec("osdb-ir", database=url)), facts_of(), "", {url: "secret"})
    database = side_of(loads)._databases["osdb-ir"]
    if rng.random() < 0.5:
        user = connect_transactions(database.name, database.params, "x", 1, "READ COMMITTED")
    else:
        user = connect_user(database.name, database.params, "x", 1)
    with contextlib.closing(user), contextlib.suppress(Exception):
        user.rows(b"SELECT k FROM t")


def _counted(counter: Callable[[str], CommitCounter | StatementCounter], url: str) -> None:
    with contextlib.closing(counter(url)) as counts:
        for _ in range(3):
            counts.look()


def _with(serve: Callable[[Listening], None], scheme: str, act: Callable[[str], None]) -> None:
    with hostile(serve) as server:
        act(f"{scheme}://me@127.0.0.1:{server.port}/db")


def mariadb_session(rng: Random) -> object:
    return _with(_mariadb(rng), "mariadb", _looked_at)


def mariadb_user(rng: Random) -> object:
    return _with(_mariadb(rng), "mariadb", lambda url: _used(url, rng))


def mariadb_counter(rng: Random) -> object:
    return _with(_mariadb(rng), "mariadb", lambda url: _counted(StatementCounter, url))


def postgresql_session(rng: Random) -> object:
    return _with(_postgresql(rng), "postgresql", _looked_at)


def postgresql_user(rng: Random) -> object:
    return _with(_postgresql(rng), "postgresql", lambda url: _used(url, rng))


def postgresql_counter(rng: Random) -> object:
    return _with(_postgresql(rng), "postgresql", lambda url: _counted(CommitCounter, url))


_ALL = (mariadb_session, mariadb_user, mariadb_counter, postgresql_session, postgresql_user, postgresql_counter)
TARGETS = {each.__name__: each for each in _ALL}
