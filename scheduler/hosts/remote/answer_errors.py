"""Errors of commands without a usable answer, which may have been carried out."""

from collections.abc import Sequence

from scheduler.children import MOST_BYTES
from scheduler.errors import HostNotUsable, HostUnreachable


def no_answer_error(where: str, argv: Sequence[str], timeout_s: float) -> HostUnreachable:
    """Return the error of a command without an answer in time.

    Args:
        where: The host, for messages.
        argv: The command.
        timeout_s: The time limit, seconds.
    """
    return HostUnreachable(
        f"{where}: no answer within {timeout_s:g} s to '{argv[0]}'",
        hint="Check the host and the network. The command may still have been carried out.",
    )


def broken_connection_error(where: str, argv: Sequence[str]) -> HostUnreachable:
    """Return the error of a command whose connection broke.

    Args:
        where: The host, for messages.
        argv: The command.
    """
    return HostUnreachable(
        f"{where}: the connection broke while '{argv[0]}' ran",
        hint="Whether it was carried out is not known; DomTune reads back before it goes on.",
    )


def output_too_long_error(where: str, argv: Sequence[str]) -> HostNotUsable:
    """Return the error of a command whose output exceeds the limit.

    Args:
        where: The host, for messages.
        argv: The command.
    """
    return HostNotUsable(
        f"{where}: '{argv[0]}' answers with more than {MOST_BYTES >> 20} MiB",
        hint="Run the program there by hand and check its output.",
    )
