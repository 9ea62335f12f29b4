"""Changes of a sweep on a guarded host, and their restore, for every toolstack."""

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

_EBUSY = "Device or resource busy"


class CanSetDomains(CanBeGuarded, Protocol):
    """The domains and their toolstack's commands."""

    def steps(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that set the split of a trial; raise ParameterRefused.

        Args:
            domain: The domain.
            params: Parameters to set.
        """
        ...

    def back(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that restore original parameters; raise ParameterRefused.

        Args:
            domain: The domain.
            params: Parameters to set.
        """
        ...

    def typed(self, steps: Sequence[Argv]) -> list[Argv]:
        """Return commands as a person types them."""
        ...

    def find(self, domain: DomainId) -> bool:
        """Find a domain, which may have been restarted; return False when it is gone.

        Raises:
            HostError: The domains cannot be listed.
        """
        ...

    def refuse(self, domain: DomainId, line: str, answer: CommandResult) -> HostError:
        """Return the error for a failed command.

        Args:
            domain: The domain.
            line: The command as text.
            answer: Result of the command.
        """
        ...


class GuardedChanges:
    """Changes of a sweep under the guard's write lock, each read back.

    Args:
        guarding: The guard.
        sides: The domains and their toolstack's commands.
        command_log: Called with each command and its answer.
        left: True on the host of a dead sweep, where changes only restore.

    Attributes:
        found: Live parameters when the host was surveyed.
    """

    def __init__(self, guarding: GuardSession, sides: CanSetDomains, command_log: CommandLog, *, left: bool) -> None:
        self._guarding = guarding
        self._sides = sides
        self._command_log = command_log
        self._left = left
        self._taken_over = False
        self._withdrawn: set[DomainId] = set()
        self._known: dict[DomainId, SchedParams | None] = {}  # last values read back
        self.found: Mapping[DomainId, SchedParams | None] = {}

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the live parameters; None when the domain is gone. Raise HostError."""
        self._take_over()
        self._known[domain] = params = self._sides.read(domain)
        return params

    def lines(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        """Return the commands of `write` as lines to type; raise ParameterRefused.

        Args:
            domain: The domain.
            params: As in `write`.
        """
        return tuple(format_command(argv) for argv in self._sides.typed(self._plan_commands(domain, params)))

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set parameters with the guard armed; a restore needs no guard.

        Args:
            domain: The domain.
            params: Parameters to set.

        Raises:
            HostError: The parameters were not set.
        """
        self._take_over()
        self._plan_commands(domain, params)  # refuse wrong parameters before the guard is armed
        if not self._is_restoring(domain, params):
            self._withdrawn.clear()
            self._guarding.guard_slot(domain)
            self._guarding.arm()
        try:
            self._set_params(domain, params)
        except DomainGone:
            # Restore the originals of a restarted domain, too; every other change must stop.
            if not (self._is_restoring(domain, params) and self._sides.find(domain)):
                raise
            self._set_params(domain, params)

    def release_domain(self, domain: DomainId) -> None:
        """Release the guard once all guarded settings are restored; raise HostError."""
        self._withdrawn.add(domain)
        if self._withdrawn.issuperset(self._guarding.slots) and self._is_restored():
            self._guarding.release()

    def _take_over(self) -> None:
        """Restore the changes of a dead sweep by its own guard, once."""
        if not self._left or self._taken_over:
            return
        state = self._guarding.take_over()
        self._command_log("# state that the guard of the dead sweep left", state.text)
        for domain in self._guarding.slots:
            self._sides.find(domain)
        self._taken_over = True

    def _is_restored(self) -> bool:
        originals = self._guarding.originals
        return all(self._known.get(domain) in (None, originals.get(domain)) for domain in self._guarding.slots)

    def _is_restoring(self, domain: DomainId, params: SchedParams | None) -> bool:
        """Return True for a write of original parameters.

        Such a write needs no guard, and follows a restarted domain.
        """
        if self._left:
            return True
        original = self._guarding.originals.get(domain)
        return params == (self.read(domain) if original is None else original)

    def _plan_commands(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        back = self._left or params in (self.found.get(domain), self._guarding.originals.get(domain))
        return self._sides.back(domain, params) if back else self._sides.steps(domain, params)

    def _set_params(self, domain: DomainId, params: SchedParams | None) -> None:
        """Set all parameters; after a broken connection, read back before a retry."""
        try:
            self._set_once(domain, params)
        except HostUnreachable as error:
            log.warning("%s; reading back", error)
            if self.read(domain) == params:
                self._command_log(f"# the connection broke; {domain} reads back as written", str(error))
                return
            self._set_once(domain, params)

    def _set_once(self, domain: DomainId, params: SchedParams | None) -> None:
        steps = self._plan_commands(domain, params)
        for step, argv in zip(steps, self._sides.typed(steps), strict=True):
            answer = self._guarding.change(step)
            if answer.code and _EBUSY in answer.said:  # Dom0's kernel pins a vCPU of its own for a moment
                answer = self._guarding.change(step)
            self._command_log(format_command(argv), answer.said)
            if answer.code:
                raise self._sides.refuse(domain, format_command(argv), answer)
