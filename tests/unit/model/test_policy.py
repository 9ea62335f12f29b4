"""Laws of the place for policies: whatever a policy asks for, what happens stays within its bounds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.codec import to_document, to_line
from scheduler.model.documents import SettingChanged
from scheduler.model.policy import MOST_CHANGES, Bounded, Bounds
from scheduler.model.setting import split_setting

ONE, TWO, THREE, ELSEWHERE = (split_setting(text) for text in ("1:1", "1:2", "2:1", "5:1"))
ASKED = st.lists(st.sampled_from([None, ONE, TWO, THREE, ELSEWHERE]), min_size=1, max_size=120)


class Listed:
    """Asks for what a list says."""

    def __init__(self, asked):
        self.asked = asked

    def decide(self, second):
        return self.asked[second]


def carried_out(bounded, seconds):
    """Return the changes: second and setting."""
    answers = [(second, bounded.decide(second)) for second in range(seconds)]
    return [(second, setting) for second, setting in answers if setting is not None]


@given(ASKED, st.integers(5, 20), st.integers(1, 8))
def test_that_no_policy_leaves_its_bounds(asked, hold_s, changes):
    bounded = Bounded(Listed(asked), Bounds((ONE, TWO, THREE), hold_s, changes), ONE)
    made = carried_out(bounded, len(asked))
    assert len(made) == bounded.changes <= changes
    assert all(setting in (ONE, TWO, THREE) for _, setting in made)
    moments = [0, *(second for second, _ in made)]
    assert all(later - earlier >= hold_s for earlier, later in pairwise(moments))
    again = Bounded(Listed(asked), Bounds((ONE, TWO, THREE), hold_s, changes), ONE)
    assert carried_out(again, len(asked)) == made


def test_that_what_is_refused_is_said_with_its_numbers():
    bounded = Bounded(Listed([TWO, *[None] * 4, ELSEWHERE, TWO, *[None] * 5, ONE]), Bounds((ONE, TWO), 5, 1), ONE)
    told = []
    for second in range(13):
        bounded.decide(second)
        told.append(bounded.refused)
    assert told[0] == "1:1 was held for 0 s, and stays for 5 s at least"
    assert told[5] == "5:1 is none of the settings that the policy may choose (1:1, 1:2)"
    assert told[6] == ""
    assert told[12] == "1 changes were made, the most in one trial"
    assert bounded.setting == TWO


@pytest.mark.parametrize("wrong", [{"settings": (ONE, ONE)}, {"hold_s": 1}, {"changes": MOST_CHANGES + 1}])
def test_that_bounds_that_are_none_are_refused(wrong):
    with pytest.raises(SpecError):
        Bounds(**{"settings": (ONE, TWO), **wrong})


def test_that_a_change_is_announced_by_a_document():
    document = SettingChanged(t_s=3.5, visit=4, second=30, setting=TWO, before=ONE)
    assert to_document(to_line(document)) == document
