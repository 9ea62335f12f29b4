"""Laws of the bench that asks what a race would gain by knowing where the rule points (docs/decisions/0050)."""

import random
from collections import Counter

import msgspec
import pytest

from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import PAPER_SPLITS
from scheduler.plans.choice import plan_for
from scheduler.plans.visits import Visit
from tests.bench.decide_pointed import ORDERED, WITHOUT, race_of
from tests.bench.decide_received import PAPER_COSTS, Received, losses_told
from tests.bench.decide_rule import _CELLS, _case
from tests.bench.decide_trial import answer_of
from tests.data_maker import make_done, make_spec
from tests.unit.stats.surface_maker import KINDS, surface_of

SURFACE = surface_of("paper_base")
BEST = {"1:1", "1:2", "2:5"}
SPEC = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["adaptive"])
ORDER = next(arm for arm in ORDERED if arm.orders)


def seen(visit, number=0, told="right"):
    """Return the result of an undisturbed visit, with the CPU that its host says was received."""
    label = visit.setting.label if visit.setting else "1:1"
    done = make_done(visit, number, SURFACE[visit.load][label])
    received = Received(PAPER_COSTS, told).of(done, max(SURFACE[visit.load].values()), random.Random(number))
    return msgspec.structs.replace(done, delivered_frac=received)


def at_first(told="right"):
    return [seen(Visit(None, (kind,), -1, 15, 10), told=told) for kind in KINDS]


def test_that_a_race_that_is_told_nothing_is_the_products_own():
    case = _case(_CELLS[0], WITHOUT, 1)
    assert answer_of(case) == answer_of(case._replace(plan=plan_for, received=None))


@pytest.mark.parametrize(("told", "near"), [("right", True), ("stolen", True), ("elsewhere", False)])
def test_that_one_visit_to_the_host_as_found_tells_where_the_best_is_unless_it_misleads(told, near):
    losses = losses_told(at_first(told), SPEC)
    assert set(losses) == {*PAPER_SPLITS}
    assert (min(losses, key=losses.__getitem__) in BEST) is near


def test_that_the_first_block_goes_outwards_and_leaves_nothing_out():
    plan, made = race_of(ORDER, {}, SPEC), []
    visit = next(plan)
    while visit.block < 1:
        made.append(visit)
        visit = plan.send((seen(visit, len(made)),))
    first = [visit.setting.label for visit in made if visit.setting]
    assert Counter(first) == dict.fromkeys(PAPER_SPLITS, len(KINDS))
    assert first[0] in BEST
    losses = losses_told(at_first(), SPEC)
    assert losses[first[0]] < losses[first[4]] < losses[first[8]]
