"""COPY into a table, and what the server says when it ends one in the middle."""

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO

import psycopg2
import psycopg2.extensions


def copy_in(cursor: psycopg2.extensions.cursor, command: str, source: BinaryIO) -> None:
    """Send `source` by COPY FROM STDIN.

    A server that ends the connection in the middle (its disk is full, somebody stops it) has said why before. psycopg2
    2.9 stumbles over that error: it hands it to sys.excepthook, which would print a traceback, and raises "invalid
    socket" in its place. Here the server's own is raised.

    Args:
        cursor: Of a connection without another statement under way.
        command: `COPY ... FROM STDIN ...`.
        source: What is read to its end.

    Raises:
        psycopg2.Error: As the server says.
    """
    fallen: list[BaseException] = []

    def keep(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        fallen.append(error)

    before, sys.excepthook = sys.excepthook, keep
    try:
        cursor.copy_expert(command, source)
    except psycopg2.Error as error:
        told = next(
            (cause for each in fallen for cause in _walk_causes(each) if isinstance(cause, psycopg2.Error)), error
        )
        raise told from (None if told is error else error)
    finally:
        sys.excepthook = before


def _walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
