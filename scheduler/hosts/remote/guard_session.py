"""Guard of a sweep: armed before the first change, released after the restore."""

import logging
import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from scheduler.errors import GuardFired, HostBusy, HostError
from scheduler.hosts.protocols import CommandLog
from scheduler.hosts.remote.guard import TTL_S, Guard
from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_script import RestoreCommands, restore_lines
from scheduler.hosts.remote.guard_state import GuardState, read_guard_state, remove_guard_folder, restore_leftover
from scheduler.hosts.remote.shell import CommandResult, Shell
from scheduler.model.placement import is_other_place
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.translation import _
from scheduler.waiting import wait_until

log = logging.getLogger(__name__)

DOMAINS = (IO, GUEST)
_HARD_S = 72 * 3600  # beyond the longest plan; the heartbeat decides
_CHANGE_S = 30.0
_LOG_LINES = 5
_GUEST_S, _EVERY_S = 20.0, 0.2  # a guest takes a moment to use a vCPU or to stop using a vCPU
_ANEW = "x"  # between the sweep's token, which is hexadecimal, and the number of the arming


class CanBeGuarded(Protocol):
    """The domains that are guarded."""

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the live parameters; None when the domain is gone. Raise HostError."""
        ...

    def name(self, domain: DomainId) -> str:
        """Return the host's name of a domain."""
        ...

    def restore_commands(self, domain: DomainId, params: SchedParams) -> RestoreCommands:
        """Return the commands that set these parameters, for any later number.

        Args:
            domain: The domain.
            params: Original parameters.

        Raises:
            ParameterRefused: A value cannot be set.
        """
        ...


class GuardSession:
    """The guard through which all changes of a host go.

    Args:
        shell: Shell of the host.
        values: Parameters of the domains.
        base: Folder of the guard on the host.
        sudo: Command prefix for root; empty for root.
        token: Token of the sweep, as in the undo record.
        command_log: Called when the guard is armed and released.
    """

    def __init__(
        self, shell: Shell, values: CanBeGuarded, base: str, sudo: Sequence[str], token: str, command_log: CommandLog
    ) -> None:
        self._shell = shell
        self._values = values
        self._command_log = command_log
        self._token = token
        self._base = base
        self._sudo = tuple(sudo)
        self._guard: Guard | None = None
        self._fired = False
        self._armings = 0
        self._hard_s, self._by_hand = _HARD_S, False
        self._in_doubt = False  # from the loss of a guard until every original has been read back
        self.words = GuardCommands(shell, base, sudo)
        self.originals: Mapping[DomainId, SchedParams] = {}
        self.slots: tuple[DomainId, ...] = DOMAINS

    @property
    def armed(self) -> bool:
        """True while changes are allowed."""
        return self._guard is not None

    @property
    def armings(self) -> int:
        """Number of guards that were armed, >= 0."""
        return self._armings

    def guard_slot(self, slot: DomainId) -> None:
        """Add a setting to the guarded ones; raise HostError once the guard is armed."""
        if slot in self.slots:
            return
        if self._guard is not None:
            raise HostError(
                _("{where}: the guard is armed already, without {slot}: nothing was changed").format(
                    where=self._shell.where, slot=slot
                )
            )
        self.slots = (*self.slots, slot)

    def arm(self) -> None:
        """Read the originals twice, leave them with the guard, and start the guard.

        No parameter is changed.

        Raises:
            HostError: The originals differ, or the guard cannot be armed.
        """
        if self._guard is not None:
            return
        # An other guest that has ended has nothing to restore.
        slots = [slot for slot in self.slots if not is_other_place(slot) or self._values.read(slot) is not None]
        originals = {domain: self._read_original(domain) for domain in slots}
        if self._in_doubt:
            self._refuse_foreign_values(originals)
        lines = restore_lines(self._values.restore_commands(domain, params) for domain, params in originals.items())
        guard = Guard(self._shell, self._base, self._next_token(), self._sudo)
        guard.arm(lines, ttl_s=TTL_S, hard_s=self._hard_s, by_hand=self._by_hand)
        self.words = guard.words
        self._guard, self.originals = guard, originals
        self._in_doubt = self._fired = False
        self._command_log(f"# the guard is armed; {TTL_S} s after the last heartbeat it does", lines.strip())

    def follow(self, hard_s: float) -> None:
        """Arm the guard for a limited time, with heartbeats by `check_guard` only.

        Args:
            hard_s: Seconds until the guard fires in any case.

        Raises:
            HostError: The guard cannot be armed.
        """
        self._hard_s, self._by_hand = math.ceil(hard_s), True
        self.arm()

    def change(self, argv: Sequence[str]) -> CommandResult:
        """Make one change under the guard's write lock, or without a guard.

        Without a guard, the change needs a host that no sweep owns. A restore may run without a guard.

        Args:
            argv: The command.

        Raises:
            GuardFired: The change was not made.
            HostBusy: Another sweep owns the host.
            HostUnreachable: The change may have been made.
        """
        if self._guard is None:
            return self.words.alone(argv, timeout_s=_CHANGE_S)
        with self._record_fired_guard():
            return self._guard.run_under_lock(argv, timeout_s=_CHANGE_S)

    def check(self) -> None:
        """Raise GuardFired when a heartbeat found the guard dead or fired.

        Asks the host only after such a finding.
        """
        if self._guard is not None:
            with self._record_fired_guard():
                self._guard.check()

    def unresponsive_reason(self) -> str:
        """Return the reason to leave the current split before the guard fires; else empty.

        Asks the host nothing.
        """
        return self._guard.unresponsive_reason() if self._guard is not None else ""

    def check_guard(self) -> None:
        """Check on the host that the guard is alive; raise GuardFired, HostUnreachable."""
        if self._guard is not None:
            with self._record_fired_guard():
                self._guard.check_guard()

    def rearm_guard(self) -> None:
        """Restore the originals by the old guard, verify them, and arm a new guard.

        May be called again after an error: the originals are those of the first arming until they have been verified.

        Raises:
            HostError: An original is not restored, or the guard cannot be armed.
        """
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.abandon()
        self._in_doubt = self._in_doubt or bool(self.originals)
        state = self.take_over()
        if state.changed:
            raise HostError(
                f"{self._shell.where}: {state.text}",
                hint=_("Run 'domtune restore'. If the guard is restoring the host now, wait for its end first."),
            )
        if (vcpus := self.originals.get(GUEST_VCPUS)) is not None:  # The guest's kernel follows a moment later.
            wait_until(lambda: self._values.read(GUEST_VCPUS) in (None, vcpus), _GUEST_S, _EVERY_S)
        self.arm()
        self._command_log("# the guard had fired; every original reads back, and a new one is armed", state.text)

    @contextmanager
    def _record_fired_guard(self) -> Generator[None]:
        try:
            yield
        except GuardFired:
            self._guard, self._fired, self._in_doubt = None, True, True
            raise

    def release(self) -> None:
        """Restore and verify the originals, and remove the guard.

        Raises:
            HostError: The host is not restored; the guard fires by itself.
        """
        guard, self._guard = self._guard, None
        if guard is None:
            return
        state = guard.release(self._verify_restored)
        self._command_log("# the guard restored the originals again and was removed", state.text)

    def close(self) -> None:
        """Release the guard, or leave it to fire by itself; never raise HostError."""
        try:
            self.release()
        except HostError as error:
            log.warning("the guard on %s stays armed and will fire: %s", self._shell.where, error)

    def disarm_restore(self) -> None:
        """Remove the guard and keep the current settings; raise HostError."""
        guard, self._guard = self._guard, None
        if guard is None:
            return
        guard.abandon()
        if not remove_guard_folder(guard.words, guard.token):
            raise HostError(
                _("{where}: the guard has fired meanwhile, so the settings were not kept").format(
                    where=self._shell.where
                )
            )
        self._command_log("# the guard was removed; the current settings stay", "")

    def take_over(self) -> GuardState:
        """Restore the host by the guard of a dead sweep, if any; remove that guard."""
        token = read_guard_state(self.words).token
        ours = token if token.partition(_ANEW)[0] == self._token else self._token
        return restore_leftover(self.words, ours, take_over=True)

    def state(self) -> GuardState:
        """Return the guard's state on the host; touch nothing. Raise HostError."""
        return read_guard_state(self.words)

    def failure_details(self) -> str:
        """Return the end of the log of a fired guard; empty for none. Never raise."""
        if not self._fired:
            return ""
        try:
            lines = self.state().log[-_LOG_LINES:]  # The log is gone with its folder after a complete restore.
        except HostError as error:
            return _("the guard's log on the host cannot be read: {error}").format(error=error)
        return "\n".join((_("the guard's log on the host:"), *lines)) if lines else ""

    def _next_token(self) -> str:
        """Return the sweep's token, with a suffix from the second arming on.

        A late command for the earlier guard is then refused.
        """
        self._armings += 1
        return self._token if self._armings == 1 else f"{self._token}{_ANEW}{self._armings}"

    def _refuse_foreign_values(self, originals: Mapping[DomainId, SchedParams]) -> None:
        """Raise HostError where a value differs from the original of the earlier guard."""
        for domain, params in originals.items():
            if params != self.originals.get(domain, params):
                raise HostError(
                    _(
                        "{where}: {domain} reads {words} after the guard restored {words_2}; DomTune does "
                        "not set it again"
                    ).format(
                        where=self._shell.where,
                        domain=self._values.name(domain),
                        words=params.words,
                        words_2=self.originals[domain].words,
                    ),
                    hint=_("Run 'domtune restore', and find the other program that sets it."),
                )

    def _read_original(self, domain: DomainId) -> SchedParams:
        first, second = self._values.read(domain), self._values.read(domain)
        name = self._values.name(domain)
        if first is None or first != second:
            raise HostBusy(
                _("{where}: {name} read {params}, then {params_2}: nothing was changed").format(
                    where=self._shell.where,
                    name=name,
                    params=_describe_params(first),
                    params_2=_describe_params(second),
                ),
                hint=_("Another program changes it at this moment; end that first."),
            )
        return first

    def _verify_restored(self) -> None:
        for domain, original in self.originals.items():
            got = self._values.read(domain)
            if got not in (None, original):
                raise HostError(
                    _("{domain} reads {params} after the guard put {params_2} back").format(
                        domain=domain, params=_describe_params(got), params_2=_describe_params(original)
                    )
                )


def _describe_params(params: SchedParams | None) -> str:
    return "nothing" if params is None else params.words
