"""Tests of plans that continue a run which ended undecided."""

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.protocols import PROTOCOLS
from scheduler.plans.duration import duration_s
from scheduler.plans.lengthening import lengthened, lengthens
from scheduler.stats.decide import minutes_of_block
from tests.data_maker import make_spec
from tests.studies_maker import capacity_documents


def spec_of(protocol, **changes):
    return msgspec.structs.replace(make_spec(), protocol=msgspec.structs.replace(PROTOCOLS[protocol], **changes))


@pytest.mark.parametrize("protocol", ["adaptive", "grid", "replicate"])
@pytest.mark.parametrize("minutes", [0.1, 12.0, 90.0])
def test_lengthened_plan_has_room_for_the_minutes_and_is_the_same_otherwise(protocol, minutes):
    spec = spec_of(protocol)
    longer = lengthened(spec, minutes)
    assert lengthens(longer, spec)
    assert not lengthens(spec, longer)
    assert longer.protocol.repeats * minutes_of_block(spec) >= spec.protocol.repeats * minutes_of_block(spec) + minutes
    if spec.adapts:
        assert longer.protocol.limit_min >= spec.protocol.limit_min + minutes
    else:
        assert duration_s(longer)[1] >= duration_s(spec)[1] + 60 * minutes


def test_lengthened_plan_without_limit_stays_without():
    assert lengthened(spec_of("adaptive", limit_min=0), 12.0).protocol.limit_min == 0


def test_lengthened_refuses_what_cannot_be_longer():
    with pytest.raises(SpecError, match="as long as a plan can be"):
        lengthened(spec_of("grid", repeats=1000), 12.0)
    with pytest.raises(SpecError, match="cannot be lengthened"):
        lengthened(next(iter(capacity_documents())).spec, 12.0)


def test_plan_of_another_order_or_window_lengthens_nothing():
    spec = spec_of("grid")
    longer = lengthened(spec, 12.0)
    assert not lengthens(msgspec.structs.replace(longer, seed=spec.seed + 1), spec)
    assert not lengthens(spec_of("grid", repeats=9, measure_s=11), spec)
    assert not lengthens(spec, spec)
