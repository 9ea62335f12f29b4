"""JSON Schemas of DomTune's files, made from the structs and their docstrings."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from scheduler.model.documents import Document
from scheduler.model.plan_file import PlanFile
from scheduler.model.plan_loads import build_parameter_schema
from scheduler.model.results import Results
from scheduler.sim.machine import QueueMachine, SurfaceMachine

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ATTRIBUTE = re.compile(r"^ {4,}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)

_TITLES: Mapping[str, tuple[Any, str]] = {
    "results-1": (Results, "Results of a sweep: what `domtune run PLAN --json` prints and the JSON export holds"),
    "plan-1": (PlanFile, "Plan file (TOML), checked as if it were JSON"),
    "machine-1": (SurfaceMachine | QueueMachine, "A simulated machine: the file of a `sim:FILE` host"),
    "documents-1": (Document, "One line of a run's stream of documents; the tag `$` names the kind"),
}


def build_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas by name, for example `results-1`."""
    return {name: _build_schema(name, kind, title) for name, (kind, title) in _TITLES.items()}


def schema_text(schema: Mapping[str, Any]) -> str:
    """Return a schema as the text of its file."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


def _build_schema(name: str, kind: Any, title: str) -> dict[str, Any]:  # noqa: ANN401 - msgspec takes any type form
    (top,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    for struct in _find_structs(kind):
        part = parts.get(struct.__name__)
        if part is not None:
            _describe_properties(part, struct)
    if name == "plan-1":
        in_plans = parts["LoadTable"]["properties"]
        del in_plans["parameters"]
        in_plans.update(build_parameter_schema())
    return {
        "$schema": _DIALECT,
        "$id": f"domtune-{name.replace('-', '/')}",
        "title": title,
        **top,
        "$defs": dict(sorted(parts.items())),
    }


def _describe_properties(part: dict[str, Any], struct: type) -> None:
    """Copy each attribute's line of the docstring to its property's description."""
    text = inspect.getdoc(struct) or ""
    summary, _, attributes = text.partition("Attributes:")
    part["description"] = " ".join(summary.split())
    renamed = {field.name: field.encode_name for field in msgspec.structs.fields(struct)}
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
