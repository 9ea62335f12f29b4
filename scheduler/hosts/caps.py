"""The refusal of caps where the domains may run on several CPUs: what DomTune caps is the time of one CPU."""

from collections.abc import Collection

from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.sentence_texts import format_cpu_list


def caps_on_several(cpus: Collection[int], pins: str, *, by_weights: bool) -> PreflightFinding:
    """Return the error that stops a sweep by caps on several CPUs.

    Args:
        cpus: The CPUs on which any of the domains may run, at least two.
        pins: How to pin the domains to one CPU, and how to undo that; a sentence without its beginning.
        by_weights: Whether the scheduler divides by weights, too.
    """
    weights = "Use weights (mode = 'weights'), or pin" if by_weights else "Pin"
    return PreflightFinding(
        Severity.ERROR,
        f"caps divide the time of one CPU, but the domains may run on {len(cpus)} CPUs ({format_cpu_list(cpus)}): "
        "capped, they would use at most one of these together, and the I/O domain might starve",
        f"{weights} the domains to one CPU: {pins}",
        concern=StudyConcern.CAPS,
    )
