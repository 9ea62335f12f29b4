"""A study of two guests meets its host: whether that can have a second one, and what its facts are then."""

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.databases import DATABASES
from scheduler.model.guests import GUEST_2, ThreeSplit
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.number_texts import format_percent
from scheduler.model.setting import GuestsSetting
from scheduler.model.spec import Mode, RunSpec
from scheduler.shares.share_model import build_host_machine
from scheduler.shares.three_model import ThreeEncoding
from scheduler.shares.three_model_lookup import find_three_model

_SAID_FROM_FRAC = 0.005  # rounding below this is no news


def has_two_guests(spec: RunSpec) -> bool:
    """Return whether a study has two guests."""
    return spec.kind.factor == "guests"


def refuse_one_guest(spec: RunSpec, facts: HostProperties) -> None:
    """Refuse a study of two guests on a host that cannot have a second one; raises SpecError."""
    why, hint = facts.missing_reason(spec.kind.factor) if has_two_guests(spec) else ("", "")
    if why:
        raise SpecError("study", f"{spec.study!r} cannot be carried out on {facts.title}: {why}", hint=hint)


def add_guest(spec: RunSpec, host: Host, facts: HostProperties) -> HostProperties:
    """Have the host take or bring a second guest where the study has two; return the facts with it.

    Raises:
        SpecError: The host cannot, or the plan does not fit the one that it has.
        HostError: It has no such domain.
    """
    refuse_one_guest(spec, facts)
    if not has_two_guests(spec):
        return facts
    _refuse_unfit(spec, facts)
    host.add_guest(spec.guest_2_domain)
    return host.facts()


def _refuse_unfit(spec: RunSpec, facts: HostProperties) -> None:
    """Refuse a plan that names what the host brings, or does not name the database of a guest that runs already."""
    if not facts.second_guest.runs:
        for field, given in (("domains.guest_2", spec.guest_2_domain), ("neighbour_database", spec.neighbour_database)):
            if given:
                problem = f"means nothing on {facts.title}: DomTune brings the second guest and its database there"
                raise SpecError(field, problem, hint="Leave it out.")
        return
    load = spec.guest_loads[GUEST_2]
    if LOAD_KINDS[load.kind].workload and not spec.neighbour_database:
        hint = f"Write neighbour_database = '{DATABASES[load.engine].template}', of the server in the second guest."
        raise SpecError("neighbour_database", "the second guest's database is not named", hint=hint)


def split_mode_cells(spec: RunSpec) -> tuple[tuple[ThreeSplit, Mode], ...]:
    """Return each split of three with each mode that the study sets, in its order."""
    shared = (each for each in spec.settings if isinstance(each, GuestsSetting))
    return tuple(dict.fromkeys((each.split, Mode(each.mode)) for each in shared))


def encode_three(spec: RunSpec, facts: HostProperties, split: ThreeSplit, mode: Mode) -> ThreeEncoding:
    """Translate one of them for the host; raises SpecError."""
    return find_three_model(facts.scheduler, build_host_machine(facts)).encode(split, mode, spec.period_us)


def three_warnings(spec: RunSpec, facts: HostProperties) -> tuple[str, ...]:
    """Encode every split of three; return what to know before it is set. Raises SpecError where one cannot be set."""
    said: list[str] = []
    for split, mode in split_mode_cells(spec):
        found = encode_three(spec, facts, split, mode)
        if found.rounding_error_frac >= _SAID_FROM_FRAC:
            said.append(f"{split.label} {mode.value} is {format_percent(found.rounding_error_frac)} off by rounding")
        said.extend(found.warnings)
    return tuple(dict.fromkeys(said))


def clients_warning(spec: RunSpec, facts: HostProperties) -> tuple[str, ...]:
    """Return what to warn of where the users of both guests cannot have CPUs apart from each other."""
    if not has_two_guests(spec) or len(facts.client_cpus) > 1 or facts.second_guest.runs:  # users elsewhere have theirs
        return ()
    where = f"CPU {facts.client_cpus[0]}" if facts.client_cpus else "one CPU"
    return (f"the users of both guests run on {where}: what they cost each other there is in the figures, too",)
