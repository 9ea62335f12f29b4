"""What the templates of a bundle for control groups are given: the two groups and their parameters."""

import re
from typing import Any

import msgspec

from scheduler.export.bundle_evidence import evidence_of, scope_of
from scheduler.export.material import Material
from scheduler.model.dialects import narrowed
from scheduler.model.params import CGROUP_V1, CGROUP_V2, DEFAULT_PERIOD_US, CgroupLimits, CgroupParams
from scheduler.model.setting import split_setting
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.shares.base import Encoding
from scheduler.shares.registry import model_for

FLAVOURS = {limits.scheduler: limits for limits in (CGROUP_V1, CGROUP_V2)}
"""Share model to what its kernel interface accepts."""

_TITLES = {IO: "I/O domain", GUEST: "Guest"}


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One domain's control group as the templates see it.

    Attributes:
        role: `io` or `guest`.
        title: The role as people read it.
        name: Path below the CPU controller's folder.
        slice: Name of its systemd slice.
        variable: Environment variable that names another group.
        values: Weight, quota and period as the kernel's files take them.
        words: The same for people.
        settings: Lines of the slice's unit.
    """

    role: str
    title: str
    name: str
    slice: str
    variable: str
    values: str
    words: str
    settings: tuple[str, ...]


def unit_name(group: str) -> str:
    """Return the systemd slice for a group's path: `domtune/io` becomes `domtune-io.slice` (systemd.unit(5))."""
    parts = [part for part in group.split("/") if part]
    return "-".join(re.sub(rb"[^A-Za-z0-9:_.]", _hex, part.encode()).decode() for part in parts) + ".slice"


def _hex(found: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % found[0][0]


def values_of(material: Material) -> dict[str, Any]:
    """Return the names that the templates use, to their values."""
    facts = material.facts
    limits = FLAVOURS[facts.scheduler]
    groups = [_group(material, domain, limits) for domain in (IO, GUEST)]
    by_role = {group.role: group for group in groups}
    return evidence_of(material) | {
        "v1": limits is CGROUP_V1,
        "flavour": "control groups, version 1" if limits is CGROUP_V1 else "control groups, version 2",
        "io_group": by_role[IO].name,
        "guest_group": by_role[GUEST].name,
        "io_slice": by_role[IO].slice,
        "guest_slice": by_role[GUEST].slice,
        "groups": groups,
        "neutral": _words_for(limits, CgroupParams(limits.default_weight)),
        "kernel": facts.versions.get("kernel", ""),
        "scope": scope_of(material, "groups"),
    }


def _group(material: Material, domain: DomainId, limits: CgroupLimits) -> Group:
    spec, facts = material.spec, material.facts
    split = split_setting(material.results.recommendation.split).split
    params = _groups_of(model_for(limits.scheduler).encode(split, spec.mode, spec.period_us))[domain]
    name = next((each.name for each in facts.domains if each.id == domain), f"domtune/{domain}")
    unit = params if spec.mode is Mode.PARTITION else _weights_for_systemd(material)[domain]
    return Group(
        role=domain,
        title=_TITLES[domain],
        name=name,
        slice=unit_name(name),
        variable=f"DOMTUNE_{domain.upper()}_GROUP",
        values=_words_for(limits, params),
        words=params.words,
        settings=_settings(unit, spec.mode),
    )


def _words_for(limits: CgroupLimits, params: CgroupParams) -> str:
    none = "-1" if limits is CGROUP_V1 else "max"
    period_us = DEFAULT_PERIOD_US if params.quota_us is None else params.period_us
    return f"{params.weight} {none if params.quota_us is None else params.quota_us} {period_us}"


def _weights_for_systemd(material: Material) -> dict[DomainId, CgroupParams]:
    """CPUWeight= counts as version 2 does, whatever the kernel runs (systemd.resource-control(5))."""
    split = split_setting(material.results.recommendation.split).split
    return _groups_of(model_for(CGROUP_V2.scheduler).encode(split, Mode.SHARE, material.spec.period_us))


def _groups_of(encoding: Encoding) -> dict[DomainId, CgroupParams]:
    return {domain: narrowed(params, CgroupParams, f"the {domain} group") for domain, params in encoding.params.items()}


def _settings(params: CgroupParams, mode: Mode) -> tuple[str, ...]:
    if mode is Mode.SHARE or params.quota_us is None:
        return (f"CPUWeight={params.weight}",)
    # systemd keeps two decimals of the percentage.
    percent = f"{100 * params.quota_us / params.period_us:.2f}".rstrip("0").rstrip(".")
    return f"CPUQuota={percent}%", f"CPUQuotaPeriodSec={params.period_us}us"
