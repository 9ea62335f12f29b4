"""A study of two guests meets its host: whether that can have a second one, and what its facts are then."""

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST_2


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


def clients_warning(spec: RunSpec, facts: HostProperties) -> tuple[str, ...]:
    """Return what to warn of where the users of both guests cannot have CPUs apart from each other."""
    if not has_two_guests(spec) or len(facts.client_cpus) > 1 or facts.second_guest.runs:  # users elsewhere have theirs
        return ()
    where = f"CPU {facts.client_cpus[0]}" if facts.client_cpus else "one CPU"
    return (f"the users of both guests run on {where}: what they cost each other there is in the figures, too",)
