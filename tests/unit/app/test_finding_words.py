"""A few words of each study's finding in a row of Home."""

import pytest

from app.studies.text_registry import study_texts_of
from scheduler.studies.capacity.declaration import CapacityFinding, KneeEstimate
from scheduler.studies.isolation.declaration import IsolationFinding
from scheduler.studies.overhead.declaration import OverheadFinding, SlowdownEstimate
from scheduler.studies.scaling.declaration import ScaleUpFinding, VcpuThroughput


def knee(above: int, most: int, *, is_open: bool = False) -> KneeEstimate:
    ends = {"highest_tps": 9.0, "highest_ci95_tps": (8.0, 10.0), "best_users": most, "trials": 9, "tried": 32}
    return KneeEstimate(load="tpcb", unit="tx/s", above=above, most=most, open=is_open, **ends)


def slowdown(low: float) -> SlowdownEstimate:
    names = {"load": "tpch", "side": "via the I/O domain", "item": ""}
    return SlowdownEstimate(**names, base_ms=10.0, side_ms=12.0, slowdown_frac=0.2, ci95_frac=(low, 0.3), blocks=6)


SIZES = tuple(
    VcpuThroughput(load="order-entry", unit="tx/s", vcpus=n, mean_tps=9.0, ratio=ratio, blocks=3)
    for n, ratio in ((1, 1.0), (4, 2.5))
)


@pytest.mark.parametrize(
    ("study", "finding", "words"),
    [
        ("capacity", CapacityFinding(knees=(knee(5, 6),)), "saturated at 6 users"),
        ("capacity", CapacityFinding(knees=(knee(2, 4),)), "saturated at 3 to 4 users"),
        ("capacity", CapacityFinding(knees=(knee(0, 9),)), "saturated between 1 and 9 users"),
        ("capacity", CapacityFinding(knees=(knee(9, 32, is_open=True),)), "not saturated at 32 users"),
        ("capacity", CapacityFinding(knees=(knee(5, 6), knee(2, 3))), "2 curves"),
        ("capacity", CapacityFinding(), "no answer"),
        ("overhead", OverheadFinding(overall=(slowdown(0.1),)), "20\N{NO-BREAK SPACE}% slower"),
        ("overhead", OverheadFinding(overall=(slowdown(-0.1),)), "noise"),
        ("overhead", OverheadFinding(), "no answer"),
        ("scale-up", ScaleUpFinding(sizes=SIZES), "2.5 times with 4 vCPUs"),
        ("scale-up", ScaleUpFinding(), "no answer"),
        ("isolation", IsolationFinding(headline="Both are kept."), "Both are kept."),
    ],
)
def test_finding_words_name_the_answer_of_each_study(study, finding, words):
    assert study_texts_of(study).finding_words(finding) == words
