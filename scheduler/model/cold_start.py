"""Cold loads: each operation starts on a restarted database."""

from scheduler.errors import SpecError
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.spec import RunSpec


def is_cold(load: LoadSpec) -> bool:
    """Return True when the database restarts before each operation of this load."""
    name = LOAD_KINDS[load.kind].cold
    return bool(name and load.values[name])


def refuse_cold(spec: RunSpec, facts: HostProperties) -> None:
    """Refuse cold loads that the sweep or the host does not support.

    Args:
        spec: The sweep.
        facts: The host properties.

    Raises:
        SpecError: Restarts would interrupt other users, or the host cannot restart the database.
    """
    for load in spec.loads:
        if is_cold(load):
            _refuse_other_work(spec, load)
            _refuse_host(load, facts)


def _refuse_other_work(spec: RunSpec, load: LoadSpec) -> None:
    """Refuse users and loads whose work a restart would interrupt."""
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
