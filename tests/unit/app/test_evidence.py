"""The short lines under the answer never claim more than the visits bear."""

import msgspec

from app.panels.evidence import gain_line, sure_line
from scheduler.model.results import Verdict
from scheduler.stats.results import results_from
from tests.data_maker import make_documents


def answer_of(**options):
    return results_from(make_documents(**options)).recommendation


def test_that_a_gain_stands_beside_its_interval_or_the_words_that_it_has_none():
    assert "; 95 % interval " in gain_line(answer_of()).replace("\xa0", " ")
    single = answer_of(repeats=1)
    assert single.gain_ci95_frac is None
    assert gain_line(single).endswith("; no interval: too few visits")


def test_that_a_certainty_that_is_not_claimed_says_why():
    unsure = msgspec.structs.replace(answer_of(), verdict=Verdict.NONE, confidence=0.7)
    assert sure_line(unsure).endswith(": not enough")
    sure = msgspec.structs.replace(unsure, confidence=0.96)
    assert sure_line(sure).endswith(": too few visits to say so")
