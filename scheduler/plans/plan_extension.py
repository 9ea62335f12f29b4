"""Extension of an undecided run's plan, so that another run can continue it."""

import math

import msgspec

from scheduler.errors import SpecError
from scheduler.model.spec import RunSpec
from scheduler.stats.decision_rules import block_minutes
from scheduler.translation import _

_MOST_REPEATS, _MOST_MIN = 1000, 10_000


def lengthen_plan(spec: RunSpec, minutes: float) -> RunSpec:
    """Return the same plan with room for more minutes of trials.

    All measured trials belong to the longer plan, too.

    Args:
        spec: Plan of the run that ended.
        minutes: Minutes of further trials, > 0; at least one block is added.

    Raises:
        SpecError: The plan has the largest possible length, or its study cannot be lengthened.
    """
    protocol = spec.protocol
    if not spec.kind.recommends_split:
        raise SpecError(
            "--for",
            _("the study {kind!r} cannot be lengthened").format(kind=spec.kind.name),
            hint=_("Start a new run instead."),
        )
    block_min = block_minutes(spec)
    blocks = max(1, math.ceil(minutes / block_min))
    longer = msgspec.structs.replace(protocol, repeats=min(_MOST_REPEATS, protocol.repeats + blocks))
    if protocol.limit_min:
        limit_min = protocol.limit_min + math.ceil(blocks * block_min + block_min)
        longer = msgspec.structs.replace(longer, limit_min=min(_MOST_MIN, limit_min))
    if longer == protocol:
        raise SpecError("--for", _("the plan is as long as a plan can be"), hint=_("Start a new run instead."))
    return msgspec.structs.replace(spec, protocol=longer)


def is_lengthened(spec: RunSpec, earlier: RunSpec) -> bool:
    """Return True when a plan differs from an earlier plan only by a greater length.

    Args:
        spec: The plan that may be longer.
        earlier: The earlier plan.
    """
    mine, before = spec.protocol, earlier.protocol
    if mine.repeats < before.repeats or mine.limit_min < before.limit_min:
        return False
    same = msgspec.structs.replace(mine, repeats=before.repeats, limit_min=before.limit_min)
    return spec != earlier and msgspec.structs.replace(spec, protocol=same) == earlier
