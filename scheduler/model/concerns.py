"""Keep the findings of preflight that matter to the question that is asked."""

from collections.abc import Iterable

from scheduler.model.facts import Concern, Finding
from scheduler.model.setting import GuestsSetting, split_of
from scheduler.model.spec import Mode, RunSpec

WRITING = frozenset({Concern.ANY, Concern.SPLIT, Concern.COMPETITION, Concern.WEIGHTS, Concern.CAPS})
"""Concerns where a split is set or followed and nothing is measured."""


def concerns_of(spec: RunSpec) -> frozenset[Concern]:
    """Return the concerns of a study: what it sets on the host, and whether the domains compete in it."""
    shared = [setting for setting in spec.settings if isinstance(setting, GuestsSetting)]
    divides = bool(shared) or any(split_of(setting) is not None for setting in spec.settings)
    modes = {Mode(setting.mode) for setting in shared} or {spec.mode}
    found = {
        Concern.ANY: True,
        Concern.MEASURING: True,
        Concern.SPLIT: divides,
        # An overhead study compares one confined guest with its base: nothing competes for the CPU.
        Concern.COMPETITION: divides and spec.kind.factor != "side",
        Concern.WEIGHTS: divides and Mode.SHARE in modes,
        Concern.CAPS: divides and Mode.PARTITION in modes,
        Concern.FIXED_VCPUS: spec.kind.factor != "vcpus",
    }
    return frozenset(concern for concern, holds in found.items() if holds)


def fit_findings(spec: RunSpec, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that concern this study, in their order."""
    concerns = concerns_of(spec)
    return tuple(finding for finding in findings if finding.concern in concerns)
