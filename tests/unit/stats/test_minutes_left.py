"""The fewest minutes that would decide count all that a race still has to measure."""

import msgspec
import numpy as np
import pytest

from scheduler.model.decision import DecisionKind
from scheduler.model.protocols import PROTOCOLS
from scheduler.stats.decision_rules import LEAST_BASELINE_PAIRS, find_remaining_blocks, make_decision
from scheduler.stats.gain import SplitGain
from scheduler.stats.leader_comparison import select_judged
from scheduler.stats.recommendation import gather_evidence
from scheduler.stats.verdict import estimate_more_trials, judge_splits
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import trials_at

WEIGHTS = {"osdb-ir": 1.0}
NARROW = {"frac": 0.01, "ci95_frac": (-0.001, 0.0211)}  # one more block would make this interval narrow enough


def judgement_of(rival_tps):
    """Return what six blocks of 1:1 show next to a rival of this throughput."""
    spec = make_spec(splits=("1:1", "1:2", "1:10"), kinds=("osdb-ir",))
    surface = {"osdb-ir": {"1:1": 100.0, "1:2": rival_tps, "1:10": 50.0}}
    trials = trials_at(surface, np.random.default_rng(3), blocks=6, sd=0.04, baseline_tps={"osdb-ir": 99.0})
    evidence = gather_evidence(trials, spec)
    return judge_splits(select_judged(evidence.cells, WEIGHTS), WEIGHTS, evidence.points)


def blocks_left(protocol, *, pairs, found):
    """Return the time left in blocks of the best split and the original settings (race), or of all settings."""
    spec = msgspec.structs.replace(
        make_spec(splits=("1:1", "1:2", "1:10"), kinds=("osdb-ir",)), protocol=PROTOCOLS[protocol]
    )
    rest = find_remaining_blocks(spec)
    decision = make_decision(found, SplitGain(**NARROW, pairs=pairs), {}, spec.objective, rest=rest)
    assert decision.kind is DecisionKind.NOT_YET
    return decision.minutes_left / rest.minutes_per_setting / rest.settings


@pytest.mark.parametrize(("pairs", "blocks"), [(3, LEAST_BASELINE_PAIRS - 3), (LEAST_BASELINE_PAIRS, 2)])
def test_minutes_left_of_race_include_least_number_of_baseline_pairs(pairs, blocks):
    assert blocks_left("adaptive", pairs=pairs, found=judgement_of(70.0)) == pytest.approx(blocks)


def test_minutes_left_of_grid_need_no_least_number_of_pairs():
    assert blocks_left("grid", pairs=3, found=judgement_of(70.0)) == pytest.approx(1)


def test_minutes_left_of_race_include_splits_that_may_be_the_best():
    found = judgement_of(97.0)
    count, rivals = estimate_more_trials(found.against)
    assert rivals == ("1:2",)
    pairs = LEAST_BASELINE_PAIRS
    left = blocks_left("adaptive", pairs=pairs, found=found)
    assert left == pytest.approx(max(2, count) + count * len(rivals) / 2)
    assert left > blocks_left("adaptive", pairs=pairs, found=judgement_of(70.0))


def test_minutes_left_are_unknown_when_no_number_of_trials_would_report_the_best_split():
    found = judgement_of(97.0)
    noisy = {
        label: msgspec.structs.replace(rival, scale=100 * rival.scale, p_better=0.4)
        for label, rival in found.against.rivals.items()
    }
    found = msgspec.structs.replace(found, against=msgspec.structs.replace(found.against, rivals=noisy))
    spec = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["adaptive"])
    gain = SplitGain(**NARROW, pairs=LEAST_BASELINE_PAIRS)
    assert make_decision(found, gain, {}, spec.objective, rest=find_remaining_blocks(spec)).minutes_left is None
