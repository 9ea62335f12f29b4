"""Selection of the findings of preflight that matter to a study."""

from collections.abc import Iterable

from scheduler.model.host_properties import PreflightFinding, StudyConcern
from scheduler.model.spec import Mode, RunSpec

WRITE_CONCERNS = frozenset(
    {StudyConcern.ANY, StudyConcern.SPLIT, StudyConcern.COMPETITION, StudyConcern.WEIGHTS, StudyConcern.CAPS}
)
"""Concerns where a split is set or followed without measuring."""


def list_concerns(spec: RunSpec) -> frozenset[StudyConcern]:
    """Return the concerns of a study.

    The concerns follow from the changes of the host and from the competition of the domains.
    """
    modes = {mode for _, mode in spec.split_modes}
    divides = bool(modes)
    found = {
        StudyConcern.ANY: True,
        StudyConcern.MEASURING: True,
        StudyConcern.OTHERS: True,
        StudyConcern.SPLIT: divides,
        # An overhead study compares one confined guest with its reference: no domain competes for the CPU.
        StudyConcern.COMPETITION: divides and not spec.kind.compares_sides,
        StudyConcern.WEIGHTS: Mode.WEIGHTS in modes,
        StudyConcern.CAPS: Mode.CAPS in modes,
        # Where the sweep confines the domains, `place_domains` drops these two, and OTHERS with guests kept away.
        StudyConcern.FIXED_VCPUS: not spec.kind.varies_vcpus,
        StudyConcern.AS_FOUND: True,
    }
    return frozenset(concern for concern, holds in found.items() if holds)


def select_findings(spec: RunSpec, findings: Iterable[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """Return the findings that concern this study, in their order.

    Args:
        spec: The plan.
        findings: All findings.
    """
    concerns = list_concerns(spec)
    return tuple(finding for finding in findings if finding.concern in concerns)
