"""Several commands in one session, which costs a busy Dom0 more than a command."""

import shlex
from collections.abc import Sequence

from scheduler.errors import HostError
from scheduler.hosts.remote.command_wrapping import new_mark
from scheduler.hosts.remote.shell import TIMEOUT_S, CommandResult, Shell
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _


def run_all(shell: Shell, commands: Sequence[Sequence[str]], *, timeout_s: float = TIMEOUT_S) -> list[CommandResult]:
    """Run commands one after the other, regardless of their exit codes.

    Args:
        shell: Shell of the host.
        commands: Argument lists.
        timeout_s: Seconds for all commands together.

    Returns:
        One answer per command, in order.

    Raises:
        HostUnreachable: The commands did not end in time.
        HostError: An answer is missing.
    """
    mark = new_mark()
    parts = (f"{shlex.join(command)} </dev/null; echo {mark} $?; echo {mark} >&2" for command in commands)
    every = shell.run(["sh", "-c", "; ".join(parts)], timeout_s=timeout_s)
    outs, errs = every.out.split(f"{mark} "), every.err.split(f"{mark}\n")
    if len(outs) != len(commands) + 1 or len(errs) != len(commands) + 1:
        raise HostError(
            _("{where}: only {count} of {count_2} answers came: {answer}").format(
                where=shell.where, count=len(outs) - 1, count_2=len(commands), answer=every.said[-200:]
            )
        )
    answers: list[CommandResult] = []
    body = outs[0]
    for rest, err in zip(outs[1:], errs, strict=False):
        code, _unused, after = rest.partition("\n")
        number = parse_whole_number(code, most=255)
        if number is None:
            raise HostError(
                _("{where}: a command ended with the code {code!r}, which is none").format(
                    where=shell.where, code=code[:40]
                )
            )
        answers.append(CommandResult(number, body, err))
        body = after
    return answers
