"""The server that a host brings, and what it is started with: by the plan, or by its study where that says nothing."""

from collections.abc import Mapping, Sequence

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES
from scheduler.model.load import LoadSpec
from scheduler.model.studies import StudySpec


def has_built_in_database(host_url: str, loads: Sequence[LoadSpec]) -> bool:
    """Return whether DomTune starts the server of these loads itself: on this computer, where none names another."""
    here = host_url.partition(":")[0].strip() == "local"
    return here and bool(loads) and not any(load.url for load in loads)


def study_server_settings(study: StudySpec, host_url: str, loads: Sequence[LoadSpec]) -> dict[str, str]:
    """Return the settings that a study has the server started with where its plan has none.

    Args:
        study: The study.
        host_url: URL of its host.
        loads: Its loads.
    """
    if not has_built_in_database(host_url, loads):
        return {}
    known = {each.name for each in DATABASES[loads[0].engine].settings}
    return {name: value for name, value in study.server_settings.items() if name in known}


def resolve_server_settings(
    given: Mapping[str, str], usual: Mapping[str, str], loads: Sequence[LoadSpec]
) -> dict[str, str]:
    """Return what the server is started with, its own defaults left out; raises SpecError for what it does not have.

    Args:
        given: What the plan says.
        usual: What its study has where the plan says nothing.
        loads: The loads.
    """
    kind = DATABASES[loads[0].engine] if loads else None
    both = {**usual, **given}
    return {name: value for name, value in both.items() if kind is None or value != kind.setting(name).default}


def settings_to_write(server: Mapping[str, str], usual: Mapping[str, str], loads: Sequence[LoadSpec]) -> dict[str, str]:
    """Return what a plan has to say for a server to be started with this."""
    declared = DATABASES[loads[0].engine].settings
    values = {each.name: str(server.get(each.name, each.default)) for each in declared}
    meant = {each.name: usual.get(each.name, each.default) for each in declared}
    return {name: value for name, value in values.items() if value != meant[name]}


def refuse_server_settings(server: Mapping[str, str], host_url: str, loads: Sequence[LoadSpec]) -> None:
    """Refuse what cannot be set; raises SpecError."""
    if server and not has_built_in_database(host_url, loads):
        problem = "the server of this plan is not one that DomTune starts"
        hint = "Leave it out and set it on that server, or take local: with the database that DomTune brings."
        raise SpecError("server", problem, hint=hint)
    for name, value in server.items():
        DATABASES[loads[0].engine].setting(name).check(f"server.{name}", value)
