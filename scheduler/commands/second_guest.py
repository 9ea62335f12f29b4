"""A study of two guests meets its host: whether that can have a second one, and what its facts are then."""

from scheduler.errors import SpecError
from scheduler.hosts.base import Host, Neighbouring
from scheduler.model.databases import DATABASES
from scheduler.model.facts import HostFacts
from scheduler.model.guests import GUEST_2, ThreeSplit
from scheduler.model.load_kinds import KINDS
from scheduler.model.number_texts import percent
from scheduler.model.setting import GuestsSetting
from scheduler.model.spec import Mode, RunSpec
from scheduler.shares.base import machine_of
from scheduler.shares.three import three_for
from scheduler.shares.three_base import ThreeEncoding

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
    """Have the host take or bring a second guest where the study has two; return the facts with it.

    Raises:
        SpecError: The host cannot, or the plan does not fit the one that it has.
        HostError: It has no such domain.
    """
    refuse_one_guest(spec, facts)
    if not (is_asked(spec) and isinstance(host, Neighbouring)):
        return facts
    _refuse_unfit(spec, facts)
    host.add_guest(spec.guest_2_domain)
    return host.facts()


def _refuse_unfit(spec: RunSpec, facts: HostFacts) -> None:
    """Refuse a plan that names what the host brings, or does not name the database of a guest that runs already."""
    if not facts.second_guest.runs:
        for field, given in (("domains.guest_2", spec.guest_2_domain), ("neighbour_database", spec.neighbour_database)):
            if given:
                problem = f"means nothing on {facts.title}: DomTune brings the second guest and its database there"
                raise SpecError(field, problem, hint="Leave it out.")
        return
    load = spec.guest_loads[GUEST_2]
    if KINDS[load.kind].workload and not spec.neighbour_database:
        hint = f"Write neighbour_database = '{DATABASES[load.engine].template}', of the server in the second guest."
        raise SpecError("neighbour_database", "the second guest's database is not named", hint=hint)


def cells_of(spec: RunSpec) -> tuple[tuple[ThreeSplit, Mode], ...]:
    """Return each split of three with each mode that the study sets, in its order."""
    shared = (each for each in spec.settings if isinstance(each, GuestsSetting))
    return tuple(dict.fromkeys((each.split, Mode(each.mode)) for each in shared))


def encoded(spec: RunSpec, facts: HostFacts, split: ThreeSplit, mode: Mode) -> ThreeEncoding:
    """Translate one of them for the host; raises SpecError."""
    return three_for(facts.scheduler, machine_of(facts)).encode(split, mode, spec.period_us)


def three_warnings(spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Encode every split of three; return what to know before it is set. Raises SpecError where one cannot be set."""
    said: list[str] = []
    for split, mode in cells_of(spec):
        found = encoded(spec, facts, split, mode)
        if found.rounding_error_frac >= _SAID_FROM_FRAC:
            said.append(f"{split.label} {mode.value} is {percent(found.rounding_error_frac)} off by rounding")
        said.extend(found.warnings)
    return tuple(dict.fromkeys(said))


def clients_warning(spec: RunSpec, facts: HostFacts) -> tuple[str, ...]:
    """Return what to warn of where the users of both guests cannot have CPUs apart from each other."""
    if not is_asked(spec) or len(facts.client_cpus) > 1 or facts.second_guest.runs:  # users elsewhere have theirs
        return ()
    where = f"CPU {facts.client_cpus[0]}" if facts.client_cpus else "one CPU"
    return (f"the users of both guests run on {where}: what they cost each other there is in the figures, too",)
