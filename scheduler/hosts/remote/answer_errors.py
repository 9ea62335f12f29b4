"""Errors of commands without a usable answer, which may have been carried out."""

from collections.abc import Sequence

from scheduler.children import MOST_BYTES
from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.translation import _


def no_answer_error(where: str, argv: Sequence[str], timeout_s: float) -> HostUnreachable:
    """Return the error of a command without an answer in time.

    Args:
        where: The host, for messages.
        argv: The command.
        timeout_s: The time limit, seconds.
    """
    return HostUnreachable(
        _("{where}: no answer within {timeout_s:g} s to '{argv}'").format(
            where=where, timeout_s=timeout_s, argv=argv[0]
        ),
        hint=_("Check the host and the network. The command may still have been carried out."),
    )


def broken_connection_error(where: str, argv: Sequence[str]) -> HostUnreachable:
    """Return the error of a command whose connection broke.

    Args:
        where: The host, for messages.
        argv: The command.
    """
    return HostUnreachable(
        _("{where}: the connection broke while '{argv}' ran").format(where=where, argv=argv[0]),
        hint=_("Whether it was carried out is not known; DomTune reads back before it goes on."),
    )


def output_too_long_error(where: str, argv: Sequence[str]) -> HostNotUsable:
    """Return the error of a command whose output exceeds the limit.

    Args:
        where: The host, for messages.
        argv: The command.
    """
    return HostNotUsable(
        _("{where}: '{argv}' answers with more than {most_bytes} MiB").format(
            where=where, argv=argv[0], most_bytes=MOST_BYTES >> 20
        ),
        hint=_("Run the program there by hand and check its output."),
    )
