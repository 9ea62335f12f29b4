"""A share sweep says when its weights decided nothing, and why."""

import msgspec
import numpy as np
import pytest

from scheduler.model.decision import DecisionKind
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.results import MeasuredPoint, SplitVerdict
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.stats.racing import assess_race
from scheduler.stats.recommendation import recommend_split
from scheduler.stats.weight_effect import weights_without_effect
from tests.data_maker import make_spec
from tests.settings import setting_at
from tests.unit.stats.surface_maker import trials_at


def point(split, asked, got, used=1.0, load="osdb-ir"):
    """A point whose I/O domain was promised one part of the CPU and got another of what was used."""
    return MeasuredPoint(
        setting=setting_at(split),
        load=load,
        mean_tps=100.0,
        ci95_tps=None,
        cv=None,
        trials=1,
        allotted_share={IO: asked, GUEST: 1 - asked},
        used_share={IO: got * used, GUEST: (1 - got) * used},
    )


def said(*points, mode=Mode.WEIGHTS, cpus=1):
    return list(weights_without_effect(points, mode, cpus))


def test_weights_no_one_competed_under_are_named_with_the_idle_cpu():
    (text,) = said(point("1:10", 0.09, 0.42, used=0.6), point("10:1", 0.91, 0.44, used=0.64))
    assert "42 to 44 %" in text
    assert "9 to 91 %" in text
    assert "38 % idle" in text


def test_full_cpu_on_which_the_two_take_turns_is_distinguished():
    (text,) = said(point("1:10", 0.09, 0.42), point("10:1", 0.91, 0.44))
    assert "idle" not in text
    assert "one domain waited while the other worked" in text


def test_weights_which_are_followed_are_no_notice():
    assert not said(point("1:10", 0.09, 0.1), point("10:1", 0.91, 0.8))


def test_each_load_is_judged_by_itself():
    followed = [point("1:10", 0.09, 0.1), point("10:1", 0.91, 0.8)]
    ignored = [point("1:10", 0.09, 0.5, load="osdb-oltp"), point("10:1", 0.91, 0.5, load="osdb-oltp")]
    (text,) = said(*followed, *ignored)
    assert "OLTP" in text


@pytest.mark.parametrize("cpus", [1, 2])
def test_idle_cpu_is_counted_over_all_that_are_shared(cpus):
    (text,) = said(point("1:10", 0.09, 0.4, used=0.8 * cpus), point("10:1", 0.91, 0.4, used=0.8 * cpus), cpus=cpus)
    assert "20 % idle" in text


def test_partitions_single_points_and_narrow_sweeps_are_left_alone():
    wide = [point("1:10", 0.09, 0.42), point("10:1", 0.91, 0.44)]
    assert not said(*wide, mode=Mode.CAPS)
    assert not said(wide[0])
    assert not said(point("1:1", 0.5, 0.42), point("5:4", 0.55, 0.42))


def test_points_without_a_measured_cpu_do_not_count():
    blind = point("1:10", 0.09, 0.4, used=0.0)
    assert not said(blind, point("10:1", 0.91, 0.4))


KINDS = ("osdb-ir", "osdb-oltp")


def swept_trials(followed=()):
    """A share sweep in which 1:2 was faster throughout; weights decided only under the loads that are `followed`."""
    spec = make_spec(splits=("1:2", "1:1", "2:1"), mode=Mode.WEIGHTS, repeats=6)
    tps = {"1:2": 100.0, "1:1": 80.0, "2:1": 60.0}
    trials = trials_at(dict.fromkeys(KINDS, tps), np.random.default_rng(3), blocks=6, sd=0.02)

    def with_cpu(trial):
        io = trial.setting.split.io_frac
        got = io if trial.load in followed else 0.4
        return msgspec.structs.replace(
            trial, allotted_frac={IO: io, GUEST: 1 - io}, used_frac={IO: got, GUEST: 1 - got}
        )

    return [with_cpu(trial) for trial in trials], spec


def test_nothing_is_recommended_on_account_of_weights_that_decided_nothing():
    assert swept(followed=KINDS).verdict is SplitVerdict.RECOMMEND
    answer = swept()
    assert answer.verdict is SplitVerdict.NONE
    assert "weights had little effect under IR and OLTP" in answer.sentences[0]
    assert answer.sentences[0].endswith("Use the mode 'caps', or more users.")


def test_load_under_which_weights_decided_nothing_does_not_count():
    answer = swept(followed=("osdb-oltp",))
    assert answer.verdict is SplitVerdict.RECOMMEND
    assert answer.weights == {"osdb-ir": 0.5, "osdb-oltp": 0.5}
    assert any(line.startswith("IR does not count: weights had little effect there") for line in answer.sentences)


def swept(followed=()):
    return recommend_split(*swept_trials(followed))


def test_weights_without_effect_order_to_change_nothing():
    answer = swept()
    assert answer.decision.kind is DecisionKind.STAY
    assert answer.headline == (
        "Keep the original settings. The split has no effect: weights had little effect under IR and OLTP."
    )
    assert swept(followed=KINDS).decision.kind is DecisionKind.UNKNOWN  # no baseline in these trials


@pytest.mark.parametrize("protocol", ["adaptive", "quick", "strict"])
def test_race_ends_once_weights_show_no_effect(protocol):
    for followed, decided in (((), True), (KINDS[:1], False)):
        trials, spec = swept_trials(followed)
        spec = msgspec.structs.replace(spec, protocol=PROTOCOLS[protocol])
        assert assess_race([trial for trial in trials if trial.block < 2], spec).is_decided is decided
