"""Follow-up plans of a capacity study: more users, or a narrower range of users."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.load import USERS_RANGE, LoadSpec
from scheduler.model.plan_settings import list_splits
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import RunSpec
from scheduler.model.study_spec import SettingKeys
from scheduler.studies.capacity.declaration import KneeEstimate


def more_users_plan(spec: RunSpec, knees: Sequence[KneeEstimate]) -> RunSpec | None:
    """Return a plan with twice the users for loads that did not saturate.

    Loads and splits without such an open knee are excluded. Return None if no load can have more users.

    Args:
        spec: Plan of the capacity study.
        knees: Knees that the study found.
    """
    beyond = [knee for knee in knees if knee.beyond]
    loads = tuple(_double_users(load) for load in spec.loads if load.kind in {knee.load for knee in beyond})
    if not loads or all(load in spec.loads for load in loads):
        return None
    splits = [split for split in list_splits(spec) or () if split in {knee.split for knee in beyond}]
    settings = tuple(spec.study.build_settings(SettingKeys(splits, loads)))
    return msgspec.structs.replace(spec, loads=loads, settings=settings, weights={}, seed=spec.seed + 1)


def narrowing_plan(spec: RunSpec, knees: Sequence[KneeEstimate]) -> RunSpec | None:
    """Return a plan that narrows undecided knees; None when there are none.

    Only the loads and splits of undecided knees take part. If the plan already searches between two numbers, its time
    limit is doubled. Otherwise the new plan uses the adaptive protocol.

    Args:
        spec: Plan of the capacity study.
        knees: Knees that the study found.
    """
    undecided = [knee for knee in knees if not (knee.open or knee.is_decided)]
    loads = tuple(load for load in spec.loads if load.kind in {knee.load for knee in undecided})
    if not loads:
        return None
    splits = [split for split in list_splits(spec) or () if split in {knee.split for knee in undecided}]
    longer = msgspec.structs.replace(spec.protocol, limit_min=2 * spec.protocol.limit_min)
    protocol = longer if spec.adapts else PROTOCOLS["adaptive"]
    settings = tuple(spec.study.build_settings(SettingKeys(splits, loads)))
    return msgspec.structs.replace(
        spec, loads=loads, settings=settings, protocol=protocol, weights={}, seed=spec.seed + 1
    )


def next_capacity_plan(spec: RunSpec, knees: Sequence[KneeEstimate]) -> RunSpec | None:
    """Return the follow-up plan of a capacity study; None when nothing is missing.

    Args:
        spec: Plan of the capacity study.
        knees: Knees that the study found.
    """
    return more_users_plan(spec, knees) or narrowing_plan(spec, knees)


def most_users(spec: RunSpec) -> int:
    """Return the highest number of users of any load in a plan."""
    return max(load.users for load in spec.loads)


def _double_users(load: LoadSpec) -> LoadSpec:
    """Return the load with up to twice the users, as many as its data allow."""
    for users in range(min(USERS_RANGE[1], 2 * load.users), load.users, -1):
        try:
            return msgspec.structs.replace(load, users=users)
        except SpecError:  # more users than the load's warehouses allow
            continue
    return load
