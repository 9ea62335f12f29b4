"""JSON Schemas of DomTune's files, made from the structs and their docstrings."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from scheduler.model.documents import Document
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import name_schema
from scheduler.model.parameters import Parameter
from scheduler.model.plan_fields import PLAN_TABLES, WEIGHT, PlanTable
from scheduler.model.results import Results
from scheduler.sim.machine import QueueMachine, SurfaceMachine

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ATTRIBUTE = re.compile(r"^ {4,}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)

_TITLES: Mapping[str, tuple[Any, str]] = {
    "results-1": (Results, "Results of a sweep: what `domtune run PLAN --json` prints and the JSON export holds"),
    "machine-1": (SurfaceMachine | QueueMachine, "A simulated machine: the file of a `sim:FILE` host"),
    "documents-1": (Document, "One line of a run's stream of documents; the tag `$` names the kind"),
}


def build_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas by name, for example `results-1`."""
    found = {name: _build_schema(name, kind, title) for name, (kind, title) in _TITLES.items()}
    return {**found, "plan-1": _build_plan_schema()}


def schema_text(schema: Mapping[str, Any]) -> str:
    """Return a schema as the text of its file."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


def _build_schema(name: str, kind: Any, title: str) -> dict[str, Any]:  # noqa: ANN401 - msgspec takes any type form
    (top,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}", schema_hook=name_schema)
    for struct in _find_structs(kind):
        part = parts.get(struct.__name__)
        if part is not None:
            _describe_properties(part, struct)
    return {**_schema_head(name, title), **top, "$defs": dict(sorted(parts.items()))}


def _schema_head(name: str, title: str) -> dict[str, Any]:
    return {"$schema": _DIALECT, "$id": f"domtune-{name.replace('-', '/')}", "title": title}


def _build_plan_schema() -> dict[str, Any]:
    """Return the schema of plan files, from the declarations of their keys."""
    tables = {name: _build_table_schema(table) for name, table in PLAN_TABLES.items()}
    top = tables.pop("")
    of_loads = tables["load"]["items"]["properties"]
    of_loads.update(_join_properties(each for kind in LOAD_KINDS.values() for each in kind.parameters))
    weights = {"type": "object", "additionalProperties": WEIGHT.schema(), "description": WEIGHT.help}
    tables["objective"]["properties"]["weights"] = weights
    top["properties"] |= tables
    return {**_schema_head("plan-1", "Plan file (TOML), checked as if it were JSON"), **top}


def _build_table_schema(table: PlanTable) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": _join_properties(table.keys)}
    if required := [key.name for key in table.keys if key.required]:
        found["required"] = required
    found["additionalProperties"] = False
    if table.many:
        return {"type": "array", "items": found, "description": table.help}
    return {**found, "description": table.help}


def _join_properties(keys: Iterable[Parameter]) -> dict[str, Any]:
    """Return the properties of keys; where keys of one name differ, any of them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for key in keys:
        known, schema = found.setdefault(key.name, []), key.schema()
        if schema not in known:
            known.append(schema)
    return {name: schemas[0] if len(schemas) == 1 else {"anyOf": schemas} for name, schemas in found.items()}


def _describe_properties(part: dict[str, Any], struct: type) -> None:
    """Copy documented attributes to the descriptions of a schema's properties.

    Attributes of base classes are included.
    """
    part["description"] = " ".join((inspect.getdoc(struct) or "").partition("Attributes:")[0].split())
    renamed = {field.name: field.encode_name for field in msgspec.structs.fields(struct)}
    for base in reversed(struct.__mro__):
        attributes = inspect.cleandoc(base.__doc__ or "").partition("Attributes:")[2]
        for found in _ATTRIBUTE.finditer(attributes):
            name = renamed.get(found[1], "")
            if name in part.get("properties", {}):
                part["properties"][name]["description"] = " ".join(found[2].split())


def _find_structs(kind: Any) -> Iterator[type]:  # noqa: ANN401 - msgspec takes any type form
    """Yield every struct that a type contains, the type itself included."""
    seen: set[type] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(kind)]
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            yield info.cls
            waiting += [field.type for field in info.fields]
        else:
            waiting += [part for read in _INNER_TYPES for part in read(info)]


_INNER_TYPES: tuple[Callable[[Any], tuple[Any, ...]], ...] = (
    lambda info: tuple(getattr(info, "types", ())),
    lambda info: tuple(getattr(info, "item_types", ())),
    lambda info: tuple(
        part for name in ("item_type", "key_type", "value_type", "type") if (part := getattr(info, name, None))
    ),
)
