"""COPY into a table, with the server's own error after an early end."""

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO

import psycopg2
import psycopg2.extensions


def copy_in(cursor: psycopg2.extensions.cursor, command: str, source: BinaryIO) -> None:
    """Send `source` by COPY FROM STDIN.

    A server that ends the connection early (its disk is full, or it is stopped) has sent the reason before. psycopg2
    2.9 mishandles that error: it passes the error to sys.excepthook, which would print a traceback, and raises "invalid
    socket" instead. This function raises the server's error.

    Args:
        cursor: Cursor of a connection without a running statement.
        command: `COPY ... FROM STDIN ...`.
        source: Data, read to the end.

    Raises:
        psycopg2.Error: The server's error.
    """
    fallen: list[BaseException] = []

    def keep(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        fallen.append(error)

    before, sys.excepthook = sys.excepthook, keep
    try:
        cursor.copy_expert(command, source)
    except psycopg2.Error as error:
        reported = next(
            (cause for each in fallen for cause in _walk_causes(each) if isinstance(cause, psycopg2.Error)), error
        )
        raise reported from (None if reported is error else error)
    finally:
        sys.excepthook = before


def _walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
