"""Guard on a remote host, armed before the first change.

A small process on the host (`guard.sh`) waits for heartbeats. Without heartbeats, or after a hard time limit, the guard
closes the write lock and restores the originals. Every change of the host needs the write lock, so no late change is
possible. docs/explanation/guard.md describes the sequence.
"""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Sequence
from typing import NoReturn

from scheduler.errors import GuardFired, HostError, HostNotUsable
from scheduler.hosts.remote.guard_commands import (
    BASE,
    CANNOT_WRITE,
    DEAD,
    FOLLOWING,
    GONE,
    LOCK_WAIT_S,
    NOT_PERMITTED,
    REFUSED,
    GuardCommands,
    guard_message,
    is_guard_answer,
    raise_guard_error,
)
from scheduler.hosts.remote.guard_heartbeat import SLOW_FRAC, Heartbeat
from scheduler.hosts.remote.guard_program import HELPER
from scheduler.hosts.remote.guard_state import GuardState, fire_guard, read_guard_state, remove_guard_folder
from scheduler.hosts.remote.shell import TIMEOUT_S, CommandResult, Shell
from scheduler.translation import _

log = logging.getLogger(__name__)

TTL_S = 60
HARD_S = 12 * 3600
_TTL_RANGE_S = (4, 3600)


def new_token() -> str:
    """Return a token for a sweep; store it in the undo record before arming the guard."""
    return secrets.token_hex(8)


def holder_name(*, follows: bool = False) -> str:
    """Return the name of this process and computer, for users who find the host busy.

    The name holds no secret.

    Args:
        follows: True for a follow, False for a sweep.
    """
    return f"process {os.getpid()} on {socket.gethostname()}{FOLLOWING if follows else ''}"


class Guard:
    """Guard of one sweep; several threads may call its methods.

    Args:
        shell: Shell of the host; several threads may call its `run` at once.
        base: Folder on the host that a reboot empties.
        token: Token of the sweep, letters and digits (`new_token`).
        sudo: Command prefix for root; empty for root.
        helper: Path of the installed helper, used with `sudo`.
        on_lost: Called once when the guard has fired or died, after an attempt to restore the host.
    """

    def __init__(
        self,
        shell: Shell,
        base: str = BASE,
        token: str = "",
        sudo: Sequence[str] = (),
        *,
        helper: str = HELPER,
        on_lost: Callable[[str], None] | None = None,
    ) -> None:
        self.token = token or new_token()
        self.words = GuardCommands(shell, base, sudo, helper)
        self._where = shell.where
        self._on_lost = on_lost
        self._heart: Heartbeat | None = None
        self._lost = ""
        self._restored = False
        self._trouble = ""
        self._giving_way = threading.Lock()

    @property
    def armed(self) -> bool:
        """True from `arm` to `release`, unless the guard is known to have fired or died."""
        return self._heart is not None and not self._lost

    def arm(
        self,
        restore_script: str,
        ttl_s: int = TTL_S,
        hard_s: int = HARD_S,
        holder: str = "",
        *,
        by_hand: bool = False,
    ) -> None:
        """Claim the host, leave its restore commands there, start guard and heartbeat.

        Args:
            restore_script: Lines from `guard_script.restore_lines`. Without the helper, any POSIX sh text that sets
                `rc=1` after a failed restore.
            ttl_s: Seconds from the last heartbeat until the guard fires, 4..3600.
            hard_s: Seconds from arming until the guard fires in any case, >= `ttl_s`.
            holder: Name of the owner; `holder_name` when empty.
            by_hand: Send heartbeats only by `check_guard`, as in a follow. A stuck process then counts as dead.

        Raises:
            HostBusy: Another sweep owns the host.
                HostNotUsable, HostUnreachable: The guard could not be armed. Do not change the host after any error.
        """
        low, high = _TTL_RANGE_S
        if not low <= ttl_s <= high or hard_s < ttl_s or not restore_script.strip():
            raise HostNotUsable(
                _(
                    "{where}: no guard with a time limit of {ttl_s} s ({low}..{high}), a hard limit of "
                    "{hard_s} s (at least that) and {count} bytes to restore by (at least one line)"
                ).format(where=self._where, ttl_s=ttl_s, low=low, high=high, hard_s=hard_s, count=len(restore_script))
            )
        self.words.arm(restore_script, self.token, ttl_s, hard_s, holder or holder_name(follows=by_hand))
        log.info("guard %s armed on %s: fires %s s after the last heartbeat", self.token, self._where, ttl_s)
        self._heart = Heartbeat(self.words, self.token, ttl_s, self._handle_lost_guard)
        if not by_hand:
            self._heart.start()

    def check(self) -> None:
        """Raise GuardFired when a heartbeat found the guard dead or fired; cheap."""
        if self._lost:
            self._raise_guard_fired()

    def unresponsive_reason(self) -> str:
        """Return the reason to leave the current split before the guard fires; else empty.

        Asks the host nothing.
        """
        if self._heart is None or self._lost:
            return ""
        silent_s, ttl_s = self._heart.silent_s, self._heart.ttl_s
        if silent_s < SLOW_FRAC * ttl_s:
            return ""
        return _("no heartbeat was answered for {silent_s:.0f} of the {ttl_s:g} s after which the guard fires").format(
            silent_s=silent_s, ttl_s=ttl_s
        )

    def check_guard(self) -> None:
        """Check on the host that the guard is alive; raise GuardFired, HostUnreachable."""
        if self._heart is not None and not self._lost:
            self._heart.check_guard()
        self.check()

    def run_under_lock(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> CommandResult:
        """Make one change under the host's lock, if the guard is alive and has not fired.

        Args:
            argv: The command; ended on the host after `timeout_s` (exit code 124).
            timeout_s: Time limit, seconds, >= 1.

        Raises:
            GuardFired: The change was not made. The host was restored, or the message gives the reason why not.
            HostUnreachable: The change may have been made.
        """
        if self._heart is None:
            raise GuardFired(
                _("{where}: the guard is not armed, so nothing is changed").format(where=self._where), restored=True
            )
        self.check()
        words = ("run", self.token, str(max(1, int(timeout_s))), *argv)
        answer = self.words.say(*words, timeout_s=timeout_s + LOCK_WAIT_S)
        if is_guard_answer(answer, REFUSED, DEAD):
            self._handle_lost_guard(guard_message(answer))
            self._raise_guard_fired()
        if is_guard_answer(answer, CANNOT_WRITE, NOT_PERMITTED):
            raise_guard_error(answer, self._where, _("carry out {argv!r}").format(argv=" ".join(argv)))
        return answer

    def release(self, verify: Callable[[], None] | None = None) -> GuardState:
        """Restore the originals under the lock, verify them, and remove the guard.

        Args:
            verify: Reads the originals back and raises for a difference; the guard then stays armed and fires.

        Returns:
            The state `none`; or `fired` when a guest is gone and the guard waits for its return from a reboot.

        Raises:
            HostError: The host is not restored or not reachable. The heartbeat ends, so the guard fires by itself.
        """
        if self._heart is None:
            return GuardState(self._where)
        try:
            self._restore_originals()
            if verify is not None:
                verify()
        finally:
            self._heart.stop()
        if not remove_guard_folder(self.words, self.token):
            self._remove_fired_guard()
        self._heart = None
        return read_guard_state(self.words)

    def abandon(self) -> None:
        """Stop the heartbeat, so that the guard fires by itself.

        Never raises. May be called twice.
        """
        if self._heart is not None:
            self._heart.stop()

    def state(self) -> GuardState:
        """Return the guard's state on the host."""
        return read_guard_state(self.words)

    def _restore_originals(self) -> None:
        answer = self.words.say("putback", self.token)
        if is_guard_answer(answer, REFUSED, DEAD) or answer.code == GONE:
            # The guard fired in the meantime. Or a guest is gone, and only a fired guard waits for a guest.
            fire_guard(self.words, self.token)
        else:
            raise_guard_error(answer, self._where, _("restore everything"))

    def _remove_fired_guard(self) -> None:
        """Remove a guard that fired between the restore and `disarm`.

        This guard has restored the same originals again.
        """
        fire_guard(self.words, self.token)
        remove_guard_folder(self.words, self.token)

    def _handle_lost_guard(self, reason: str) -> None:
        """Restore the host at once after the guard was lost; never raise."""
        with self._giving_way:
            if self._lost:
                return
            self._lost = reason
            log.warning("guard %s on %s: %s", self.token, self._where, reason)
            self._restore_now()
        if self._on_lost is not None:
            self._on_lost(reason)

    def _raise_guard_fired(self) -> NoReturn:
        """Raise GuardFired with the outcome of the restore, which is tried again."""
        with self._giving_way:
            if not self._restored:
                self._restore_now()
        if self._restored:
            hint = _("Was the connection lost or this computer asleep for longer than the guard waits?")
            raise GuardFired(
                _("{where}: {lost}; the host was restored").format(where=self._where, lost=self._lost),
                restored=True,
                hint=hint,
            )
        raise GuardFired(
            _("{where}: {lost}; the host could not be restored now: {trouble}").format(
                where=self._where, lost=self._lost, trouble=self._trouble
            ),
            restored=False,
            hint=_("Run 'domtune restore' once the host can be reached."),
        )

    def _restore_now(self) -> None:
        self.abandon()
        try:
            self._restored = fire_guard(self.words, self.token)
            self._trouble = _("the guard has no state of this sweep any more")
            remove_guard_folder(self.words, self.token)  # The folder stays while the guard waits for a guest.
        except (HostError, OSError) as error:
            self._trouble = str(error)
