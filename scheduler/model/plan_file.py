"""Plan files: read a sweep from TOML text, and write a sweep as TOML."""

import os
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from scheduler.errors import SpecError
from scheduler.files import UnfitFile, open_regular
from scheduler.model.plan_fields import PLAN_TABLES, PlanTable
from scheduler.model.plan_loads import list_load_tables, list_mix_tables
from scheduler.model.plan_reading import read_plan
from scheduler.model.plan_settings import list_modes, list_splits, list_vcpus
from scheduler.model.plan_toml import find_line, read_toml, write_toml
from scheduler.model.problems import Problems
from scheduler.model.protocols import PROTOCOLS, REFINE, WINDOWS
from scheduler.model.server_settings import settings_to_write, study_server_settings
from scheduler.model.spec import RunSpec
from scheduler.model.text_decoding import decode_text
from scheduler.translation import _

_MAX_BYTES = 1 << 16  # a plan is a page of text; a larger file is no plan
_SHOWN = ("mode", "period_ms", "seed", "load.users", "load.tuples", "load.probe", "server")
"""Keys and tables that a plan shows although they have their default."""


def read_plan_file(path: Path) -> RunSpec:
    """Read a plan file.

    Raises:
        SpecError: The file cannot be read, or has a mistake. All mistakes are listed with key, line, value and allowed
            values.
    """
    try:
        with os.fdopen(open_regular(path, follow=True), "rb") as file:
            return parse_plan(read_plan_text(file, str(path)), str(path))
    except UnfitFile as error:
        hint = _("Give the path of a plan file, or - for standard input.")
        raise SpecError(
            str(path), _("cannot be read: {strerror}").format(strerror=error.strerror), hint=hint
        ) from error
    except OSError as error:
        raise SpecError(
            str(path), _("cannot be read: {error}").format(error=error), hint=_("Give the path of a plan file.")
        ) from error


def read_plan_text(file: BinaryIO, source: str) -> str:
    """Read a plan's text from an open file.

    Args:
        file: The file, opened for reading bytes.
        source: Path or name of the file, for messages.

    Raises:
        SpecError: The text is too long or not UTF-8.
        OSError: The file cannot be read.
    """
    body = file.read(_MAX_BYTES + 1)
    if len(body) > _MAX_BYTES:
        raise SpecError(
            source, _("larger than {max_bytes} bytes").format(max_bytes=_MAX_BYTES), hint=_("Is this a plan file?")
        )
    return decode_text(body, source)


def parse_plan(text: str, source: str = "plan") -> RunSpec:
    """Parse a plan's text.

    Args:
        text: TOML.
        source: Path or name of the text, for messages.

    Raises:
        SpecError: The plan has mistakes. All mistakes are listed, with the line where it is known.
    """
    problems = Problems()
    spec = read_plan(read_toml(text, source), problems)
    if spec is None:
        for field, error in problems.errors.items():
            error.line = find_line(text, field)
        problems.sort_by_line()
        problems.raise_found(source)
    assert spec is not None  # noqa: S101 - read_plan returns None with a mistake only
    return spec


def write_plan(spec: RunSpec) -> str:
    """Return the plan file that `parse_plan` turns into the same sweep."""
    protocol, standard = spec.protocol, PROTOCOLS.get(spec.protocol.name)
    usual = study_server_settings(spec.study, spec.host_url, spec.loads)
    own = msgspec.structs.asdict(spec.study)
    splits = None if "splits" in spec.by_host else list_splits(spec)
    values: dict[str, Any] = {
        "name": spec.name,
        "host": spec.host_url,
        "study": spec.kind.name,
        "mode": spec.mode.value,
        "splits": splits,
        "vcpus": list_vcpus(spec),
        "modes": list_modes(spec),
        "protocol": protocol.name,
        "baseline": spec.baseline,
        "history": spec.history,
        "period_ms": spec.period_us / 1000,
        "seed": spec.seed,
        "domains": {"io": spec.io_domain, "guest": spec.guest_domain, "guest_2": own.pop("guest_2", "")},
        "cpus": msgspec.structs.asdict(spec.cpus),
        "lesson": msgspec.structs.asdict(spec.lesson),
        "server": settings_to_write(spec.server, usual, spec.loads),
        "load": list_load_tables(spec),
        "mix": list_mix_tables(spec),
        "objective": {**msgspec.structs.asdict(spec.objective), "weights": dict(spec.weights)},
        "clients": {**msgspec.structs.asdict(spec.clients), "workers": list(spec.clients.workers)},
        **own,
    }
    for key in (*WINDOWS, REFINE):
        value = getattr(protocol, key.name)
        if standard is None or value != getattr(standard, key.name):
            values[key.name] = value
    empty: dict[str, Any] = {"splits": []} if splits == [] else {}  # a missing key means the study's own splits
    return write_toml({**empty, **_order_values(values)})


def _order_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values in the order of their declarations, without most defaults."""
    found = _told_values("", values)
    for name, table in PLAN_TABLES.items():
        if name and table.many:
            found[name] = [_told_values(name, each) for each in values[name]]
        elif name:
            found[name] = _told_values(name, values[name])
    return {name: value for name, value in found.items() if value not in ({}, [])}


def _told_values(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the keys that a plan shows in one table.

    Keys that only one kind of load or server has follow last.
    """
    table = PLAN_TABLES[name]
    declared = {key.name: values[key.name] for key in table.keys if key.name in values}
    others = {key: value for key, value in values.items() if key not in declared and key not in PLAN_TABLES}
    written = {key: value for key, value in {**declared, **others}.items() if _is_written(table, key, value)}
    return {key: str(value) if isinstance(value, str) else value for key, value in written.items()}


def _is_written(table: PlanTable, name: str, value: object) -> bool:
    """Return True when a plan has a line for a value.

    Empty values and most defaults have no line.
    """
    if value in (None, "", [], {}):
        return False
    key = table.key(name)
    shown = table.name in _SHOWN or f"{table.name}.{name}".lstrip(".") in _SHOWN
    return key is None or shown or value != key.standard
