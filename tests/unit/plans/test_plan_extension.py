"""Tests of plans that continue a run which ended undecided."""

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.protocols import PROTOCOLS
from scheduler.plans.plan_extension import is_lengthened, lengthen_plan
from scheduler.plans.study_plan import duration_s
from scheduler.stats.decision_rules import block_minutes
from tests.data_maker import make_spec
from tests.studies_maker import capacity_documents


def spec_of(protocol, **changes):
    return msgspec.structs.replace(make_spec(), protocol=msgspec.structs.replace(PROTOCOLS[protocol], **changes))


@pytest.mark.parametrize("protocol", ["adaptive", "grid", "replicate"])
@pytest.mark.parametrize("minutes", [0.1, 12.0, 90.0])
def test_lengthened_plan_has_room_for_the_minutes_and_is_the_same_otherwise(protocol, minutes):
    spec = spec_of(protocol)
    longer = lengthen_plan(spec, minutes)
    assert is_lengthened(longer, spec)
    assert not is_lengthened(spec, longer)
    assert longer.protocol.repeats * block_minutes(spec) >= spec.protocol.repeats * block_minutes(spec) + minutes
    if spec.adapts:
        assert longer.protocol.limit_min >= spec.protocol.limit_min + minutes
    else:
        assert duration_s(longer)[1] >= duration_s(spec)[1] + 60 * minutes


def test_lengthened_plan_without_limit_stays_without():
    assert lengthen_plan(spec_of("adaptive", limit_min=0), 12.0).protocol.limit_min == 0


def test_lengthened_refuses_what_cannot_be_longer():
    with pytest.raises(SpecError, match="as long as a plan can be"):
        lengthen_plan(spec_of("grid", repeats=1000), 12.0)
    with pytest.raises(SpecError, match="cannot be lengthened"):
        lengthen_plan(next(iter(capacity_documents())).spec, 12.0)


def test_plan_of_another_order_or_window_lengthens_nothing():
    spec = spec_of("grid")
    longer = lengthen_plan(spec, 12.0)
    assert not is_lengthened(msgspec.structs.replace(longer, seed=spec.seed + 1), spec)
    assert not is_lengthened(spec_of("grid", repeats=9, measure_s=11), spec)
    assert not is_lengthened(spec, spec)
