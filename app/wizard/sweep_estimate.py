"""What a sweep comes to on its host: its trials, its time; remembered, because it is asked for at every keystroke."""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from scheduler.errors import SpecError
from scheduler.model.codec import encode_line
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.plans.duration import count_certain_trials, duration_s, usual_s


class SweepEstimate(NamedTuple):
    """What a sweep comes to.

    Attributes:
        trials: Number of trials.
        best_s: Best duration, seconds.
        worst_s: Worst duration, seconds.
        usual_s: About how long it usually takes, seconds.
    """

    trials: int
    best_s: float
    worst_s: float
    usual_s: float


def adapt_to_host(spec: RunSpec, facts: HostProperties | None) -> RunSpec:
    """Return the sweep as its host will have it: what that does not have is left out.

    As it is where the host is not known, and where it refuses: that is told elsewhere.
    """
    try:
        return spec if facts is None else spec.fit_to_host(facts)
    except SpecError:
        return spec


def estimate_sweep(spec: RunSpec) -> SweepEstimate:
    """Return what a sweep comes to."""
    # Its names have no influence, nor has its server; without them, typing one costs nothing.
    nameless = msgspec.structs.replace(spec, name="", host_url="", io_domain="", guest_domain="", server={})
    return _estimate_encoded(encode_line(nameless))


@lru_cache(maxsize=16)
def _estimate_encoded(line: bytes) -> SweepEstimate:
    spec = msgspec.json.decode(line, type=RunSpec)
    return SweepEstimate(count_certain_trials(spec), *duration_s(spec), usual_s(spec))
