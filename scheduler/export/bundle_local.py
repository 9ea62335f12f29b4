"""Bundle that sets a split on a host with control groups.

Names from a plan or a host are foreign data: they are values of `split.conf`, and are escaped in unit names as
systemd-escape(1) does.
"""

import re
import textwrap
from collections.abc import Mapping
from fractions import Fraction

import msgspec

from scheduler.export import bundle_placement as placement
from scheduler.export.bundle_files import DOMAIN_TITLES, BundleContent, ReadmeSubject
from scheduler.export.split_config import SplitConfig
from scheduler.export.templates import single_line
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
from scheduler.translation import _

CGROUP_LIMITS = {limits.scheduler: limits for limits in (CGROUP_V1, CGROUP_V2)}
"""Values that the kernel accepts, by share model."""

_OWN_GROUPS = _("""
To use groups that exist already, give their paths below the CPU controller's folder, to every script:

  DOMTUNE_IO_GROUP=system.slice/haproxy.service DOMTUNE_GUEST_GROUP=system.slice/postgresql.service ./apply.sh

To keep the split with systemd, run persist.sh. Groups that you named have to be services or slices then. For
DomTune's own groups, assign your services to the slices above (systemctl edit NAME.service; then [Service]
and Slice=...), and restart them.""")


class _GroupValues(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one group.

    Attributes:
        name: Path below the CPU controller's folder.
        params: Parameters of the split.
        settings: Lines of the slice's unit.
        near: Parameters next to other groups; None when they are the same.
        near_settings: Lines of the unit next to other units.
    """

    name: str
    params: CgroupParams
    settings: tuple[str, ...]
    near: CgroupParams | None
    near_settings: tuple[str, ...]


def group_content(split: SplitConfig) -> BundleContent:
    """Return the content of a bundle for control groups."""
    limits = CGROUP_LIMITS[split.facts.scheduler]
    groups = {domain: _group_values(split, domain, limits) for domain in (IO, GUEST)}
    kernel = single_line(split.facts.versions.get("kernel", ""))
    values = {"cgroup_version": limits.scheduler.removeprefix("cgroup-v"), "version": kernel}
    values |= placement.placement_values(split, everywhere="any")
    for domain, group in groups.items():
        values |= {
            f"{domain}_group": group.name,
            f"{domain}_slice": slice_unit_name(group.name),
            f"{domain}_values": _cgroup_values(limits, group.params),
            f"{domain}_settings": " ".join(group.settings),
            f"{domain}_values_near": _cgroup_values(limits, group.near) if group.near else "",
            f"{domain}_settings_near": " ".join(group.near_settings),
        }
    near = [_other_groups_text(split, limits)] if groups[IO].near else []
    return BundleContent(
        toolstack="cgroup",
        values=values,
        things=_("control groups"),
        subjects=[_group_subject(domain, group) for domain, group in groups.items()],
        persists=_("keeps the split over a reboot, with settings for two systemd units"),
        runs_where=_("They need only sh and awk, not DomTune."),
        scope=placement.placed_scope(split, "groups"),
        notes=[*near, _OWN_GROUPS],
    )


def _group_values(split: SplitConfig, domain: DomainId, limits: CgroupLimits) -> _GroupValues:
    params = _cgroup_params(split.params)
    unit = params if split.mode is Mode.CAPS else _weights_for_systemd(split, limits)
    near = split.mode is Mode.WEIGHTS and split.made_for_it
    placed = placement.find_placements(split)
    mask = placed[domain].vcpus[0] if placed else ()
    cpus = (f"AllowedCPUs={placement.format_mask_word(mask)}",) if mask else ()
    return _GroupValues(
        name=next((each.name for each in split.facts.domains if each.id == domain), f"domtune/{domain}"),
        params=params[domain],
        settings=(*_unit_settings(unit[domain], split.mode), *cpus),
        near=_weights_among_others(split, limits)[domain] if near else None,
        near_settings=(*_unit_settings(_weights_among_others(split, CGROUP_V2)[domain], split.mode), *cpus)
        if near
        else (),
    )


def _group_subject(domain: DomainId, group: _GroupValues) -> ReadmeSubject:
    name = _("{single_line}   (variable DOMTUNE_{domain}_GROUP names another)").format(
        single_line=single_line(group.name), domain=domain.upper()
    )
    unit = f"{slice_unit_name(group.name)}: {', '.join(group.settings)}"
    return ReadmeSubject(
        title=DOMAIN_TITLES[domain], words=group.params.words, details=(("group", name), ("systemd", unit))
    )


def slice_unit_name(group: str) -> str:
    """Return the systemd slice of a group's path (systemd.unit(5)).

    For example, `domtune/io` becomes `domtune-io.slice`.
    """
    parts = [part for part in group.split("/") if part]
    return "-".join(re.sub(rb"[^A-Za-z0-9:_.]", _escape_byte, part.encode()).decode() for part in parts) + ".slice"


def _escape_byte(found: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % found[0][0]


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

    text = _(
        "Weights also compete with every other group at the same level, and work only "
        "between sibling groups. The folder domtune has only these two groups. In existing "
        "groups the scripts set {file} {weight} and {weight_2} instead: the same ratio "
        "around the kernel's default of {default}. Another busy service next to them then "
        "gets {left} of the CPU, instead of {left_2} with the weights above."
    ).format(
        file=file,
        weight=fair[IO].weight,
        weight_2=fair[GUEST].weight,
        default=default,
        left=left(fair),
        left_2=left(wide),
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
    return {
        domain: narrow_params(params[domain], CgroupParams, _("the {domain} group").format(domain=domain))
        for domain in (IO, GUEST)
    }


def _unit_settings(params: CgroupParams, mode: Mode) -> tuple[str, ...]:
    if mode is Mode.WEIGHTS or params.quota_us is None:
        return (f"CPUWeight={params.weight}",)
    # systemd keeps two decimals of the percentage.
    percent = f"{100 * params.quota_us / params.period_us:.2f}".rstrip("0").rstrip(".")
    return f"CPUQuota={percent}%", f"CPUQuotaPeriodSec={params.period_us}us"
