"""Loads whose every operation finds a database that remembers nothing: what they need, and who cannot have them."""

from scheduler.errors import SpecError
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.spec import RunSpec


def is_cold(load: LoadSpec) -> bool:
    """Return whether the database is started anew before each operation of this load."""
    name = LOAD_KINDS[load.kind].cold
    return bool(name and load.values[name])


def refuse_cold(spec: RunSpec, facts: HostProperties) -> None:
    """Refuse loads that this sweep, or this host, cannot have cold; raises SpecError."""
    for load in spec.loads:
        if is_cold(load):
            _refuse_other_work(spec, load)
            _refuse_host(load, facts)


def _refuse_other_work(spec: RunSpec, load: LoadSpec) -> None:
    """Refuse others that a restart would meet in the middle of their work."""
    field = f"load.{LOAD_KINDS[load.kind].cold}"
    why = "the database is started anew before each operation, which would end what others are doing"
    if load.users > 1 or spec.kind.varies_users:
        hint = "Take users = 1, or leave it out."
        raise SpecError(field, f"{why}, and {load.kind} has {load.users} users", hint=hint)
    if load.mix:
        raise SpecError(field, f"{why}, and {load.mix} has several loads", hint="Let it run alone, or leave it out.")
    if load.probe:
        raise SpecError(field, f"{why}, and it has an extra reader", hint="Leave one of them out.")
    if spec.kind.has_two_guests:
        raise SpecError(field, "the study of two guests has both of them run on", hint="Leave it out.")


def _refuse_host(load: LoadSpec, facts: HostProperties) -> None:
    field = f"load.{LOAD_KINDS[load.kind].cold}"
    if facts.simulated:
        raise SpecError(field, "a simulated machine has no memory to forget", hint="Leave it out, or take 'local:'.")
    if not facts.restarts_database:
        hint = "Leave it out, or sweep the database that DomTune brings to this computer."
        raise SpecError(field, "DomTune cannot start this sweep's database anew", hint=hint)
