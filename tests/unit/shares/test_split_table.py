"""Tests of the share models on the paper's nine splits."""

import pytest

from scheduler.errors import SpecError
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import parse_split
from scheduler.shares.model_lookup import build_share_models
from scheduler.shares.share_model import HostMachine

# What the share models refuse of the nine, by scheduler, mode and period in ms; everything else can be set.
REFUSED = {("sedf", "caps", 20): {"1:10", "10:1", "2:5", "5:2"}}


@pytest.mark.parametrize("name", sorted(build_share_models(HostMachine())))
@pytest.mark.parametrize("period_ms", [20, 100])
def test_papers_splits_are_judged_one_by_one(name, period_ms):
    model = build_share_models(HostMachine())[name]
    for mode in model.modes:
        refused = set()
        for label in PAPER_SPLITS:
            try:
                assert model.encode(parse_split(label), mode, period_ms * 1000).rounding_error_frac <= 0.02
            except SpecError:
                refused.add(label)
        assert refused == REFUSED.get((name, mode.value, period_ms), set())


@pytest.mark.parametrize("name", ["credit", "credit2", "rtds", "sedf", "sedf-xm"])
def test_papers_1_to_10_can_be_measured_and_warns(name):
    model = build_share_models(HostMachine())[name]
    for mode in model.modes:
        encoding = model.encode(parse_split("1:10"), mode, 100_000)
        assert any("less than 10 %" in warning for warning in encoding.warnings)
        quiet = model.encode(parse_split("1:2"), mode, 100_000)
        assert not any("less than 10 %" in warning for warning in quiet.warnings)
        with pytest.raises(SpecError, match="gives the I/O domain"):
            model.encode(parse_split("1:30"), Mode(mode), 100_000)
