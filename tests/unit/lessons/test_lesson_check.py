"""Check of a student's run against the truth."""

import msgspec

from scheduler.lessons.lesson_check import check_lesson
from scheduler.model.decision import DecisionKind
from scheduler.model.lesson_entry import LessonEntry
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents


def check_of(documents):
    """Return the check of a run in which the student predicted 1:1."""
    started = documents[0]
    entry = LessonEntry(name="1-first", student="Ana", prediction="1:1")
    started = msgspec.structs.replace(started, spec=msgspec.structs.replace(started.spec, lesson=entry))
    return check_lesson(started, summarise_run(documents))


def test_lesson_check_says_when_the_run_has_not_decided():
    documents = list(make_documents(samples=False))
    decided = check_of(documents)
    assert decided.decided
    assert "(not decided)" not in decided.sentences[0]
    first_trials = [*documents[: len(documents) // 3], documents[-1]]
    results = summarise_run(first_trials)
    assert results.answer.decision.kind in {DecisionKind.NOT_YET, DecisionKind.UNKNOWN}
    early = check_of(first_trials)
    assert not early.decided
    assert "(not decided)" in early.sentences[0]
    assert early.decision == results.answer.headline
