import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.wizard.split_scale import (
    END,
    NICE_SPLITS,
    PRESETS,
    chip_rows,
    nearest_split,
    next_split,
    scale_end,
    sort_by_position,
    split_position,
)
from scheduler.model.spec import PAPER_SPLITS


def test_nice_splits_are_in_lowest_terms_in_order_and_within_the_scale():
    places = [split_position(text) for text in NICE_SPLITS]
    assert places == sorted(places)
    assert len(set(NICE_SPLITS)) == len(NICE_SPLITS)
    assert (NICE_SPLITS[0], NICE_SPLITS[-1]) == ("1:10", "10:1")
    assert all(abs(place) <= END + 1e-12 for place in places)
    assert "2:4" not in NICE_SPLITS


def test_every_preset_has_splits_that_can_be_dragged_to():
    assert all(text in NICE_SPLITS for preset in PRESETS.values() for text in preset)
    assert PRESETS["paper"] == PAPER_SPLITS


@given(st.floats(-10, 10))
def test_nearest_split_is_the_nearest(at: float):
    found = nearest_split(at, ())
    assert found is not None
    assert abs(split_position(found) - at) == min(abs(split_position(text) - at) for text in NICE_SPLITS)


def test_split_that_is_taken_is_not_offered_again():
    assert nearest_split(0.0, ()) == "1:1"
    assert nearest_split(0.0, ("1:1",)) in ("9:10", "10:9")
    assert nearest_split(0.0, NICE_SPLITS) is None
    assert next_split("1:1", 1, ("10:9",)) == "9:8"


@pytest.mark.parametrize("step", [1, -1])
def test_stepping_measures_every_nice_split_to_the_end(step: int):
    here, seen = "1:1", ["1:1"]
    while (found := next_split(here, step, ())) is not None:
        here = found
        seen.append(here)
    assert len(seen) == (len(NICE_SPLITS) + 1) / 2
    assert [split_position(text) * step for text in seen] == sorted(split_position(text) * step for text in seen)


def test_scale_grows_for_a_split_beyond_its_ends():
    assert scale_end(["1:1"]) == END
    assert scale_end(["1:50", "2:1"]) == pytest.approx(math.log(50))
    assert sort_by_position(["2:1", "1:50", "1:1"]) == ["1:50", "1:1", "2:1"]


@given(st.lists(st.floats(0, 1000), max_size=20).map(sorted), st.floats(1, 200))
def test_chips_of_one_lane_never_overlap_and_low_lanes_come_first(places: list[float], width: float):
    found = chip_rows(places, width)
    for lane in set(found):
        here = [place for place, its in zip(places, found, strict=True) if its == lane]
        assert all(b - a >= width * (1 - 1e-9) for a, b in itertools.pairwise(here))
    assert set(found) == set(range(max(found, default=-1) + 1))
