"""How long a sweep takes: one answer, in every place that is asked."""

import re

import pytest

from app.pages.first_start import FirstStart
from app.theme.theme import Theme
from app.widgets.labels import make_label
from app.wizard.plan_texts import time_needed
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard import Wizard
from scheduler.commands.dry_run import estimate_sweep, length_words
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import duration_s, usual_s

# Minutes of nine splits under both loads, shared noise: as `make bench-decide` prints them.
MEASURED_MIN = {"adaptive": 44.4, "quick": 33.4, "strict": 80.0}


@pytest.fixture
def host() -> str:
    return "sim:"


def _plan(**more: str | list[str]) -> RunSpec:
    spec = SweepForm(**more).to_spec()
    assert isinstance(spec, RunSpec)
    return spec


@pytest.mark.parametrize("protocol", MEASURED_MIN)
def test_protocol_usually_takes_what_it_was_measured_to_take(protocol: str):
    spec = _plan(protocol=protocol)
    assert usual_s(spec) / 60 == pytest.approx(MEASURED_MIN[protocol], abs=1)
    best_s, worst_s = duration_s(spec)
    assert best_s < usual_s(spec) < worst_s


def test_protocols_that_decide_differ_in_what_they_are_reported_to_take():
    reported = [time_needed(_plan(protocol=name)) for name, protocol in PROTOCOLS.items() if protocol.adapts]
    assert len(set(reported)) == len(reported) == 3


def test_smaller_plan_takes_less_and_never_more_than_its_limit():
    small = _plan(splits=["1:1", "1:2"], protocol="quick")
    assert usual_s(small) < usual_s(_plan())
    assert usual_s(small) <= duration_s(small)[1]


def test_first_start_card_review_and_terminal_report_the_same(theme: Theme, wizard: Wizard, qtbot):
    usual_min = round(usual_s(_plan()) / 60)
    first = FirstStart(theme)
    qtbot.addWidget(first)
    words = " ".join(part.text() for part in first.card.findChildren(type(make_label(""))))
    assert f"usually about {usual_min} min" in words
    wizard.state.form.host = "local:"
    wizard.state.touch()
    wizard.page_at(4).refresh()
    assert wizard.page_at(4).cards["adaptive"].lead.text() == time_needed(_plan())
    wizard.page_at(5).refresh()
    assert wizard.review.time.text() == f"Takes {time_needed(_plan())}"
    assert f"usually about {usual_min} min, at most 3 h 18 min" in length_words(estimate_sweep(_plan()))


def test_simulated_sweep_is_reported_in_seconds_of_the_clock(wizard: Wizard):
    """With its simulated minutes beside: one that was run, nine splits under both loads, took 11 s drawn."""
    wizard.page_at(5).refresh()
    said = wizard.review.time.text()
    assert re.fullmatch(r"Takes about \d+ s \(44 min simulated\)", said), said
    assert "done" not in wizard.review.until.text()
