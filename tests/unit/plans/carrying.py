"""Carries a plan out without an engine."""

import math

import msgspec

from scheduler.model.split import any_split
from scheduler.plans.study_plan import choose_plan
from tests.data_maker import make_done


def carried_out(spec, answer, most=5_000, settable=any_split, rates_tps=()):
    """Carry the plan out.

    `answer` returns a trial's throughput, NaN for one that failed. `rates_tps` are the seconds of all trials, or a
    function that returns those of a trial.
    """
    plan, made, number = choose_plan(spec, settable), [], 0
    trial = next(plan)
    while True:
        assert len(made) < most, "it does not end"
        tps = answer(trial)
        failed = math.isnan(tps)
        done = make_done(trial, number, 0.0 if failed else tps, valid=not failed)
        rates = rates_tps(trial) if callable(rates_tps) else rates_tps
        done = msgspec.structs.replace(done, rates_tps=rates)
        guests = [(each.guest, each.load) for each in trial.members if each.guest]  # each has a result
        dones = tuple(msgspec.structs.replace(done, guest=guest, load=load) for guest, load in guests) or (done,)
        made += dones
        number += 1
        try:
            trial = plan.send(dones)
        except StopIteration:
            return made
