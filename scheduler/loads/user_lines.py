"""State and answers of one user, wherever its process runs."""

from typing import Protocol

import msgspec

from scheduler.errors import LoadDied
from scheduler.loads.user_messages import (
    BeginOrder,
    ColdAnswer,
    FailedAnswer,
    ParkedAnswer,
    ReadyAnswer,
    UserAnswer,
    UserTotals,
    decode_answer,
)
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.translation import _


class ClientComputer(Protocol):
    """Computer on which users run, other than the one of the user pool."""

    @property
    def name(self) -> str:
        """Name of the computer in messages and results."""
        ...

    @property
    def cpus(self) -> float:
        """Number of CPUs for the users only, > 0."""
        ...

    @property
    def clock_error_s(self) -> float:
        """Largest error of the times that the users report, seconds, >= 0."""
        ...


class UserLines:
    """Answers of a user so far.

    Args:
        begin: First order of the user.
        probe: True for the probe reader.
        machine: Computer of the user; None for this computer.
    """

    def __init__(self, begin: BeginOrder, *, probe: bool = False, machine: ClientComputer | None = None) -> None:
        self.number = begin.user
        self.probe = probe
        self.machine = machine
        self.ready = False
        self.parked = False
        self.cold = False
        self.totals: UserTotals | None = None
        self._kind = begin.kind
        self._buffer = b""

    @property
    def name(self) -> str:
        """Name of the user in messages."""
        where = _(" on {machine}").format(machine=self.machine.name) if self.machine is not None else ""
        who = (
            _("the probe reader of {kind}").format(kind=self._kind)
            if self.probe
            else _("user {number} of {kind}").format(number=self.number, kind=self._kind)
        )
        return f"{who}{where}"

    def read(self, chunk: bytes) -> list[UserAnswer]:
        """Return the answers that are complete with this piece of output."""
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        answers = [self._decode_answer(line) for line in lines]
        if len(self._buffer) > MOST_LINE_BYTES:
            self._buffer = b""
            answers.append(FailedAnswer(_("it answered with a line that does not end"), "", LoadDied.__name__))
        return answers

    def _decode_answer(self, line: bytes) -> UserAnswer:
        try:
            answer = decode_answer(line)
        except msgspec.MsgspecError as error:
            return FailedAnswer(_("unreadable answer ({error})").format(error=error), "", LoadDied.__name__)
        match answer:
            case ReadyAnswer():
                self.ready = True
            case ParkedAnswer():
                self.parked = True
            case ColdAnswer():
                self.cold = True
            case UserTotals():
                self.totals = answer
            case _:
                pass
        return answer
