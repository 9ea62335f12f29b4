"""Words for ranks and decisions, the same wherever the window names a split."""

import pytest

from app.display_texts import NARROW
from app.pages.decision_texts import doubt_words, list_words, rank_words, ranks_of
from scheduler.model.decision import DecisionKind, SweepDecision, SweepPurpose
from scheduler.model.results import Recommendation, SplitVerdict
from tests.settings import split_at, splits_at

_GAIN = {"gain_frac": 0.09, "gain_ci95_frac": (0.05, 0.13)}


def _decision(kind: DecisionKind, **more) -> SweepDecision:
    return SweepDecision(**{"kind": kind, "setting": split_at("2:5"), "worth_frac": 0.02} | more)


def test_list_words_each_decision_is_named_with_its_gain():
    cost = {"gain_frac": -0.01, "gain_ci95_frac": (-0.03, 0.01)}
    assert list_words(_decision(DecisionKind.CHANGE, **_GAIN)) == (
        "change to 2:5",
        f"+9{NARROW}% (5 to 13{NARROW}%)",
    )
    divided = _decision(DecisionKind.CHANGE, purpose=SweepPurpose.DIVIDE, **_GAIN)
    assert list_words(divided)[0] == "divide 2:5"
    verdict, remark = list_words(_decision(DecisionKind.STAY, **cost))
    assert (verdict, remark.partition(" (")[0]) == ("change nothing", f"2:5: \N{MINUS SIGN}1{NARROW}%")
    assert list_words(_decision(DecisionKind.NOT_YET, minutes_left=12.2)) == ("undecided", "about 12 min more")
    assert list_words(_decision(DecisionKind.UNKNOWN)) == ("gain not measured", "")
    assert list_words(SweepDecision()) == ("no answer", "")


def test_doubt_words_only_an_ordered_split_has_none():
    assert doubt_words(_decision(DecisionKind.CHANGE, **_GAIN)) == ""
    cost = _decision(DecisionKind.STAY, gain_frac=-0.03, gain_ci95_frac=(-0.05, -0.01))
    assert doubt_words(cost).startswith("This costs throughput: 2:5 gives \N{MINUS SIGN}3")
    doubtful = _decision(DecisionKind.STAY, gain_frac=-0.04, gain_ci95_frac=(-0.09, 0.01))
    assert doubt_words(doubtful).startswith("This is not worth a change: 2:5 gives \N{MINUS SIGN}4")
    small = _decision(DecisionKind.STAY, gain_frac=0.01, gain_ci95_frac=(0.0, 0.015))
    assert doubt_words(small).startswith("This is not worth a change: 2:5")
    assert doubt_words(_decision(DecisionKind.NOT_YET)).startswith("The gain is uncertain: too few trials")
    assert doubt_words(_decision(DecisionKind.NOT_YET, **_GAIN)).startswith("The gain is uncertain: 2:5 gives +9")
    assert (
        doubt_words(_decision(DecisionKind.NOT_YET, missing="trials differ")) == "The gain is uncertain: trials differ."
    )
    unknown = "The gain of 2:5 over the original settings was not measured"
    assert doubt_words(_decision(DecisionKind.UNKNOWN)) == f"{unknown}."
    assert doubt_words(_decision(DecisionKind.UNKNOWN, missing="no baseline")) == f"{unknown}: no baseline."


@pytest.mark.parametrize(
    ("verdict", "kind", "proven", "words"),
    [
        (SplitVerdict.EQUIVALENT, DecisionKind.CHANGE, True, ("change to 2:5", "equally good", "may be equal", "")),
        (SplitVerdict.EQUIVALENT, DecisionKind.STAY, False, ("best", "may be equal", "may be equal", "")),
        (SplitVerdict.NONE, DecisionKind.NOT_YET, False, ("best so far", "may be equal", "may be equal", "")),
    ],
)
def test_rank_words_each_rank_has_its_own_words(verdict, kind, proven, words):
    answer = Recommendation(
        verdict=verdict,
        setting=split_at("2:5"),
        equivalent=splits_at("2:5", "1:2"),
        possible=splits_at("1:3"),
        decision=_decision(kind),
        proven=proven,
    )
    assert tuple(rank_words(answer, split_at(label)) for label in ("2:5", "1:2", "1:3", "5:1")) == words
    best = words[0] if kind is DecisionKind.CHANGE else f"2:5: {words[0]}"
    assert ranks_of(answer) == f"{best}; 1:2: {words[1]}; 1:3: {words[2]}."
