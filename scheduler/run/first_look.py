"""First look at a host before the consent to `follow`: half a minute of counters."""

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
from scheduler.translation import _

_OTHERS_FRAC = 0.1  # share of the bytes; below this, other guests do not affect the split
_NAMED = 3


class FirstLook(msgspec.Struct, frozen=True):
    """Result of the first look.

    Attributes:
        facts: The host's properties.
        standing: The current split.
        use: CPU used by both domains; None when next to nothing is used, or when no window was usable.
        warnings: Warnings for the user, sentences.
    """

    facts: HostProperties
    standing: CurrentSplit
    use: PairUsage | None
    warnings: tuple[str, ...] = ()


def first_look(host: Host, control: RunControl) -> FirstLook:
    """Read a host's counters for half a minute; write nothing.

    Args:
        host: The host.
        control: The clock, and the button that ends the wait.

    Raises:
        HostNotUsable: The current settings cannot be followed.
        HostError: The host cannot be read.
        AbortRequested: The user ended the look.
    """
    facts = host.facts()
    standing = _require_followable(host, facts)
    passed = host.passed()
    counters = CounterReader(host, control)
    kept, before = WindowBuffer(), counters.read()
    for _unused in range(LEAST_KEPT):
        control.wait(WINDOW_S)
        after = counters.read()
        window = counters.window(before, after)
        if not isinstance(window, str):
            kept.add(scale_to_limits(window.use, counters.cpus, standing.allowed))
        before = after
    return FirstLook(facts, standing, kept.mean(), warn_of_other_guests(facts, passed, host.passed()))


def warn_of_other_guests(facts: HostProperties, before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, ...]:
    """Return a warning when the I/O domain also works for other guests.

    Args:
        facts: The host's properties.
        before: Guest name to the bytes that passed through the I/O domain so far.
        after: The same counters at a later time.
    """
    names = {each.id: each.name for each in facts.domains}
    moved = {name: max(0, after[name] - before[name]) for name in after.keys() & before.keys()}
    others = {name: count for name, count in moved.items() if count and name not in names.values()}
    whole = sum(moved.values())
    if not whole or sum(others.values()) <= _OTHERS_FRAC * whole:
        return ()
    busiest = sorted(others, key=lambda name: (-others[name], name))[:_NAMED]
    reported = ", ".join(f"{name} {format_percent(others[name] / whole)}" for name in busiest)
    part = format_percent(sum(others.values()) / whole)
    return (
        _(
            "Other guests do {part} of the input and output that passes through {names} now "
            "({reported}): the CPU for these guests counts as demand of {names_2}. Name a "
            "database to measure the gain of following."
        ).format(part=part, names=names[IO], reported=reported, names_2=names[GUEST]),
    )


def _require_followable(host: Host, facts: HostProperties) -> CurrentSplit:
    try:
        standing = derive_current_split(read_pair_params(host), facts)
    except HostNotUsable as error:
        raise HostNotUsable(str(error), hint=NO_LIMITS_HINT) from error
    tells = host.cpu_usage()
    if standing.mode is Mode.WEIGHTS and (tells is None or tells.busy_s is None):
        raise HostNotUsable(
            _(
                "neither domain has a cap, and this host does not report other programs on its CPUs, so "
                "DomTune cannot see "
                "the effect of weights"
            ),
            hint=NO_LIMITS_HINT,
        )
    return standing
