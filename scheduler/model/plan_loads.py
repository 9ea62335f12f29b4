"""A load's parameters in a plan file: they stand among its other keys, in the plan's value by themselves."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from scheduler.errors import SpecError
from scheduler.model.load_kinds import LOAD_KINDS

_OF_EVERY_LOAD = ("kind", "users", "database", "tuples", "probe", "alone")


def gather_parameters(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan as TOML has it, with what its loads' records declare moved into `parameters`.

    Whatever else is wrong with it stays, for the one who checks types and keys.

    Raises:
        SpecError: A load has a table of that name itself.
    """
    loads = raw.get("load")
    if not isinstance(loads, list):
        return dict(raw)
    return {**raw, "load": [_gather_load(load, i) for i, load in enumerate(cast("list[Any]", loads))]}


def _gather_load(load: Any, index: int) -> Any:  # noqa: ANN401 - whatever TOML holds
    if not isinstance(load, dict):
        return load
    keys = cast("dict[str, Any]", load)
    if "parameters" in keys:
        hint = "Write a load's parameters among its other keys: see the manual's page 'Plan file'."
        raise SpecError(f"load[{index}].parameters", "is not a key of a plan file", hint=hint)
    declared = _declared_names(keys.get("kind"))
    moved = {name: value for name, value in keys.items() if name in declared}
    return {**{name: value for name, value in keys.items() if name not in moved}, "parameters": moved}


def _declared_names(kind: Any) -> set[str]:  # noqa: ANN401 - whatever TOML holds
    if not isinstance(kind, str) or kind not in LOAD_KINDS:
        return set()
    return {parameter.name for parameter in LOAD_KINDS[kind].parameters} - set(_OF_EVERY_LOAD)


def spread_parameters(loads: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return loads with their parameters among their other keys, as a plan file has them."""
    flat: list[dict[str, Any]] = []
    for load in loads:
        others = {name: value for name, value in load.items() if name != "parameters"}
        declared = {parameter.name for parameter in LOAD_KINDS[load["kind"]].parameters}
        if "tuples" not in declared:
            del others["tuples"]
        if load["alone"]:  # as plans were before there were mixes
            del others["alone"]
        flat.append({**others, **load["parameters"]})
    return flat


def build_parameter_schema() -> dict[str, Any]:
    """Return every kind's parameters as JSON Schema has properties; where kinds differ, any of them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for kind in LOAD_KINDS.values():
        for parameter in kind.parameters:
            known, schema = found.setdefault(parameter.name, []), parameter.schema()
            if schema not in known:
                known.append(schema)
    return {name: schemas[0] if len(schemas) == 1 else {"anyOf": schemas} for name, schemas in found.items()}
