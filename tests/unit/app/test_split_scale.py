import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.wizard.split_scale import END, NICE, PRESETS, by_position, end_of, lanes, nearest, neighbour, position
from scheduler.model.spec import PAPER_SPLITS


def test_that_nice_splits_are_in_lowest_terms_in_order_and_within_the_scale():
    places = [position(text) for text in NICE]
    assert places == sorted(places)
    assert len(set(NICE)) == len(NICE)
    assert (NICE[0], NICE[-1]) == ("1:10", "10:1")
    assert all(abs(place) <= END + 1e-12 for place in places)
    assert "2:4" not in NICE


def test_that_every_preset_has_splits_that_can_be_dragged_to():
    assert all(text in NICE for preset in PRESETS.values() for text in preset)
    assert PRESETS["paper"] == PAPER_SPLITS


@given(st.floats(-10, 10))
def test_that_the_nearest_split_is_the_nearest(at: float):
    found = nearest(at, ())
    assert found is not None
    assert abs(position(found) - at) == min(abs(position(text) - at) for text in NICE)


def test_that_a_split_that_is_taken_is_not_offered_again():
    assert nearest(0.0, ()) == "1:1"
    assert nearest(0.0, ("1:1",)) in ("9:10", "10:9")
    assert nearest(0.0, NICE) is None
    assert neighbour("1:1", 1, ("10:9",)) == "9:8"


@pytest.mark.parametrize("step", [1, -1])
def test_that_stepping_visits_every_nice_split_to_the_end(step: int):
    here, seen = "1:1", ["1:1"]
    while (found := neighbour(here, step, ())) is not None:
        here = found
        seen.append(here)
    assert len(seen) == (len(NICE) + 1) / 2
    assert [position(text) * step for text in seen] == sorted(position(text) * step for text in seen)


def test_that_the_scale_grows_for_a_split_beyond_its_ends():
    assert end_of(["1:1"]) == END
    assert end_of(["1:50", "2:1"]) == pytest.approx(math.log(50))
    assert by_position(["2:1", "1:50", "1:1"]) == ["1:50", "1:1", "2:1"]


@given(st.lists(st.floats(0, 1000), max_size=20).map(sorted), st.floats(1, 200))
def test_that_chips_of_one_lane_never_overlap_and_low_lanes_come_first(places: list[float], width: float):
    found = lanes(places, width)
    for lane in set(found):
        here = [place for place, its in zip(places, found, strict=True) if its == lane]
        assert all(b - a >= width * (1 - 1e-9) for a, b in itertools.pairwise(here))
    assert set(found) == set(range(max(found, default=-1) + 1))
