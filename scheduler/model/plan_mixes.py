"""Loads and mixes in a plan file: each kind is described once, and runs alone, in mixes, or both."""

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import kind_of_member, mix_of_member, title_of
from scheduler.model.mixes import check_mix_name
from scheduler.model.parameters import ParameterValue
from scheduler.model.spec import RunSpec
from scheduler.model.study_kind import StudyKind


class LoadTable(msgspec.Struct, forbid_unknown_fields=True):
    """One load as a plan file has it; `alone` is False for one that runs in mixes only."""

    kind: str
    users: int | None = None
    database: str = ""
    tuples: int = 10_000
    probe: bool = False
    alone: bool = True
    parameters: dict[str, ParameterValue] = {}


class MixTable(msgspec.Struct, forbid_unknown_fields=True):
    """One mix as a plan file has it: its name, and the kinds of the loads that run together."""

    name: str
    loads: list[str]


def build_loads(named: list[LoadTable], mixes: list[MixTable], study: StudyKind) -> tuple[LoadSpec, ...]:
    """Return those that run alone, then the members of each mix; raises SpecError."""
    described = [_build_load(load, i, study) for i, load in enumerate(named)]
    check_unique("load", [load.kind for load in described])
    check_unique("mix.name", ["", *(mix.name for mix in mixes)])
    alone = [load for load, typed in zip(described, named, strict=True) if typed.alone]
    members = [load for i, mix in enumerate(mixes) for load in _build_members(mix, f"mix[{i}]", described)]
    idle = {load.kind for load in described} - {load.kind for load in (*alone, *members)}
    if idle:
        problem = f"{min(idle)} runs neither alone nor in a mix"
        raise SpecError("load.alone", problem, hint="Leave alone = false out, or name it in a mix.")
    return (*alone, *members)


def _build_members(mix: MixTable, field: str, described: list[LoadSpec]) -> list[LoadSpec]:
    by_kind = {load.kind: load for load in described}
    check_mix_name(f"{field}.name", mix.name, LOAD_KINDS)
    unknown = next((kind for kind in mix.loads if kind not in by_kind), "")
    if unknown:
        hint = f"Its loads: {', '.join(by_kind)}. Describe another one in a [[load]]."
        raise SpecError(f"{field}.loads", f"{unknown!r} is not a load of this plan", hint=hint)
    check_unique(f"{field}.loads", mix.loads)
    return [msgspec.structs.replace(by_kind[kind], mix=mix.name) for kind in mix.loads]


def build_load_tables(spec: RunSpec) -> list[LoadTable]:
    """Return a sweep's loads as a plan file has them: each kind once."""
    alone = {load.kind for load in spec.loads if not load.mix}
    described = {load.kind: load for load in reversed(spec.loads)}
    kinds = dict.fromkeys(load.kind for load in spec.loads)
    found: list[LoadTable] = []
    for kind in kinds:
        fields = msgspec.structs.asdict(described[kind])
        del fields["mix"]
        found.append(LoadTable(alone=kind in alone, **fields))
    return found


def build_mix_tables(spec: RunSpec) -> list[MixTable]:
    """Return a sweep's mixes as a plan file has them."""
    return [
        MixTable(title_of(mix), [kind_of_member(name) for name in mix]) for mix in spec.mixes if mix_of_member(mix[0])
    ]


def _build_load(load: LoadTable, index: int, study: StudyKind) -> LoadSpec:
    field, users = f"load[{index}]", study.users if load.users is None else load.users
    fields = msgspec.structs.asdict(msgspec.structs.replace(load, users=users))
    del fields["alone"]
    try:
        return LoadSpec(**fields)
    except SpecError as error:
        raise SpecError(error.field.replace("load", field, 1), error.problem, hint=error.hint) from error
