"""Questions to one-shot commands."""

import pytest

from app.core_process import CommandRunner
from app.wizard.command_query import CommandQuery
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import HostProbe
from tests.ui.wizard.helpers import LIMIT_MS

pytestmark = pytest.mark.ui


def test_command_that_fails_is_an_answer_in_words(runner: CommandRunner, qtbot):
    question: CommandQuery[HostProbe] = CommandQuery(runner, HostProbe, 30.0)
    errors: list[SchedulerError] = []
    question.failed.connect(errors.append)
    with qtbot.waitSignal(question.ended, timeout=LIMIT_MS):
        question.ask("no-such-word")
    assert ["no-such-word" in str(error) for error in errors] == [True]
    assert not question.busy


def test_only_the_last_question_is_answered(runner: CommandRunner, host: str, qtbot):
    question: CommandQuery[HostProbe] = CommandQuery(runner, HostProbe, 30.0)
    answers: list[HostProbe] = []
    question.answered.connect(answers.append)
    question.ask("probe", "nothing:", "--json")
    with qtbot.waitSignal(question.ended, timeout=LIMIT_MS):
        question.ask("probe", host, "--json")
    qtbot.waitUntil(lambda: runner.idle, timeout=LIMIT_MS)
    assert [answer.facts.url for answer in answers] == [host]
