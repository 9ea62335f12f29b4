"""Plans that follow from a capacity study: one with more users, and one that decides between the numbers tried."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.load import USERS_RANGE, LoadSpec
from scheduler.model.plan_settings import build_settings, list_splits
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import RunSpec
from scheduler.model.study_findings import KneeEstimate


def more_users_plan(spec: RunSpec, knees: Sequence[KneeEstimate]) -> RunSpec | None:
    """Return a plan with twice the users for the loads that were not full at their most; None where none can have more.

    Loads whose knees are known are left out; so are those of which too little is known, where more trials would tell,
    and the splits at which no load was left open.
    """
    beyond = [knee for knee in knees if knee.beyond]
    loads = tuple(_double_users(load) for load in spec.loads if load.kind in {knee.load for knee in beyond})
    if not loads or all(load in spec.loads for load in loads):
        return None
    splits = [split for split in list_splits(spec) or () if split in {knee.split for knee in beyond}]
    settings = build_settings(spec.kind, splits, loads)
    return msgspec.structs.replace(spec, loads=loads, settings=settings, weights={}, seed=spec.seed + 1)


def narrowing_plan(spec: RunSpec, knees: Sequence[KneeEstimate]) -> RunSpec | None:
    """Return a plan that narrows the knees that are not decided; None when there is none.

    Only the loads and splits of such knees take part. The search between two numbers gets twice its time; a plan that
    only doubles the users searches.
    """
    undecided = [knee for knee in knees if not (knee.open or knee.is_decided)]
    loads = tuple(load for load in spec.loads if load.kind in {knee.load for knee in undecided})
    if not loads:
        return None
    splits = [split for split in list_splits(spec) or () if split in {knee.split for knee in undecided}]
    longer = msgspec.structs.replace(spec.protocol, limit_min=2 * spec.protocol.limit_min)
    protocol = longer if spec.adapts else PROTOCOLS["adaptive"]
    settings = build_settings(spec.kind, splits, loads)
    return msgspec.structs.replace(
        spec, loads=loads, settings=settings, protocol=protocol, weights={}, seed=spec.seed + 1
    )


def next_capacity_plan(spec: RunSpec, knees: Sequence[KneeEstimate]) -> RunSpec | None:
    """Return the plan that follows from what a capacity study found; None when nothing is missing."""
    return more_users_plan(spec, knees) or narrowing_plan(spec, knees)


def most_users(spec: RunSpec) -> int:
    """Return the most users of any load of a plan."""
    return max(load.users for load in spec.loads)


def _double_users(load: LoadSpec) -> LoadSpec:
    """Return the load with up to twice the users; as it is where its own data bear no more."""
    for users in range(min(USERS_RANGE[1], 2 * load.users), load.users, -1):
        try:
            return msgspec.structs.replace(load, users=users)
        except SpecError:  # more than its warehouses bear
            continue
    return load
