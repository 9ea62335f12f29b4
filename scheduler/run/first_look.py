"""What a host does now, before anybody is asked whether it may be followed: half a minute of counters, nothing else."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.follow.gathering import cut
from scheduler.follow.rule import Use
from scheduler.follow.saying import NO_LIMITS
from scheduler.follow.standing import Standing, standing_of
from scheduler.follow.windows import LEAST_KEPT, WINDOW_S, Kept, Look, window_between
from scheduler.hosts.base import Host, Passing, Watching
from scheduler.model.facts import HostFacts
from scheduler.model.number_texts import percent
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.run.control import Control
from scheduler.run.steering import read_pair

_OTHERS_FRAC = 0.1  # of the bytes: with less, nothing that anybody would follow for hangs on it
_NAMED = 3


class FirstLook(msgspec.Struct, frozen=True):
    """What there is.

    Attributes:
        facts: The host.
        standing: What is set.
        use: What both domains use; None where next to nothing, or where that could not be told.
        warnings: What is not as a person may think, sentences.
    """

    facts: HostFacts
    standing: Standing
    use: Use | None
    warnings: tuple[str, ...] = ()


def first_look(host: Host, control: Control) -> FirstLook:
    """Look at a host for half a minute; writes nothing.

    Raises:
        HostNotUsable: What is set is nothing that could be followed.
        HostError: It cannot be looked at.
        AbortRequested: The user ended it.
    """
    facts = host.facts()
    standing = _followed(host, facts)
    cpus = max(1, len(facts.contended_cpus))
    most = {each.id: float(each.vcpus) for each in facts.domains}
    passed: Mapping[str, int] = host.passed() if isinstance(host, Passing) else {}
    kept, before = Kept(), _look(host, control)
    for _ in range(LEAST_KEPT):
        control.wait(WINDOW_S)
        after = _look(host, control)
        window = window_between(before, after, most, cpus)
        if not isinstance(window, str):
            kept.add(cut(window.use, cpus, standing.allowed))
        before = after
    warnings = others_through(facts, passed, host.passed()) if isinstance(host, Passing) else ()
    return FirstLook(facts, standing, kept.mean(), warnings)


def others_through(facts: HostFacts, before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, ...]:
    """Return what to say of other guests whose input and output the I/O domain does, too.

    Args:
        facts: The host.
        before: Bytes of each guest, by its name.
        after: The same some time later.
    """
    names = {each.id: each.name for each in facts.domains}
    moved = {name: max(0, after[name] - before[name]) for name in after.keys() & before.keys()}
    others = {name: count for name, count in moved.items() if count and name not in names.values()}
    whole = sum(moved.values())
    if not whole or sum(others.values()) <= _OTHERS_FRAC * whole:
        return ()
    busiest = sorted(others, key=lambda name: (-others[name], name))[:_NAMED]
    told = ", ".join(f"{name} {percent(others[name] / whole)}" for name in busiest)
    part = percent(sum(others.values()) / whole)
    return (
        f"Other guests do {part} of the input and output that passes through {names[IO]} now ({told}): its CPU for "
        f"them is taken for what {names[GUEST]} needs. Only measured accounts tell whether following pays then.",
    )


def _followed(host: Host, facts: HostFacts) -> Standing:
    try:
        standing = standing_of(read_pair(host), facts)
    except HostNotUsable as error:
        raise HostNotUsable(str(error), hint=NO_LIMITS) from error
    tells = host.cpu_usage() if isinstance(host, Watching) else None
    if standing.mode is Mode.SHARE and (tells is None or tells.busy_s is None):
        raise HostNotUsable(
            "neither domain has a limit, and this host does not tell what else its CPUs do: whether weights decide "
            "anything can then not be told, and they are all there is to follow",
            hint=NO_LIMITS,
        )
    return standing


def _look(host: Host, control: Control) -> Look:
    domains = host.usage()
    return Look(control.clock.now(), domains, host.cpu_usage() if isinstance(host, Watching) else None)
