"""What a host does now, before anybody is asked whether it may be followed: half a minute of counters, nothing else."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.follow.aggregation import scale_to_limits
from scheduler.follow.counter_windows import LEAST_KEPT, WINDOW_S, WindowBuffer
from scheduler.follow.current_split import CurrentSplit, derive_current_split
from scheduler.follow.move_decision import NO_LIMITS_HINT
from scheduler.follow.split_rule import PairUsage
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import format_percent
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.run.control import RunControl
from scheduler.run.observation import CounterReader
from scheduler.run.split_setter import read_pair_params

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

    facts: HostProperties
    standing: CurrentSplit
    use: PairUsage | None
    warnings: tuple[str, ...] = ()


def first_look(host: Host, control: RunControl) -> FirstLook:
    """Look at a host for half a minute; writes nothing.

    Raises:
        HostNotUsable: What is set is nothing that could be followed.
        HostError: It cannot be looked at.
        AbortRequested: The user ended it.
    """
    facts = host.facts()
    standing = _require_followable(host, facts)
    passed = host.passed()
    counters = CounterReader(host, control)
    kept, before = WindowBuffer(), counters.read()
    for _ in range(LEAST_KEPT):
        control.wait(WINDOW_S)
        after = counters.read()
        window = counters.window(before, after)
        if not isinstance(window, str):
            kept.add(scale_to_limits(window.use, counters.cpus, standing.allowed))
        before = after
    return FirstLook(facts, standing, kept.mean(), warn_of_other_guests(facts, passed, host.passed()))


def warn_of_other_guests(facts: HostProperties, before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, ...]:
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
    told = ", ".join(f"{name} {format_percent(others[name] / whole)}" for name in busiest)
    part = format_percent(sum(others.values()) / whole)
    return (
        f"Other guests do {part} of the input and output that passes through {names[IO]} now ({told}): its CPU for "
        f"them is taken for what {names[GUEST]} needs. Only measured accounts tell whether following pays then.",
    )


def _require_followable(host: Host, facts: HostProperties) -> CurrentSplit:
    try:
        standing = derive_current_split(read_pair_params(host), facts)
    except HostNotUsable as error:
        raise HostNotUsable(str(error), hint=NO_LIMITS_HINT) from error
    tells = host.cpu_usage()
    if standing.mode is Mode.WEIGHTS and (tells is None or tells.busy_s is None):
        raise HostNotUsable(
            "neither domain has a limit, and this host does not tell what else its CPUs do: whether weights decide "
            "anything can then not be told, and they are all there is to follow",
            hint=NO_LIMITS_HINT,
        )
    return standing
