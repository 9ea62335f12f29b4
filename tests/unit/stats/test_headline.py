"""Laws of the answer's one sentence."""

import numpy as np
import pytest

from scheduler.stats.reasons import _range
from scheduler.stats.recommend import recommend
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import visits_at


@pytest.mark.parametrize(
    ("found_tps", "start"),
    [(150.0, "Change nothing: every split costs"), (60.0, "Give the I/O domain 50 %")],
)
def test_that_the_answer_is_to_keep_a_host_that_beats_every_split(found_tps: float, start: str):
    spec = make_spec(splits=("1:1", "1:10"), kinds=("osdb-ir",), repeats=6)
    surface = {"osdb-ir": {"1:1": 100.0, "1:10": 50.0}}
    base = {"osdb-ir": found_tps}
    visits = visits_at(surface, np.random.default_rng(1), blocks=6, baseline_tps=base, drift_sd=0.01)
    assert recommend(visits, spec).headline.startswith(start)


def test_that_no_sign_changes_its_meaning_within_a_sentence():
    assert _range(-0.025, 0.13) == "between 2.5 % more and 13 % less"
    assert _range(0.21, 0.33) == "21 to 33 %"
