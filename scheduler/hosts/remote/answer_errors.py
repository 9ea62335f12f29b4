"""What is said when a command brought no answer that can be used; nobody knows then whether it was carried out."""

from collections.abc import Sequence

from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.hosts.remote.child_io import MOST_BYTES


def no_answer_error(where: str, argv: Sequence[str], timeout_s: float) -> HostUnreachable:
    """Return the error of a command whose time was over."""
    return HostUnreachable(
        f"{where}: no answer within {timeout_s:g} s to '{argv[0]}'",
        hint="Is the host overloaded or cut off? What was asked may still have been done.",
    )


def broken_connection_error(where: str, argv: Sequence[str]) -> HostUnreachable:
    """Return the error of a command under which the connection broke."""
    return HostUnreachable(
        f"{where}: the connection broke while '{argv[0]}' ran",
        hint="Whether it was carried out is not known; DomTune reads back before it goes on.",
    )


def output_too_long_error(where: str, argv: Sequence[str]) -> HostNotUsable:
    """Return the error of a command that says more than anybody asked for."""
    return HostNotUsable(
        f"{where}: '{argv[0]}' answers with more than {MOST_BYTES >> 20} MiB",
        hint="What does it print there? Is it the program that it should be?",
    )
