"""A study of two guests meets its host: whether that can have a second one, and what its facts are then."""

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.base import Host, Neighbouring
from scheduler.model.facts import DomainFacts, HostFacts
from scheduler.model.guests import GUEST_2, ThreeSplit
from scheduler.model.setting import GuestsSetting
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST
from scheduler.model.words import percent
from scheduler.shares.three import ThreeEncoding, three_for

_SAID_FROM_FRAC = 0.005  # rounding below this is no news


def is_asked(spec: RunSpec) -> bool:
    """Return whether a study has two guests."""
    return spec.kind.factor == "guests"


def refuse_one_guest(spec: RunSpec, facts: HostFacts) -> None:
    """Refuse a study of two guests on a host that cannot have a second one; raises SpecError."""
    why, hint = facts.lacks(spec.kind.factor) if is_asked(spec) else ("", "")
    if why:
        raise SpecError("study", f"{spec.study!r} cannot be carried out on {facts.title}: {why}", hint=hint)


def add_guest(spec: RunSpec, host: Host, facts: HostFacts) -> HostFacts:
    """Have the host bring a second guest where the study has two; return the facts with it.

    Raises:
        SpecError: The host cannot.
    """
    refuse_one_guest(spec, facts)
    if not (is_asked(spec) and isinstance(host, Neighbouring)):
        return facts
    host.add_guest()
    first = next(domain for domain in facts.domains if domain.id == GUEST)
    second = DomainFacts(id=GUEST_2, name=host.second_name(), vcpus=1, cpus=first.cpus)
    return msgspec.structs.replace(facts, domains=(*facts.domains, second))


def cells_of(spec: RunSpec) -> tuple[tuple[ThreeSplit, Mode], ...]:
    """Return each split of three with each mode that the study sets, in its order."""
    shared = (each for each in spec.settings if isinstance(each, GuestsSetting))
    return tuple(dict.fromkeys((each.split, Mode(each.mode)) for each in shared))


def encoded(spec: RunSpec, facts: HostFacts, split: ThreeSplit, mode: Mode) -> ThreeEncoding:
    """Translate one of them for the host; raises SpecError."""
    return three_for(facts.scheduler).encode(split, mode, spec.period_us)


def rounding_warnings(spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Encode every split of three; return what rounding changes. Raises SpecError where one cannot be set."""
    found = [(split, mode, encoded(spec, facts, split, mode)) for split, mode in cells_of(spec)]
    return tuple(
        f"{split.label} {mode.value} is {percent(each.rounding_error_frac)} off by rounding"
        for split, mode, each in found
        if each.rounding_error_frac >= _SAID_FROM_FRAC
    )


def clients_warning(spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Return what to warn of where the users of both guests cannot have CPUs apart from each other."""
    if not is_asked(spec) or len(facts.client_cpus) > 1:
        return ()
    where = f"CPU {facts.client_cpus[0]}" if facts.client_cpus else "one CPU"
    return (f"the users of both guests run on {where}: what they cost each other there is in the figures, too",)
