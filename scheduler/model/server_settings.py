"""Settings of the built-in database server, from the plan or its study."""

from collections.abc import Mapping, Sequence

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES
from scheduler.model.host_kinds import is_this_computer
from scheduler.model.load import LoadSpec
from scheduler.model.study_spec import StudySpec
from scheduler.translation import _


def has_built_in_database(host_url: str, loads: Sequence[LoadSpec]) -> bool:
    """Return True when DomTune starts the database server of these loads itself.

    This is so on this computer, where no load names another database.

    Args:
        host_url: URL of the host.
        loads: The loads.
    """
    return is_this_computer(host_url) and bool(loads) and not any(load.url for load in loads)


def study_server_settings(study: StudySpec, host_url: str, loads: Sequence[LoadSpec]) -> dict[str, str]:
    """Return a study's settings of the server for a plan without own settings.

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
    """Return the settings to start the server with, without the server's defaults.

    Args:
        given: Settings of the plan.
        usual: Settings of its study, used where the plan has none.
        loads: The loads.

    Raises:
        SpecError: The server has no such setting.
    """
    kind = DATABASES[loads[0].engine] if loads else None
    both = {**usual, **given}
    return {name: value for name, value in both.items() if kind is None or value != kind.setting(name).default}


def settings_to_write(server: Mapping[str, str], usual: Mapping[str, str], loads: Sequence[LoadSpec]) -> dict[str, str]:
    """Return the settings that a plan needs so that a server starts with `server`.

    Args:
        server: Settings of the server.
        usual: Settings of the study, used where the plan has none.
        loads: The loads, at least one.
    """
    declared = DATABASES[loads[0].engine].settings
    values = {each.name: str(server.get(each.name, each.default)) for each in declared}
    meant = {each.name: usual.get(each.name, each.default) for each in declared}
    return {name: value for name, value in values.items() if value != meant[name]}


def refuse_server_settings(server: Mapping[str, str], host_url: str, loads: Sequence[LoadSpec]) -> None:
    """Refuse server settings that cannot be set.

    Args:
        server: Setting to its value.
        host_url: URL of the host.
        loads: The loads.

    Raises:
        SpecError: DomTune does not start the server, or the setting or its value is not allowed.
    """
    if server and not has_built_in_database(host_url, loads):
        problem = _("DomTune does not start the server of this plan")
        hint = _("Remove the key and set the value on that server, or use the built-in database of local:.")
        raise SpecError("server", problem, hint=hint)
    for name, value in server.items():
        DATABASES[loads[0].engine].setting(name).check(f"server.{name}", value)
