"""What a sweep comes to on its host: its visits, its time; remembered, because it is asked for at every keystroke."""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from scheduler.errors import SpecError
from scheduler.model.codec import to_line
from scheduler.model.facts import HostFacts
from scheduler.model.spec import RunSpec
from scheduler.plans.duration import duration_s, usual_s, visit_count
from scheduler.plans.fitting import fitted


class Outlook(NamedTuple):
    """What a sweep comes to.

    Attributes:
        visits: Number of visits.
        best_s: Best duration, seconds.
        worst_s: Worst duration, seconds.
        usual_s: About how long it usually takes, seconds.
    """

    visits: int
    best_s: float
    worst_s: float
    usual_s: float


def as_carried_out(spec: RunSpec, facts: HostFacts | None) -> RunSpec:
    """Return the sweep as its host will have it: what that does not have is left out.

    As it is where the host is not known, and where it refuses: that is told elsewhere.
    """
    try:
        return spec if facts is None else fitted(spec, facts)
    except SpecError:
        return spec


def outlook(spec: RunSpec) -> Outlook:
    """Return what a sweep comes to."""
    # Its names have no influence, nor has its server; without them, typing one costs nothing.
    nameless = msgspec.structs.replace(spec, name="", host_url="", io_domain="", guest_domain="", server={})
    return _outlook(to_line(nameless))


@lru_cache(maxsize=16)
def _outlook(line: bytes) -> Outlook:
    spec = msgspec.json.decode(line, type=RunSpec)
    return Outlook(visit_count(spec), *duration_s(spec), usual_s(spec))
