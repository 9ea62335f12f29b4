"""Laws of the tolerance: what is within it does not matter, and nothing else is read at another one."""

import msgspec
import numpy as np
import pytest

from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.results import SplitVerdict
from scheduler.stats.racing import assess_race
from scheduler.stats.recommendation import recommend_split
from tests.bench.decide_trial import Case, answer_of
from tests.data_maker import make_spec
from tests.settings import labels
from tests.unit.stats.surface_maker import trials_at
from tests.volume import few, times

KINDS = ("osdb-ir",)
SURFACE = {"osdb-ir": {"1:1": 100.0, "1:2": 95.0, "1:10": 50.0}}


def spec_of(tolerance_frac: float):
    spec = make_spec(splits=tuple(SURFACE["osdb-ir"]), kinds=KINDS, repeats=12)
    return msgspec.structs.replace(spec, objective=Objective(tolerance_frac=tolerance_frac))


def trials_of(sd: float = 0.005):
    return trials_at(SURFACE, np.random.default_rng(4), blocks=14, sd=sd)


def test_split_5_percent_behind_is_as_good_where_8_percent_do_not_matter():
    narrow, wide = (recommend_split(trials_of(), spec_of(tolerance)) for tolerance in (0.02, 0.08))
    assert (narrow.verdict, narrow.label, labels(narrow.equivalent)) == (SplitVerdict.RECOMMEND, "1:1", ("1:1",))
    assert wide.verdict is SplitVerdict.EQUIVALENT
    assert set(labels(wide.equivalent)) == {"1:1", "1:2"}
    assert "within 8 %" in wide.headline
    assert wide.tolerance_frac == 0.08
    assert [row.p_worse > 0.9 for row in narrow.regret] == [False, True, True]
    assert [row.p_worse > 0.9 for row in wide.regret] == [False, False, True]


def test_claim_is_of_the_zone():
    answer = recommend_split(trials_of(0.002), spec_of(0.03))
    assert answer.verdict is SplitVerdict.RECOMMEND
    assert answer.sentences[0].startswith("1:1 loses at most 3 % against any of the 3 splits measured")
    assert not any(" 2 %" in line for line in answer.sentences)


def test_other_weights_keep_the_zone():
    answer = recommend_split(trials_of(), spec_of(0.08), {"osdb-ir": 1.0})
    assert answer.tolerance_frac == 0.08
    assert answer.verdict is SplitVerdict.EQUIVALENT


def test_more_is_certain_the_more_does_not_matter():
    specs = [
        msgspec.structs.replace(spec_of(tolerance), protocol=PROTOCOLS["adaptive"])
        for tolerance in (0.005, 0.02, 0.05, 0.1)
    ]
    doubts = [assess_race(trials_of(0.04), spec).doubt for spec in specs]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[0] > doubts[-1]


@pytest.mark.parametrize("name", few(["adaptive"], ["strict"]))
def test_race_ends_sooner_where_more_does_not_matter(name: str):
    surface = {"osdb-ir": {"1:1": 1000.0, "1:2": 985.0, "2:1": 500.0}}

    def minutes(tolerance_frac: float) -> float:
        case = Case(
            surface, "lab", PROTOCOLS[name], KINDS, 0, Objective(tolerance_frac=tolerance_frac), (*surface["osdb-ir"],)
        )
        return sum(answer_of(case._replace(seed=seed)).minutes for seed in range(times(1, 12)))

    assert minutes(0.06) < 0.8 * minutes(0.02)
