"""Preflight error for caps on several CPUs.

A cap limits a domain's use of one CPU.
"""

from collections.abc import Collection

from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.sentence_texts import format_cpu_list


def caps_on_several(cpus: Collection[int], pins: str, *, by_weights: bool) -> PreflightFinding:
    """Return the error that stops a sweep by caps on several CPUs.

    Args:
        cpus: CPUs on which any of the domains may run, at least two.
        pins: Commands that pin the domains to one CPU, and their undo; the end of a sentence.
        by_weights: True when the scheduler also divides the CPU by weights.
    """
    weights = "Use weights (mode = 'weights'), or pin" if by_weights else "Pin"
    return PreflightFinding(
        Severity.ERROR,
        f"caps divide the time of one CPU, but the domains may run on {len(cpus)} CPUs ({format_cpu_list(cpus)}): "
        "capped, they would use at most one of these together, and the I/O domain might starve",
        f"{weights} the domains to one CPU: {pins}",
        concern=StudyConcern.CAPS,
    )
