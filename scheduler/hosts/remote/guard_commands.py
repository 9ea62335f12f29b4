"""The guard's words, spoken to one host through its shell; their exit codes turned into errors."""

import os
from collections.abc import Sequence
from functools import cached_property

from scheduler.errors import HostBusy, HostError, HostNotUsable
from scheduler.hosts.remote.guard_program import HELPER, build_program, program_name
from scheduler.hosts.remote.shell import TIMEOUT_S, CommandResult, Shell
from scheduler.model.lock_owner import LockOwner, describe_lock

BASE = "/run/domtune"
_RUN = "DOMTUNE_GUARD_RUN"  # names another folder on the host; must be empty after a reboot

GONE = 3  # put back, but a guest is gone
REFUSED = 90
BUSY = 91
CANNOT_ARM = 92
DEAD = 93
CANNOT_WRITE = 94
NOT_PUT_BACK = 95
NOT_PERMITTED = 96

# Words may wait 60 s for the lock, restore for 22 s a command, and arm for the guard.
_PATIENCE_S = 120.0
LOCK_WAIT_S = 70.0  # how long a change may wait for the lock before it starts, and a little
_CANNOT_OPEN = (2, 126, 127)  # what shells answer for a program that is not there: dash and busybox 2, bash 127
_VERSION = "domtune-guard 1"
FOLLOWING = ", following"  # after the name of who holds a host; without it, it is swept
_SIGN = "domtune-guard: "
_PLACE = 'umask 077; mkdir -p "$1" && [ -O "$1" ] && [ ! -L "$1" ] && cat >"$1/$2.$3" && mv "$1/$2.$3" "$1/$2"'


class GuardCommands:
    """One host's guard.

    Args:
        shell: Reaches the host.
        base: Folder on the host, on a file system that a reboot empties.
        sudo: Words before a command that needs root; none when the account is root.
        helper: Where the helper is looked for when `sudo` is needed (see `domtune host-setup`); where there is none,
            the program is sent along, which needs the right to call everything by sudo.
    """

    def __init__(self, shell: Shell, base: str = BASE, sudo: Sequence[str] = (), helper: str = HELPER) -> None:
        self.shell = shell
        self._base = base
        self._sudo = tuple(sudo)
        self._looked_for = helper
        self._placed = ""

    @cached_property
    def _installed_helper(self) -> str:
        """The installed helper, or nothing; raises HostNotUsable when it is of another version."""
        if not self._sudo:
            return ""
        answer = self.shell.run([*self._sudo, self._looked_for, "version"], timeout_s=TIMEOUT_S)
        if answer.code == 0 and answer.out.strip() != _VERSION:
            raise HostNotUsable(
                f"{self.shell.where}: {self._looked_for} is of another version: {answer.out.strip()[:40]!r}",
                hint="Install the files of 'domtune host-setup' there anew.",
            )
        return self._looked_for if answer.code == 0 else ""

    def say(self, *words: str, timeout_s: float = _PATIENCE_S) -> CommandResult:
        """Say one word; leaves no program on the host but the one of an armed guard. Raises HostUnreachable."""
        if self._installed_helper:
            return self.shell.run([*self._sudo, self._installed_helper, *words], timeout_s=timeout_s)
        if self._placed:
            answer = self.shell.run([*self._sudo, "sh", self._placed, self._base, *words], timeout_s=timeout_s)
            if answer.code not in _CANNOT_OPEN or self._placed not in answer.err:
                return answer
            # The host was rebooted, or somebody tidied up. Saying it again is safe whatever the shell complained of: a
            # change is made by `exec`, after which the shell says nothing, and all other words may be said twice.
            self._placed = ""
        argv = [*self._sudo, "sh", "-s", "--", self._base, *words]
        return self.shell.run(argv, timeout_s=timeout_s, stdin=build_program())

    def arm(self, lines: str, token: str, ttl_s: int, hard_s: int, holder: str) -> None:
        """Claim the host and start the guard; raises HostBusy, HostNotUsable, HostUnreachable. Nothing is changed."""
        words = ("arm", token, str(ttl_s), str(hard_s), str(len(lines.encode())), holder)
        if self._installed_helper:
            argv = [*self._sudo, self._installed_helper, *words]
        else:
            self._install_program(token)
            argv = [*self._sudo, "sh", self._placed, self._base, *words]
        raise_guard_error(self.shell.run(argv, timeout_s=_PATIENCE_S, stdin=lines), self.shell.where, "arm its guard")

    def alone(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> CommandResult:
        """Carry out one change while no sweep holds the host, as a restore without a guard does; raises HostBusy."""
        answer = self.say("alone", str(max(1, int(timeout_s))), *argv, timeout_s=timeout_s + LOCK_WAIT_S)
        if is_guard_answer(answer, BUSY, CANNOT_WRITE, NOT_PERMITTED):
            raise_guard_error(answer, self.shell.where, f"carry out {' '.join(argv)!r}")
        return answer

    def _install_program(self, token: str) -> None:
        """Put the program where the guard's process reads it: under its own hash, so it never changes underfoot."""
        argv = [*self._sudo, "sh", "-c", _PLACE, "sh", self._base, program_name(), token]
        answer = self.shell.run(argv, timeout_s=_PATIENCE_S, stdin=build_program())
        if answer.code:
            raise HostNotUsable(
                f"{self.shell.where}: the guard cannot be put into {self._base}: {answer.said}",
                hint="Nothing was changed. It needs root, a little space there, and a folder that is nobody else's.",
            )
        # A shell reads a program that comes on its input byte by byte, a file by the block: `state` took an emulated
        # Dom0 0.34 s of CPU by input, 0.22 s from the file.
        self._placed = f"{self._base}/{program_name()}"


def guard_folder() -> str:
    """Return the guard's folder on hosts."""
    return os.environ.get(_RUN) or BASE


def guard_message(answer: CommandResult) -> str:
    """Return what the guard says of itself, without its sign."""
    lines = [line.removeprefix(_SIGN) for line in answer.err.splitlines() if line.startswith(_SIGN)]
    return lines[-1] if lines else answer.said


def is_guard_answer(answer: CommandResult, *codes: int) -> bool:
    """Return True when the guard itself, not the command behind its fence, ended with one of the codes."""
    return answer.code in codes and any(line.startswith(_SIGN) for line in answer.err.splitlines())


def raise_guard_error(answer: CommandResult, where: str, what: str) -> None:
    """Raise what a word's exit code means; nothing when it is 0."""
    if answer.code == 0:
        return
    text = guard_message(answer)
    if answer.code == BUSY:
        by = LockOwner.FOLLOW if FOLLOWING in text else LockOwner.SWEEP
        raise HostBusy(
            f"{where}: {describe_lock(by)}: {text}",
            hint="Wait for it. If its client is gone, its guard restores the host by itself; see 'domtune probe'.",
            holder=by,
        )
    if answer.code in (CANNOT_ARM, NOT_PERMITTED):
        raise HostNotUsable(f"{where}: cannot {what}: {text}", hint="Nothing was changed.")
    raise HostError(f"{where}: cannot {what}: {text}", hint="Look into the guard's log there: /run/domtune/sweep/log.")
