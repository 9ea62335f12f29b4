"""Carries a plan out without an engine."""

import math

import msgspec

from scheduler.model.split import any_split
from scheduler.plans.plan_choice import choose_plan
from tests.data_maker import make_done


def carried_out(spec, answer, most=5_000, settable=any_split, rates_tps=()):
    """Carry the plan out.

    `answer` returns a trial's throughput, NaN for one that failed. `rates_tps` are the seconds of all trials, or a
    function that returns those of a trial.
    """
    plan, made = choose_plan(spec, settable), []
    trial = next(plan)
    while True:
        assert len(made) < most, "it does not end"
        tps = answer(trial)
        failed = math.isnan(tps)
        done = make_done(trial, len(made), 0.0 if failed else tps, valid=not failed)
        rates = rates_tps(trial) if callable(rates_tps) else rates_tps
        made.append(msgspec.structs.replace(done, rates_tps=rates))
        try:
            trial = plan.send((made[-1],))
        except StopIteration:
            return made
