"""Commands of the guard, run on a host by its shell, and errors for exit codes."""

import os
from collections.abc import Sequence
from functools import cached_property

from scheduler import places
from scheduler.errors import HostBusy, HostError, HostNotUsable
from scheduler.hosts.remote.guard_program import HELPER, build_program, program_name
from scheduler.hosts.remote.shell import TIMEOUT_S, CommandResult, Shell
from scheduler.model.lock_owner import LockOwner, describe_lock
from scheduler.translation import _

BASE = "/run/domtune"

GONE = 3  # restored, but a guest is gone
REFUSED = 90
BUSY = 91
CANNOT_ARM = 92
DEAD = 93
CANNOT_WRITE = 94
NOT_PUT_BACK = 95
NOT_PERMITTED = 96

# Commands may wait 60 s for the lock, a restore 22 s per command, and `arm` for the guard.
_PATIENCE_S = 120.0
LOCK_WAIT_S = 70.0  # seconds that a change may wait for the lock before it starts, with a reserve
_CANNOT_OPEN = (2, 126, 127)  # shells' codes for a missing program: dash and busybox 2, bash 127
_VERSION = "domtune-guard 2"
FOLLOWING = ", following"  # follows the owner's name; without this text the host is swept
_SIGN = "domtune-guard: "
_PLACE = 'umask 077; mkdir -p "$1" && [ -O "$1" ] && [ ! -L "$1" ] && cat >"$1/$2.$3" && mv "$1/$2.$3" "$1/$2"'


class GuardCommands:
    """Guard commands for one host.

    Args:
        shell: Shell of the host.
        base: Folder on the host, on a file system that a reboot empties.
        sudo: Command prefix for root; empty for root.
        helper: Path of the installed helper, used with `sudo` (see `domtune host-setup`). Without a helper the program
            is sent along, which requires unrestricted sudo.
    """

    def __init__(self, shell: Shell, base: str = BASE, sudo: Sequence[str] = (), helper: str = HELPER) -> None:
        self.shell = shell
        self._base = base
        self._sudo = tuple(sudo)
        self._looked_for = helper
        self._placed = ""

    @cached_property
    def _installed_helper(self) -> str:
        """Path of the installed helper; empty for none.

        Raises:
            HostNotUsable: The helper is of another version.
        """
        if not self._sudo:
            return ""
        answer = self.shell.run([*self._sudo, self._looked_for, "version"], timeout_s=TIMEOUT_S)
        if answer.code == 0 and answer.out.strip() != _VERSION:
            raise HostNotUsable(
                _("{where}: {looked_for} is of another version: {out!r}").format(
                    where=self.shell.where, looked_for=self._looked_for, out=answer.out.strip()[:40]
                ),
                hint=_("Install the files of 'domtune host-setup' there again."),
            )
        return self._looked_for if answer.code == 0 else ""

    def say(self, *words: str, timeout_s: float = _PATIENCE_S) -> CommandResult:
        """Run one guard command; raise HostUnreachable.

        Only an armed guard leaves its program on the host.

        Args:
            *words: The command and its arguments.
            timeout_s: Time limit, seconds.
        """
        if self._installed_helper:
            return self.shell.run([*self._sudo, self._installed_helper, *words], timeout_s=timeout_s)
        if self._placed:
            answer = self.shell.run([*self._sudo, "sh", self._placed, self._base, *words], timeout_s=timeout_s)
            if answer.code not in _CANNOT_OPEN or self._placed not in answer.err:
                return answer
            # The program is gone after a reboot or a cleanup. A repeat is always safe: a change is made by `exec`,
            # after which the shell prints nothing, and all other commands may run twice.
            self._placed = ""
        argv = [*self._sudo, "sh", "-s", "--", self._base, *words]
        return self.shell.run(argv, timeout_s=timeout_s, stdin=build_program())

    def arm(self, lines: str, token: str, ttl_s: int, hard_s: int, holder: str) -> None:
        """Claim the host and start the guard; change no parameter.

        Args:
            lines: Restore commands.
            token: Token of the sweep.
            ttl_s: Seconds from the last heartbeat until the guard fires.
            hard_s: Seconds from arming until the guard fires in any case.
            holder: Name of the owner.

        Raises:
            HostBusy: Another sweep owns the host.
            HostNotUsable: The guard could not be armed.
            HostUnreachable: The host does not answer.
        """
        words = ("arm", token, str(ttl_s), str(hard_s), str(len(lines.encode())), holder)
        if self._installed_helper:
            argv = [*self._sudo, self._installed_helper, *words]
        else:
            self._install_program(token)
            argv = [*self._sudo, "sh", self._placed, self._base, *words]
        raise_guard_error(
            self.shell.run(argv, timeout_s=_PATIENCE_S, stdin=lines), self.shell.where, _("arm its guard")
        )

    def alone(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> CommandResult:
        """Make one change while no sweep owns the host, for a restore without a guard.

        Args:
            argv: The command.
            timeout_s: Time limit, seconds.

        Raises:
            HostBusy: A sweep owns the host.
        """
        answer = self.say("alone", str(max(1, int(timeout_s))), *argv, timeout_s=timeout_s + LOCK_WAIT_S)
        if is_guard_answer(answer, BUSY, CANNOT_WRITE, NOT_PERMITTED):
            raise_guard_error(answer, self.shell.where, _("carry out {argv!r}").format(argv=" ".join(argv)))
        return answer

    def _install_program(self, token: str) -> None:
        """Store the program where the guard's process reads it.

        The file name contains the hash of the program, so the file never changes in use.
        """
        argv = [*self._sudo, "sh", "-c", _PLACE, "sh", self._base, program_name(), token]
        answer = self.shell.run(argv, timeout_s=_PATIENCE_S, stdin=build_program())
        if answer.code:
            raise HostNotUsable(
                _("{where}: cannot install the guard in {base}: {answer}").format(
                    where=self.shell.where, base=self._base, answer=answer.said
                ),
                hint=_(
                    "Nothing was changed. The guard needs root, free space, and a folder that only root may write to."
                ),
            )
        # A shell reads a program from its input byte by byte, but from a file by the block. On an emulated Dom0,
        # `state` took 0.34 s of CPU from the input and 0.22 s from the file.
        self._placed = f"{self._base}/{program_name()}"


def guard_folder() -> str:
    """Return the guard's folder on hosts."""
    return os.environ.get(places.GUARD_FOLDER) or BASE


def guard_message(answer: CommandResult) -> str:
    """Return the guard's own message without its prefix."""
    lines = [line.removeprefix(_SIGN) for line in answer.err.splitlines() if line.startswith(_SIGN)]
    return lines[-1] if lines else answer.said


def is_guard_answer(answer: CommandResult, *codes: int) -> bool:
    """Return True when the guard itself ended with one of the codes.

    The command behind the write lock may end with the same codes.

    Args:
        answer: Result of a guard command.
        *codes: Exit codes.
    """
    return answer.code in codes and any(line.startswith(_SIGN) for line in answer.err.splitlines())


def raise_guard_error(answer: CommandResult, where: str, what: str) -> None:
    """Raise the error for an exit code of a guard command; do nothing for 0.

    Args:
        answer: Result of a guard command.
        where: The host, for messages.
        what: Purpose of the command, for messages.
    """
    if answer.code == 0:
        return
    text = guard_message(answer)
    if answer.code == BUSY:
        by = LockOwner.FOLLOW if FOLLOWING in text else LockOwner.SWEEP
        raise HostBusy(
            f"{where}: {describe_lock(by)}: {text}",
            hint=_("Wait until it has ended. If its client is gone, its guard restores the host; see 'domtune probe'."),
            holder=by,
        )
    if answer.code in (CANNOT_ARM, NOT_PERMITTED):
        raise HostNotUsable(
            _("{where}: cannot {what}: {text}").format(where=where, what=what, text=text),
            hint=_("Nothing was changed."),
        )
    raise HostError(
        _("{where}: cannot {what}: {text}").format(where=where, what=what, text=text),
        hint=_("Look into the guard's log there: /run/domtune/sweep/log."),
    )
