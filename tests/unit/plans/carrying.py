"""Carries a plan out without an engine."""

import math

from scheduler.model.split import any_split
from scheduler.plans.choice import plan_for
from tests.data_maker import make_done


def carried_out(spec, answer, most=5_000, settable=any_split):
    """Carry the plan out; `answer` returns a visit's throughput, NaN for one that failed."""
    plan, made = plan_for(spec, settable), []
    visit = next(plan)
    while True:
        assert len(made) < most, "it does not end"
        tps = answer(visit)
        failed = math.isnan(tps)
        made.append(make_done(visit, len(made), 0.0 if failed else tps, valid=not failed))
        try:
            visit = plan.send(made[-1])
        except StopIteration:
            return made
