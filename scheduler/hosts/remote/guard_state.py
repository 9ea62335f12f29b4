"""What a guard's folder on a host says, and what to make of one that is left there."""

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

_MOST_TTL_S = 86_400  # a guard's own limit is far below


@dataclass(frozen=True, slots=True)
class GuardState:
    """A guard's folder on a host.

    Attributes:
        where: The host as people name it.
        state: none, broken (its arming was cut short; nothing was changed), armed, fired, restored, released, or
            rebooted (it is from before a reboot, which cleared what the sweep had set).
        alive: True while the guard's process lives.
        token: The sweep's; empty when there is none.
        holder: Who sweeps or follows, as they said.
        since: When it was armed, by the host's clock.
        ttl_s: Seconds without a heartbeat after which it fires; 0 when unknown.
        log: The end of its log.
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
        """True while the host may not be as it was found."""
        return self.state in ("armed", "fired")

    @property
    def text(self) -> str:
        """What it means, as a sentence."""
        what = "following" if self.holder.endswith(FOLLOWING) else "a sweep"
        who = f"{what} ({self.holder.removesuffix(FOLLOWING) or 'of somebody'}, since {self.since or 'unknown'})"
        if self.state == "none":
            return "nobody holds this host"
        wait = f"puts it back {self.ttl_s} s after the last heartbeat"
        told = {
            ("armed", True): f"{who} holds this host; its guard {wait}",
            ("armed", False): f"{who} left this host changed, and its guard is dead: restore it",
            ("fired", True): f"the guard of {who} fired and is putting this host back",
            ("fired", False): f"the guard of {who} fired, but died before this host was put back: restore it",
        }
        calm = {
            "restored": f"the guard of {who} fired and put this host back",
            "rebooted": f"{who} was cut short by a reboot, which cleared what it had set",
        }
        return told.get((self.state, self.alive)) or calm.get(self.state, f"{who} left a folder, but changed nothing")


def read_guard_state(words: GuardCommands) -> GuardState:
    """Return what there is; touches nothing. Raises HostUnreachable, HostError."""
    answer = words.say("state", timeout_s=20.0)
    raise_guard_error(answer, words.shell.where, "look at its guard")
    lines = [line.partition("=") for line in answer.out.splitlines()]
    facts = {key: value for key, _, value in lines if key != "log"}
    return _parse_state(words.shell.where, facts, tuple(value for key, _, value in lines if key == "log"))


def restore_leftover(words: GuardCommands, token: str, *, take_over: bool = False) -> GuardState:
    """Put the host back as the sweep `token` found it, and take its folder away.

    Right beside the guard itself and beside other callers: all hold the host's lock, and the originals are the same.

    Args:
        words: The guard's host.
        token: Of the sweep, from `look` or from an undo record.
        take_over: True when the caller knows that the sweep is dead (it holds its lock here), so that a guard that
            still waits for its heartbeat is told to fire.

    Returns:
        What was found last: `none` when all is done; `fired` when a guest is gone and the guard waits whether it
        comes back from a reboot.

    Raises:
        HostBusy: The sweep may be alive.
        HostError: The originals are not back; the guard, if it lives, goes on trying.
    """
    found = read_guard_state(words)
    if found.token != token or found.state in ("none", "released", "broken", "rebooted"):
        return found if found.token == token else GuardState(words.shell.where)
    if found.state == "armed" and found.alive and not take_over:
        raise HostBusy(f"{found.where}: {found.text}", hint="Wait until it has ended or its guard has fired.")
    if fire_guard(words, token):
        remove_guard_folder(words, token)
    left = read_guard_state(words)
    return left if left.token == token else GuardState(words.shell.where)


def fire_guard(words: GuardCommands, token: str) -> bool:
    """Let the guard fire now and put everything back; raises HostError when something is not back.

    Returns:
        False when the host knows this sweep no more: another restore has put it back and cleared up, or a reboot has.
    """
    answer = words.say("restore", token)
    if answer.code == REFUSED:
        return False
    if answer.code == NOT_PUT_BACK:
        raise HostError(
            f"{words.shell.where}: {guard_message(answer)}",
            hint="The guard goes on trying if it lives; otherwise run 'domtune restore' once the cause is gone.",
        )
    raise_guard_error(answer, words.shell.where, "restore by its guard")
    return True


def remove_guard_folder(words: GuardCommands, token: str) -> bool:
    """Take the folder of a sweep away that needs nothing put back; False when it must stay for now."""
    answer = words.say("disarm", token)
    if answer.code == REFUSED:
        return False
    raise_guard_error(answer, words.shell.where, "disarm its guard")
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
