"""What a sweep changes on a host behind a guard, and how that is put back: the same for every toolstack."""

import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

from scheduler.errors import DomainGone, HostError, HostUnreachable
from scheduler.hosts.protocols import CommandLog
from scheduler.hosts.remote.guard_session import CanBeGuarded, GuardSession
from scheduler.hosts.remote.shell import CommandResult
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.toolstacks.command_words import Argv, format_command

log = logging.getLogger(__name__)


class CanSetDomains(CanBeGuarded, Protocol):
    """The two domains, as their toolstack sets them."""

    def steps(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that set what is measured; raises ParameterRefused."""
        ...

    def back(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that put back what was found; raises ParameterRefused."""
        ...

    def typed(self, steps: Sequence[Argv]) -> list[Argv]:
        """Return commands as somebody types them."""
        ...

    def find(self, domain: DomainId) -> bool:
        """Look for the domain, which may have begun another life; False when it is gone. Raises HostError."""
        ...

    def refuse(self, domain: DomainId, line: str, answer: CommandResult) -> HostError:
        """Return the error for a command that failed."""
        ...


class GuardedChanges:
    """Every change of a sweep: behind the guard, read back, put back.

    Args:
        guarding: The guard.
        sides: The two domains.
        ledger: Told every change.
        left: True on the host of a dead sweep, where everything is only put back.

    Attributes:
        found: What was set when the host was looked at.
    """

    def __init__(self, guarding: GuardSession, sides: CanSetDomains, ledger: CommandLog, *, left: bool) -> None:
        self._guarding = guarding
        self._sides = sides
        self._ledger = ledger
        self._left = left
        self._taken_over = False
        self._withdrawn: set[DomainId] = set()
        self._known: dict[DomainId, SchedParams | None] = {}  # as last read back
        self.found: Mapping[DomainId, SchedParams | None] = {}

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return what is set now; None when the domain is gone. Raises HostError."""
        self._take_over()
        self._known[domain] = params = self._sides.read(domain)
        return params

    def lines(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        """Return what `write` would do, as lines that can be typed; raises ParameterRefused."""
        return tuple(format_command(argv) for argv in self._sides.typed(self._plan_commands(domain, params)))

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set parameters, with the guard armed unless this puts back; raises HostError."""
        self._take_over()
        self._plan_commands(domain, params)  # refuse before anything is armed
        if not self._is_restoring(domain, params):
            self._withdrawn.clear()
            self._guarding.arm()
        try:
            self._set_params(domain, params)
        except DomainGone:
            # What is put back is put back on the new life of a domain, too; everything else must stop.
            if not (self._is_restoring(domain, params) and self._sides.find(domain)):
                raise
            self._set_params(domain, params)

    def release_domain(self, domain: DomainId) -> None:
        """Let the guard go once everything that it guards is back as found; raises HostError."""
        self._withdrawn.add(domain)
        if self._withdrawn.issuperset(self._guarding.slots) and self._is_restored():
            self._guarding.release()

    def _take_over(self) -> None:
        """Put back what a dead sweep left, by its own guard where that is still there; once."""
        if not self._left or self._taken_over:
            return
        state = self._guarding.take_over()
        self._ledger("# what the guard of the dead sweep left", state.text)
        for domain in self._guarding.slots:
            self._sides.find(domain)
        self._taken_over = True

    def _is_restored(self) -> bool:
        originals = self._guarding.originals
        return all(self._known.get(domain) in (None, originals.get(domain)) for domain in self._guarding.slots)

    def _is_restoring(self, domain: DomainId, params: SchedParams | None) -> bool:
        """Return True for a write that only puts back: it needs no guard, and follows a domain into a new life."""
        if self._left:
            return True
        original = self._guarding.originals.get(domain)
        return params == (self.read(domain) if original is None else original)

    def _plan_commands(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        back = self._left or params in (self.found.get(domain), self._guarding.originals.get(domain))
        return self._sides.back(domain, params) if back else self._sides.steps(domain, params)

    def _set_params(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set everything; when the connection breaks, read back before deciding to do it again."""
        try:
            self._set_once(domain, params)
        except HostUnreachable as error:
            log.warning("%s; reading back", error)
            if self.read(domain) == params:
                self._ledger(f"# the connection broke; {domain} reads back as written", str(error))
                return
            self._set_once(domain, params)

    def _set_once(self, domain: DomainId, params: SchedParams | None) -> None:
        steps = self._plan_commands(domain, params)
        for step, argv in zip(steps, self._sides.typed(steps), strict=True):
            answer = self._guarding.change(step)
            self._ledger(format_command(argv), answer.said)
            if answer.code:
                raise self._sides.refuse(domain, format_command(argv), answer)
