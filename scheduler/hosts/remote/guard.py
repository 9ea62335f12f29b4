"""The guard: a dead-man's switch on a remote host, armed before the first change.

On the host a small process (`guard.sh`) waits for heartbeats. When they stay away, or a hard time limit is over, it
closes the fence, so that no late change goes through any more, and puts the originals back. Everything that changes
the host goes through the fence; what happens when is told in docs/explanation/guard.md.
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

log = logging.getLogger(__name__)

TTL_S = 60
HARD_S = 12 * 3600
_TTL_RANGE_S = (4, 3600)


def new_token() -> str:
    """Return a token for a sweep; put it into the undo record before the guard is armed."""
    return secrets.token_hex(8)


def holder_name(*, follows: bool = False) -> str:
    """Return who holds the host, for others who find it busy: this computer and process, no secret."""
    return f"process {os.getpid()} on {socket.gethostname()}{FOLLOWING if follows else ''}"


class Guard:
    """The guard of one sweep; its methods may be called from several threads.

    Args:
        shell: Reaches the host; its `run` may be called from several threads at once.
        base: Folder on the host that a reboot empties.
        token: The sweep's, letters and digits (`new_token`).
        sudo: Words before a command that needs root; none when the account is root.
        helper: Where the helper is looked for when `sudo` is needed.
        on_lost: Called once when the guard has fired or died, after the host was put back if that is possible.
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
        """True from `arm` until `release`, or until the guard is known to have fired or died."""
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
        """Claim the host, leave there what puts it back, start the guard and the heartbeat.

        Args:
            restore_script: Lines from `guard_script.restore_lines`; without the helper also any POSIX sh that sets
                `rc=1` when something is not back.
            ttl_s: The guard fires so long after the last heartbeat, 4..3600 s.
            hard_s: The guard fires so long after arming in any case, at least `ttl_s`.
            holder: Who holds it; `holder_name` when empty.
            by_hand: Send no heartbeat but by `assure`, as what follows a host: what is stuck is then as good as dead.

        Raises:
            HostBusy: Another sweep holds the host.
            HostNotUsable, HostUnreachable: It could not be armed. In every case nothing may be changed.
        """
        low, high = _TTL_RANGE_S
        if not low <= ttl_s <= high or hard_s < ttl_s or not restore_script.strip():
            raise HostNotUsable(
                f"{self._where}: no guard with a time limit of {ttl_s} s ({low}..{high}), a hard limit of {hard_s} s "
                f"(at least that) and {len(restore_script)} bytes to restore by (at least one line)"
            )
        self.words.arm(restore_script, self.token, ttl_s, hard_s, holder or holder_name(follows=by_hand))
        log.info("guard %s armed on %s: fires %s s after the last heartbeat", self.token, self._where, ttl_s)
        self._heart = Heartbeat(self.words, self.token, ttl_s, self._handle_lost_guard)
        if not by_hand:
            self._heart.start()

    def check(self) -> None:
        """Raise GuardFired when the heartbeat found no living guard: cheap, to be called often."""
        if self._lost:
            self._raise_guard_fired()

    def unresponsive_reason(self) -> str:
        """Return why what is set must be left before the guard fires; empty while it hears of us. Asks nothing."""
        if self._heart is None or self._lost:
            return ""
        silent_s, ttl_s = self._heart.silent_s, self._heart.ttl_s
        if silent_s < SLOW_FRAC * ttl_s:
            return ""
        return f"no heartbeat was answered for {silent_s:.0f} of the {ttl_s:g} s after which the guard fires"

    def check_guard(self) -> None:
        """Ask whether the guard is there; raises GuardFired, HostUnreachable."""
        if self._heart is not None and not self._lost:
            self._heart.check_guard()
        self.check()

    def run_under_lock(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> CommandResult:
        """Carry out one change, if the guard is armed, alive and has not fired; under the host's lock.

        Args:
            argv: The command; ended on the host when it takes longer than `timeout_s` (exit code 124).
            timeout_s: At least 1.

        Raises:
            GuardFired: The change was not made; the host was put back, or the message says why not.
            HostUnreachable: Whether it was made is unknown.
        """
        if self._heart is None:
            raise GuardFired(f"{self._where}: the guard is not armed, so nothing is changed", restored=True)
        self.check()
        words = ("run", self.token, str(max(1, int(timeout_s))), *argv)
        answer = self.words.say(*words, timeout_s=timeout_s + LOCK_WAIT_S)
        if is_guard_answer(answer, REFUSED, DEAD):
            self._handle_lost_guard(guard_message(answer))
            self._raise_guard_fired()
        if is_guard_answer(answer, CANNOT_WRITE, NOT_PERMITTED):
            raise_guard_error(answer, self._where, f"carry out {' '.join(argv)!r}")
        return answer

    def release(self, verify: Callable[[], None] | None = None) -> GuardState:
        """Put everything back under the lock, let the caller read it back, disarm, take the folder away.

        Args:
            verify: Reads the originals back and raises when one is not there; the guard then stays armed and fires.

        Returns:
            `none`; or `fired` when a guest is gone and the guard waits whether it comes back from a reboot.

        Raises:
            HostError: The host is not put back or not reached; the guard fires by itself, since the heartbeat ends.
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
        """Stop the heartbeat, so that the guard fires by itself; never raises, may be called twice."""
        if self._heart is not None:
            self._heart.stop()

    def state(self) -> GuardState:
        """Return what the host says."""
        return read_guard_state(self.words)

    def _restore_originals(self) -> None:
        answer = self.words.say("putback", self.token)
        if is_guard_answer(answer, REFUSED, DEAD) or answer.code == GONE:
            # It fired by itself meanwhile; or a guest is gone, and only a guard that fired waits for it to come back.
            fire_guard(self.words, self.token)
        else:
            raise_guard_error(answer, self._where, "put everything back")

    def _remove_fired_guard(self) -> None:
        """Fired between putting back and disarming: the guard has put the same originals back once more."""
        fire_guard(self.words, self.token)
        remove_guard_folder(self.words, self.token)

    def _handle_lost_guard(self, reason: str) -> None:
        """There is no guard any more: put the host back at once, whoever noticed it; never raises."""
        with self._giving_way:
            if self._lost:
                return
            self._lost = reason
            log.warning("guard %s on %s: %s", self.token, self._where, reason)
            self._restore_now()
        if self._on_lost is not None:
            self._on_lost(reason)

    def _raise_guard_fired(self) -> NoReturn:
        """Say what became of the host, after another try if it is not back yet; raises GuardFired."""
        with self._giving_way:
            if not self._restored:
                self._restore_now()
        if self._restored:
            hint = "Was the way to the host cut, or this computer asleep, for longer than the guard waits?"
            raise GuardFired(f"{self._where}: {self._lost}; the host was put back", restored=True, hint=hint)
        raise GuardFired(
            f"{self._where}: {self._lost}; the host could not be put back now: {self._trouble}",
            restored=False,
            hint="Run 'domtune restore' once the host can be reached.",
        )

    def _restore_now(self) -> None:
        self.abandon()
        try:
            self._restored = fire_guard(self.words, self.token)
            self._trouble = "it knows nothing of this sweep any more"
            remove_guard_folder(self.words, self.token)  # not while the guard waits for a guest to come back
        except (HostError, OSError) as error:
            self._trouble = str(error)
