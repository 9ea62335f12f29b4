"""Scripts that set a split on a host with control groups.

The scripts apply, verify, roll back and persist the split, with its evidence. Names from a plan or a host are foreign
data. Names are quoted for the shell, cut to one line in comments, and escaped in unit names as systemd-escape(1) does.
"""

import re
import textwrap
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from scheduler.export.bundle_evidence import DOMAIN_TITLES, evidence_values
from scheduler.export.split_config import SplitConfig
from scheduler.export.templates import template_environment
from scheduler.model.number_texts import format_percent
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.scheduler_params import (
    CGROUP_V1,
    CGROUP_V2,
    DEFAULT_PERIOD_US,
    CgroupLimits,
    CgroupParams,
    SchedParams,
)
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, split_between
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.rounding import choose_weights

CGROUP_LIMITS = {limits.scheduler: limits for limits in (CGROUP_V1, CGROUP_V2)}
"""Values that the kernel accepts, by share model."""

_SCRIPTS = {
    "apply.sh": "Sets the split now; gone after a reboot.",
    "verify.sh": "Compares the host with the split; changes nothing.",
    "rollback.sh": "Restores what apply.sh found and removes what persist.sh wrote.",
    "persist.sh": "Keeps the split over a reboot with settings of systemd units; rollback.sh removes them again.",
}


class ScriptedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Control group of one domain in the bundle's templates.

    Attributes:
        role: `io` or `guest`.
        title: Title of the role.
        name: Path below the CPU controller's folder.
        slice: Name of the systemd slice.
        variable: Environment variable that overrides the group.
        values: Weight, quota and period in the format of the kernel's files.
        among_others: The same values for a group next to other groups.
        words: The parameters as text.
        settings: Lines of the slice's unit.
        settings_among_others: The same lines for a unit next to other units.
    """

    role: str
    title: str
    name: str
    slice: str
    variable: str
    values: str
    among_others: str
    words: str
    settings: tuple[str, ...]
    settings_among_others: tuple[str, ...]


def group_script_texts(split: SplitConfig) -> dict[str, str]:
    """Return the texts of the scripts by file name."""
    templates = template_environment("bundle", autoescape=False)
    values = _template_values(split)
    texts = {name: templates.get_template(f"{name}.j2").render(values, title=title) for name, title in _SCRIPTS.items()}
    texts["README.txt"] = templates.get_template("README.txt.j2").render(values)
    return texts


def slice_unit_name(group: str) -> str:
    """Return the systemd slice of a group's path (systemd.unit(5)).

    For example, `domtune/io` becomes `domtune-io.slice`.
    """
    parts = [part for part in group.split("/") if part]
    return "-".join(re.sub(rb"[^A-Za-z0-9:_.]", _escape_byte, part.encode()).decode() for part in parts) + ".slice"


def _escape_byte(found: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % found[0][0]


def _template_values(split: SplitConfig) -> dict[str, Any]:
    """Return the values of the templates by name."""
    facts = split.facts
    limits = CGROUP_LIMITS[facts.scheduler]
    groups = [_scripted_group(split, domain, limits) for domain in (IO, GUEST)]
    by_role = {group.role: group for group in groups}
    return evidence_values(split) | {
        "v1": limits is CGROUP_V1,
        "flavour": "control groups, version 1" if limits is CGROUP_V1 else "control groups, version 2",
        "io_group": by_role[IO].name,
        "guest_group": by_role[GUEST].name,
        "io_slice": by_role[IO].slice,
        "guest_slice": by_role[GUEST].slice,
        "groups": groups,
        "neutral": _cgroup_values(limits, CgroupParams(limits.default_weight)),
        "kernel": facts.versions.get("kernel", ""),
        "scope": split.scope("groups"),
        "neighbourly": _other_groups_text(split, limits) if split.mode is Mode.WEIGHTS and split.made_for_it else "",
    }


def _scripted_group(split: SplitConfig, domain: DomainId, limits: CgroupLimits) -> ScriptedGroup:
    facts = split.facts
    params = _cgroup_params(split.params)[domain]
    name = next((each.name for each in facts.domains if each.id == domain), f"domtune/{domain}")
    unit = params if split.mode is Mode.CAPS else _weights_for_systemd(split, limits)[domain]
    return ScriptedGroup(
        role=domain,
        title=DOMAIN_TITLES[domain],
        name=name,
        slice=slice_unit_name(name),
        variable=f"DOMTUNE_{domain.upper()}_GROUP",
        values=_cgroup_values(limits, params),
        among_others=_cgroup_values(limits, _weights_among_others(split, limits)[domain]),
        words=params.words,
        settings=_unit_settings(unit, split.mode),
        settings_among_others=_unit_settings(_weights_among_others(split, CGROUP_V2)[domain], split.mode),
    )


def _cgroup_values(limits: CgroupLimits, params: CgroupParams) -> str:
    none = "-1" if limits is CGROUP_V1 else "max"
    period_us = DEFAULT_PERIOD_US if params.quota_us is None else params.period_us
    return f"{params.weight} {none if params.quota_us is None else params.quota_us} {period_us}"


def _weights_among_others(split: SplitConfig, limits: CgroupLimits) -> dict[DomainId, CgroupParams]:
    """Return weights in the same ratio around the kernel's default; quotas unchanged.

    A sweep's two groups have a folder of their own and may have the largest weights. In a slice with other services,
    the weight of each counts against the sum of all (kernel documentation, cgroup-v2: Weights).
    """
    params = _cgroup_params(split.params)
    if split.mode is Mode.CAPS:
        return params
    parts = {domain: Fraction(each.weight) for domain, each in params.items()}
    fair = choose_weights(parts, limits.default_weight, limits.weights[1])
    return {domain: msgspec.structs.replace(each, weight=fair[domain]) for domain, each in params.items()}


def _other_groups_text(split: SplitConfig, limits: CgroupLimits) -> str:
    """Return the text for README.txt on the weights next to other groups."""
    wide, fair = _cgroup_params(split.params), _weights_among_others(split, limits)
    default, file = limits.default_weight, "cpu.shares" if limits is CGROUP_V1 else "cpu.weight"

    def left(params: Mapping[DomainId, CgroupParams]) -> str:
        return format_percent(default / (default + sum(each.weight for each in params.values())))

    text = (
        "Weights count against every group beside the two, too, and only where the two stand beside each other. The "
        "folder domtune holds nothing else. In groups that exist already the scripts set "
        f"{file} {fair[IO].weight} and {fair[GUEST].weight} instead, the same ratio around the kernel's default "
        f"of {default}: a service beside them is left {left(fair)} of a CPU that all three want; it would be "
        f"{left(wide)} with the weights above."
    )
    return textwrap.fill(text, 100)


def _weights_for_systemd(split: SplitConfig, limits: CgroupLimits) -> dict[DomainId, CgroupParams]:
    """Return the weights for CPUWeight=.

    systemd reads CPUWeight= on the scale of version 2 under both versions (systemd.resource-control(5)). The weights of
    version 2 are therefore unchanged. Larger weights of version 1 are converted in their ratio.
    """
    params = _cgroup_params(split.params)
    if limits is CGROUP_V2:
        return params
    most = CGROUP_V2.weights[1]
    ratio = Fraction(params[IO].weight, params[GUEST].weight).limit_denominator(most)
    same = split_between(float(ratio.numerator), float(ratio.denominator))
    return _cgroup_params(find_share_model(CGROUP_V2.scheduler).encode(same, Mode.WEIGHTS, split.period_us).params)


def _cgroup_params(params: Mapping[DomainId, SchedParams]) -> dict[DomainId, CgroupParams]:
    return {domain: narrow_params(each, CgroupParams, f"the {domain} group") for domain, each in params.items()}


def _unit_settings(params: CgroupParams, mode: Mode) -> tuple[str, ...]:
    if mode is Mode.WEIGHTS or params.quota_us is None:
        return (f"CPUWeight={params.weight}",)
    # systemd keeps two decimals of the percentage.
    percent = f"{100 * params.quota_us / params.period_us:.2f}".rstrip("0").rstrip(".")
    return f"CPUQuota={percent}%", f"CPUQuotaPeriodSec={params.period_us}us"
