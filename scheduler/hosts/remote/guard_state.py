"""State of a guard's folder on a host, and the restore of a leftover guard."""

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.errors import HostBusy, HostError
from scheduler.hosts.remote.guard_commands import (
    FOLLOWING,
    NOT_PUT_BACK,
    REFUSED,
    GuardCommands,
    guard_message,
    raise_guard_error,
)
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _

_MOST_TTL_S = 86_400  # seconds; a guard's own limit is far below


@dataclass(frozen=True, slots=True)
class GuardState:
    """State of a guard's folder on a host.

    Attributes:
        where: The host, for messages.
        state: One of `none`, `broken` (arming was interrupted; nothing was changed), `armed`, `fired`, `restored`,
            `released`, and `rebooted` (older than a reboot, which cleared the sweep's settings).
        alive: True while the guard's process lives.
        token: Token of the sweep; empty for none.
        holder: Name of the owner, given by its process.
        since: Time of arming on the host's clock.
        ttl_s: Seconds from the last heartbeat until the guard fires; 0 when unknown.
        log: The end of the log, line by line.
    """

    where: str
    state: str = "none"
    alive: bool = False
    token: str = ""
    holder: str = ""
    since: str = ""
    ttl_s: int = 0
    log: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """True while the host may differ from its original settings."""
        return self.state in ("armed", "fired")

    @property
    def text(self) -> str:
        """The state as a sentence."""
        what = "following" if self.holder.endswith(FOLLOWING) else _("a sweep")
        who = _("{what} ({following}, since {since})").format(
            what=what,
            following=self.holder.removesuffix(FOLLOWING) or _("unknown owner"),
            since=self.since or "unknown",
        )
        if self.state == "none":
            return _("no process uses this host")
        wait = _("restores the host {ttl_s} s after the last heartbeat").format(ttl_s=self.ttl_s)
        reported = {
            ("armed", True): _("{who} holds this host; its guard {wait}").format(who=who, wait=wait),
            ("armed", False): _("{who} left this host changed, and its guard is dead: restore it").format(who=who),
            ("fired", True): _("the guard of {who} fired and is restoring this host").format(who=who),
            (
                "fired",
                False,
            ): _("the guard of {who} fired, but ended before this host was restored: run 'domtune restore'").format(
                who=who
            ),
        }
        calm = {
            "restored": _("the guard of {who} fired and restored this host").format(who=who),
            "rebooted": _("{who} was interrupted by a reboot, which cleared its settings").format(who=who),
        }
        return reported.get((self.state, self.alive)) or calm.get(
            self.state, _("{who} left a folder, but changed no setting").format(who=who)
        )


def read_guard_state(words: GuardCommands) -> GuardState:
    """Return the guard's state; touch nothing. Raise HostUnreachable, HostError."""
    answer = words.say("state", timeout_s=20.0)
    raise_guard_error(answer, words.shell.where, _("look at its guard"))
    lines = [line.partition("=") for line in answer.out.splitlines()]
    facts = {key: value for key, _, value in lines if key != "log"}
    return _parse_state(words.shell.where, facts, tuple(value for key, _, value in lines if key == "log"))


def restore_leftover(words: GuardCommands, token: str, *, take_over: bool = False) -> GuardState:
    """Restore the host from the guard of the sweep `token`, and remove its folder.

    Safe at the same time as the guard or other callers: all take the host's lock and restore the same originals.

    Args:
        words: Guard commands for the host.
        token: Token of the sweep, from `read_guard_state` or an undo record.
        take_over: True when the sweep is known to be dead (the caller owns its lock here). A guard that still waits for
            a heartbeat then fires.

    Returns:
        The last state: `none` when all is done; `fired` when a guest is gone and the guard waits for its return from a
            reboot.

    Raises:
        HostBusy: The sweep may be alive.
        HostError: The originals are not restored; a living guard continues to try.
    """
    found = read_guard_state(words)
    if found.token != token or found.state in ("none", "released", "broken", "rebooted"):
        return found if found.token == token else GuardState(words.shell.where)
    if found.state == "armed" and found.alive and not take_over:
        raise HostBusy(f"{found.where}: {found.text}", hint=_("Wait until it has ended or its guard has fired."))
    if fire_guard(words, token):
        remove_guard_folder(words, token)
    left = read_guard_state(words)
    return left if left.token == token else GuardState(words.shell.where)


def fire_guard(words: GuardCommands, token: str) -> bool:
    """Make the guard fire now and restore the originals.

    Args:
        words: Guard commands for the host.
        token: Token of the sweep.

    Returns:
        False when the host has no such sweep: another restore or a reboot has cleared it.

    Raises:
        HostError: An original is not restored.
    """
    answer = words.say("restore", token)
    if answer.code == REFUSED:
        return False
    if answer.code == NOT_PUT_BACK:
        raise HostError(
            f"{words.shell.where}: {guard_message(answer)}",
            hint=_("The guard goes on trying if it lives; otherwise run 'domtune restore' once the cause is gone."),
        )
    raise_guard_error(answer, words.shell.where, _("restore by its guard"))
    return True


def remove_guard_folder(words: GuardCommands, token: str) -> bool:
    """Remove the folder of a sweep that needs no restore.

    Args:
        words: Guard commands for the host.
        token: Token of the sweep.

    Returns:
        False when the folder must stay for now.
    """
    answer = words.say("disarm", token)
    if answer.code == REFUSED:
        return False
    raise_guard_error(answer, words.shell.where, _("disarm its guard"))
    return True


def _parse_state(where: str, facts: Mapping[str, str], log: tuple[str, ...]) -> GuardState:
    return GuardState(
        where=where,
        state=facts.get("state", "none"),
        alive=facts.get("alive") == "yes",
        token=facts.get("token", ""),
        holder=facts.get("holder", ""),
        since=facts.get("since", ""),
        ttl_s=parse_whole_number(facts.get("ttl", ""), most=_MOST_TTL_S) or 0,
        log=log,
    )
