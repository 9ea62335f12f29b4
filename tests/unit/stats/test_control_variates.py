"""Laws of adjusting for CPU time that others took: it steadies what it explains, and cannot turn a comparison round."""

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model.protocols import PROTOCOLS
from scheduler.stats.control_variates import MOST_SLOPE, build_adjusted_cells, estimate_adjustment, log_cpu_left
from scheduler.stats.paired_comparison import build_cells, fit_additive
from scheduler.stats.racing import ADJUSTED_FRAC, STOP_DOUBT, assess_race
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import KINDS, surface_of, trials_at

PASSES, SPLITS = 8, 4
SPEC = make_spec()


def drawn(seed, *, slope=1.0, sd=0.03, passes=PASSES):
    """Return x and z, [pass, split]: half of the trials lose something to neighbours."""
    dice = np.random.default_rng(seed)
    z = -dice.uniform(0.1, 0.3, (passes, SPLITS)) * (dice.random((passes, SPLITS)) < 0.5)
    return slope * z + dice.normal(0, sd, z.shape) + dice.normal(0, 0.1, (passes, 1)), z


def stolen(trials, frac_of):
    return [msgspec.structs.replace(trial, stolen_frac=frac_of(trial)) for trial in trials]


def disturbed_trials(seed, *, blocks=12):
    """Return trials some of which lost CPU time, and know it."""
    dice = np.random.default_rng(seed)
    out = []
    for trial in trials_at(surface_of("paper_base"), dice, blocks=blocks, sd=0.03):
        taken = float(dice.choice([0.0, 0.0, 0.05, 0.2]))
        out.append(msgspec.structs.replace(trial, stolen_frac=taken, mean_tps=trial.mean_tps * (1 - taken)))
    return out


def test_slope_is_that_of_least_squares_over_splits_passes_and_what_was_left():
    x, z = drawn(1, sd=0.001)
    rows, columns = np.indices(x.shape)
    frame = np.column_stack([rows.ravel() == p for p in range(PASSES)] + [columns.ravel() == a for a in range(SPLITS)])
    wanted = np.linalg.lstsq(np.column_stack([frame, z.ravel()]).astype(float), x.ravel())[0][-1]
    found = estimate_adjustment(x, z)
    assert found is not None
    assert found.slope == pytest.approx(wanted, rel=0.01)  # next to nothing is shrunk where nothing is in doubt


def test_what_explains_the_trials_steadies_them_and_costs_a_degree_of_freedom():
    trials = disturbed_trials(2)
    plain, steadied = build_cells(trials, KINDS), build_adjusted_cells(trials, SPEC)
    for load in range(len(KINDS)):
        before, after = plain.load_fits[load], steadied.load_fits[load]
        found = steadied.adjustments[load]
        assert before
        assert after
        assert found
        assert after.fit.dof == before.fit.dof - 1
        assert found.sd_before == pytest.approx(math.sqrt(before.fit.rss / before.fit.dof))
        assert found.sd_after == pytest.approx(math.sqrt(after.fit.rss / after.fit.dof))
        assert found.sd_after < 0.6 * found.sd_before


def test_stolen_time_of_which_nothing_is_known_or_that_never_was_changes_nothing():
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(3))
    plain = build_cells(trials, KINDS).x
    for frac_of in (lambda _: 0.0, lambda _: None, lambda trial: None if trial.trial == 20 else trial.trial / 1000):
        cells = build_adjusted_cells(stolen(trials, frac_of), SPEC)
        assert not any(cells.adjustments)
        assert np.array_equal(cells.x, plain, equal_nan=True)


@given(st.integers(0, 10**6), st.floats(-2, 4), st.integers(2, 12))
def test_adjustment_always_pays_for_itself_and_stays_within_reason(seed, slope, passes):
    found = estimate_adjustment(*drawn(seed, slope=slope, passes=passes))
    if found is not None:
        assert 0 < found.slope <= MOST_SLOPE
        assert found.sd_after < found.sd_before


def test_what_explains_nothing_moves_next_to_nothing():
    found = [estimate_adjustment(*drawn(seed, slope=0.0)) for seed in range(300)]
    slopes = [adjustment.slope if adjustment else 0.0 for adjustment in found]
    assert sum(slope == 0 for slope in slopes) > 200
    assert float(np.mean(slopes)) < 0.02


def test_time_that_a_split_itself_takes_throughout_changes_no_comparison():
    """A fifth of what was left, at one split: from the mean of all trials it would be credited with that fifth."""
    trials = disturbed_trials(6)

    def more(trial):
        own = 0.2 if trial.setting is not None and trial.setting.label == "1:2" else 0.0
        return 1 - (1 - trial.stolen_frac) * (1 - own)

    plain, caused = build_adjusted_cells(trials, SPEC), build_adjusted_cells(stolen(trials, more), SPEC)
    assert all(plain.adjustments)
    assert caused.x == pytest.approx(plain.x, nan_ok=True, abs=1e-9)


def test_what_is_never_quiet_or_follows_from_the_throughput_is_left_alone():
    dice = np.random.default_rng(4)
    for _ in range(50):
        x = np.log([[100.0, 90.0, 50.0, 20.0]]) + dice.normal(0, 0.05, (PASSES, SPLITS))
        assert estimate_adjustment(x, x + dice.normal(0, 0.01, x.shape)) is None


def test_split_is_measured_from_its_quietest_trial():
    trials = disturbed_trials(7)
    cells, plain = build_adjusted_cells(trials, SPEC), build_cells(trials, KINDS)
    left = build_cells(trials, KINDS, log_cpu_left).x
    quiet = left == np.nanmax(left, axis=0)
    assert cells.x[quiet] == pytest.approx(plain.x[quiet])
    assert (cells.x[left < -0.1] > plain.x[left < -0.1]).all()


def test_other_programs_count_like_other_machines():
    trial = trials_at(surface_of("paper_base"), np.random.default_rng(1))[0]
    assert math.isnan(log_cpu_left(trial))
    assert log_cpu_left(msgspec.structs.replace(trial, stolen_frac=0.1)) == pytest.approx(math.log(0.9))
    both = msgspec.structs.replace(trial, stolen_frac=0.1, foreign_frac=0.2)
    assert log_cpu_left(both) == pytest.approx(math.log(0.7))
    assert math.isfinite(log_cpu_left(msgspec.structs.replace(trial, stolen_frac=1.0)))


def test_answer_reports_what_was_adjusted_and_how_much_it_helped():
    reasons = recommend_split(disturbed_trials(5), SPEC).sentences
    reported = [reason for reason in reasons if "CPU time that others took" in reason]
    assert len(reported) == 2
    assert reported[0].startswith("IR was adjusted for CPU time that others took: its trials differ by ")
    plain = recommend_split(trials_at(surface_of("paper_base"), np.random.default_rng(5)), SPEC).sentences
    assert not any("others took" in reason for reason in plain)


def test_what_asks_for_certificates_is_not_adjusted():
    strict = msgspec.structs.replace(SPEC, protocol=PROTOCOLS["strict"])
    assert not any(build_adjusted_cells(disturbed_trials(2), strict).adjustments)
    assert any(build_adjusted_cells(disturbed_trials(2), SPEC).adjustments)


def test_degree_of_freedom_is_paid_for_each_slope():
    u = np.random.default_rng(1).normal(0, 1, (5, 3))
    assert fit_additive(u, 2).dof == fit_additive(u).dof - 2


def test_race_that_adjusts_allows_less_doubt():
    spec = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["adaptive"])
    least, most = ADJUSTED_FRAC * STOP_DOUBT["adaptive"], STOP_DOUBT["adaptive"]
    between = 0
    for seed in range(60):
        trials = disturbed_trials(seed, blocks=6)
        if build_adjusted_cells(trials, spec).slopes:
            standing = assess_race(trials, spec)
            assert not (standing.is_decided and standing.doubt > least)
            between += least < standing.doubt <= most
    assert between > 0, "no race stood where it matters"
