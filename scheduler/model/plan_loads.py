"""Loads and mixes of a plan: each kind once, which runs alone, in mixes, or both."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS, list_standard_kinds
from scheduler.model.mixes import check_mix_name
from scheduler.model.plan_fields import LOAD_KEYS, MIX_KEYS
from scheduler.model.plan_tables import Values, read_table
from scheduler.model.problems import Problems
from scheduler.model.spec import RunSpec
from scheduler.model.study_kind import StudyKind
from scheduler.translation import _

_COMMON = {key.name for key in LOAD_KEYS.keys}


def read_loads(
    named: Sequence[Any] | None, mixes: Sequence[Any], study: StudyKind, problems: Problems
) -> tuple[LoadSpec, ...]:
    """Return the loads that run alone, then the members of each mix.

    Args:
        named: The plan's `[[load]]` tables; None for the loads of the study.
        mixes: The plan's `[[mix]]` tables.
        study: The plan's study.
        problems: Collects the mistakes.
    """
    if named is None:
        named = [{"kind": kind} for kind in study.loads or list_standard_kinds()]
    tables = [_read_load(load, f"load[{i}].", study, problems) for i, load in enumerate(named)]
    mix_tables = [read_table(mix, MIX_KEYS, f"mix[{i}].", problems) for i, mix in enumerate(mixes)]
    if problems.concern(("load", "mix")):
        return ()
    described = [problems.take(partial(_build_load, load, f"load[{i}]"), None) for i, load in enumerate(tables)]
    loads = [load for load in described if load is not None]
    problems.take(lambda: check_unique("load", [load["kind"] for load in tables]), None)
    problems.take(lambda: check_unique("mix.name", ["", *(mix["name"] for mix in mix_tables)]), None)
    if len(loads) < len(described) or problems.concern(("load",)):
        return ()
    members = [load for i, mix in enumerate(mix_tables) for load in _read_members(mix, f"mix[{i}]", loads, problems)]
    alone = [load for load, table in zip(loads, tables, strict=True) if table["alone"]]
    idle = {load.kind for load in loads} - {load.kind for load in (*alone, *members)}
    if idle and not problems.concern(("mix",)):
        problem = _("{idle} runs neither alone nor in a mix").format(idle=min(idle))
        problems.add(SpecError("load.alone", problem, hint=_("Leave alone = false out, or name it in a mix.")))
    return (*alone, *members)


def _read_load(table: object, at: str, study: StudyKind, problems: Problems) -> dict[str, Any]:
    """Return the values of one `[[load]]`, with the parameters of its kind."""
    given: Values = cast("Values", table) if isinstance(table, Mapping) else {}
    kind = LOAD_KINDS.get(str(given.get("kind")))
    own = tuple(each for each in kind.parameters if each.name not in _COMMON) if kind else ()
    if given and kind is None:  # parameters of an unknown kind cannot be checked
        table = {name: value for name, value in given.items() if name in _COMMON}
    found = read_table(
        cast("object", table), msgspec.structs.replace(LOAD_KEYS, keys=(*LOAD_KEYS.keys, *own)), at, problems
    )
    found["users"] = study.users if found["users"] is None else found["users"]
    parameters = {each.name: found[each.name] for each in own if each.name in given}
    return {**{name: found[name] for name in _COMMON}, "parameters": parameters}


def _build_load(table: Values, field: str) -> LoadSpec:
    fields = {name: value for name, value in table.items() if name != "alone"}
    try:
        return LoadSpec(**fields)
    except SpecError as error:
        raise SpecError(error.field.replace("load", field, 1), error.problem, hint=error.hint) from error


def _read_members(mix: Values, field: str, described: Sequence[LoadSpec], problems: Problems) -> list[LoadSpec]:
    by_kind = {load.kind: load for load in described}
    problems.take(lambda: check_mix_name(f"{field}.name", mix["name"], LOAD_KINDS), None)
    unknown = next((kind for kind in mix["loads"] if kind not in by_kind), "")
    if unknown:
        hint = _("Its loads: {by_kind}. Describe another one in a [[load]].").format(by_kind=", ".join(by_kind))
        problems.add(
            SpecError(f"{field}.loads", _("{unknown!r} is not a load of this plan").format(unknown=unknown), hint=hint)
        )
        return []
    problems.take(lambda: check_unique(f"{field}.loads", mix["loads"]), None)
    return [msgspec.structs.replace(by_kind[kind], mix=mix["name"]) for kind in mix["loads"]]


def list_load_tables(spec: RunSpec) -> list[dict[str, Any]]:
    """Return a sweep's loads as the `[[load]]` tables of a plan, each kind once."""
    alone = {load.kind for load in spec.loads if not load.mix}
    described = {load.kind: load for load in reversed(spec.loads)}
    found: list[dict[str, Any]] = []
    for kind in dict.fromkeys(load.kind for load in spec.loads):
        fields = {**msgspec.structs.asdict(described[kind]), "alone": kind in alone}
        if "tuples" not in {parameter.name for parameter in LOAD_KINDS[kind].parameters}:
            del fields["tuples"]
        if "users" in spec.by_host:
            del fields["users"]
        common = {key.name: fields[key.name] for key in LOAD_KEYS.keys if key.name in fields}
        found.append({**common, **described[kind].parameters})
    return found


def list_mix_tables(spec: RunSpec) -> list[dict[str, Any]]:
    """Return a sweep's mixes as the `[[mix]]` tables of a plan."""
    return [{"name": mix[0].mix, "loads": [name.kind for name in mix]} for mix in spec.mixes if mix[0].mix]
