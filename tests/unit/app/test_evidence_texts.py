"""The short lines under the answer never claim more than the trials bear."""

import msgspec

from app.pages.result_head import gain_line, sure_line
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.results import Recommendation, SplitVerdict
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents
from tests.settings import setting_at


def answer_of(**options):
    return summarise_run(make_documents(**options)).answer


def test_gain_is_next_to_its_interval_or_the_words_that_it_has_none():
    assert "; 95 % interval " in gain_line(answer_of()).replace("\xa0", " ")
    single = answer_of(repeats=1)
    assert single.gain_ci95_frac is None
    assert gain_line(single).endswith("; no interval: too few trials")


def test_host_measured_under_one_load_alone_is_not_reported_to_be_unmeasured():
    documents = [
        each for each in make_documents() if not (getattr(each, "setting", "") is None and each.load == "osdb-ir")
    ]
    answer = summarise_run(documents).answer
    assert answer.gain_frac is None
    assert gain_line(answer).endswith("were not measured under every load.")


def test_certainty_that_is_not_claimed_reports_why():
    answer = msgspec.structs.replace(answer_of(), decision=SweepDecision(kind=DecisionKind.NOT_YET))
    unsure = msgspec.structs.replace(answer, verdict=SplitVerdict.NONE, confidence=0.98, needed_confidence=0.995)
    words = sure_line(unsure).replace("\xa0", " ")
    assert ": 98 % (" in words
    assert words.endswith("(99.5 % needed)")
    kept_from_before = msgspec.structs.replace(unsure, confidence=0.7, needed_confidence=0.0)
    assert sure_line(kept_from_before).endswith("(too low)")
    few = msgspec.structs.replace(unsure, needed_confidence=1.0)
    assert sure_line(few).endswith("(too few trials)")


def test_what_is_needed_is_what_was_reached_where_a_split_is_named():
    answer = answer_of()
    assert answer.verdict is not SplitVerdict.NONE
    assert 0.9 < answer.needed_confidence < 1
    named = answer.confidence >= answer.needed_confidence
    assert named or answer.verdict is SplitVerdict.EQUIVALENT


def test_sure_line_nothing_to_change_needs_no_winner():
    decision = SweepDecision(kind=DecisionKind.STAY, setting=setting_at("1:1"))
    answer = Recommendation(
        verdict=SplitVerdict.NONE, setting=setting_at("1:1"), confidence=0.9, needed_confidence=0.99, decision=decision
    )
    assert "needed" not in sure_line(answer)
