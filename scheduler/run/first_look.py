"""What a host does now, before anybody is asked whether it may be followed: half a minute of counters, nothing else."""

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.follow.gathering import cut
from scheduler.follow.rule import Use
from scheduler.follow.saying import NO_LIMITS
from scheduler.follow.standing import Standing, standing_of
from scheduler.follow.windows import LEAST_KEPT, WINDOW_S, Kept, Look, window_between
from scheduler.hosts.base import Host, Watching
from scheduler.model.facts import HostFacts
from scheduler.model.spec import Mode
from scheduler.run.control import Control
from scheduler.run.steering import read_pair


class FirstLook(msgspec.Struct, frozen=True):
    """What there is.

    Attributes:
        facts: The host.
        standing: What is set.
        use: What both domains use; None where next to nothing, or where that could not be told.
    """

    facts: HostFacts
    standing: Standing
    use: Use | None


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
    kept, before = Kept(), _look(host, control)
    for _ in range(LEAST_KEPT):
        control.wait(WINDOW_S)
        after = _look(host, control)
        window = window_between(before, after, most, cpus)
        if not isinstance(window, str):
            kept.add(cut(window.use, cpus, standing.allowed))
        before = after
    return FirstLook(facts, standing, kept.mean())


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
