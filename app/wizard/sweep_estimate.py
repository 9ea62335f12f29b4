"""Cached estimate of a sweep's trials and duration on its host.

The estimate is needed at each keystroke.
"""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from scheduler.errors import SpecError
from scheduler.model.codec import encode_line, make_decoder
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import count_certain_trials, duration_s, usual_s

_SPECS = make_decoder(RunSpec)


class SweepEstimate(NamedTuple):
    """Estimate of a sweep.

    Attributes:
        trials: Number of trials.
        best_s: Shortest duration, seconds.
        worst_s: Longest duration, seconds.
        usual_s: Usual duration, seconds.
    """

    trials: int
    best_s: float
    worst_s: float
    usual_s: float


def adapt_to_host(spec: RunSpec, facts: HostProperties | None) -> RunSpec:
    """Return the plan without the settings that its host does not have.

    An unknown host, or a host that refuses the plan, leaves the plan unchanged.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    try:
        return spec if facts is None else spec.fit_to_shared_set(facts)
    except SpecError:
        return spec


def estimate_sweep(spec: RunSpec) -> SweepEstimate:
    """Return the estimate of a plan."""
    # Names and server settings do not affect the estimate, so the cache ignores them.
    nameless = msgspec.structs.replace(spec, name="", host_url="", io_domain="", guest_domain="", server={})
    return _estimate_encoded(encode_line(nameless))


@lru_cache(maxsize=16)
def _estimate_encoded(line: bytes) -> SweepEstimate:
    spec = _SPECS.decode(line)
    return SweepEstimate(count_certain_trials(spec), *duration_s(spec), usual_s(spec))
