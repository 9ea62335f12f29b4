"""Answer of a study to the trials of a run, ended or still measuring."""

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from scheduler.model.base_answer import BaseAnswer
from scheduler.model.decision import SweepDecision
from scheduler.model.documents import RunStarted, TrialDone
from scheduler.model.host_properties import HostProperties
from scheduler.model.queueing import QueueModel
from scheduler.model.results import Answer, MeasuredPoint
from scheduler.model.spec import RunSpec
from scheduler.model.studies import StudyFinding
from scheduler.stats.points import build_points
from scheduler.translation import _

SomeAnswer = TypeVar("SomeAnswer", bound=BaseAnswer)
_SIMULATED = _("Simulated: none of these figures was measured on a machine.")


class StudyAnswer(NamedTuple):
    """Answer of a study to the trials of a run.

    Attributes:
        points: One per setting and load.
        answer: The recommendation, or the finding of a study that recommends no split.
        model: Queueing models of the loads, where the study fits any.
        notices: Sentences about limits of the answer.
    """

    points: tuple[MeasuredPoint, ...]
    answer: Answer
    model: tuple[QueueModel, ...] = ()
    notices: tuple[str, ...] = ()


class InterimDecision(NamedTuple):
    """Answer to a sweep that is still measuring.

    Attributes:
        decision: The decision on the trials so far; `unknown` for a study that decides about no split.
        text: The same as sentences, with the evidence that is still missing.
    """

    decision: SweepDecision
    text: str


class AnswersRuns(Protocol):
    """The object `ANSWERS` in module `finding` of a study's package."""

    def answer(self, trials: Sequence[TrialDone], started: RunStarted) -> StudyAnswer:
        """Return the answer to all trials of a run.

        The answer is deterministic. Too few trials never raise an error.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
        """
        ...

    def decide_so_far(self, trials: Sequence[TrialDone], started: RunStarted, *, ended: bool) -> InterimDecision:
        """Return the decision on the trials so far, and its sentences.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
            ended: True when the plan has ended: the text is then the headline of the result.
        """
        ...


class FindsInTrials(Protocol):
    """A function that returns a study's finding."""

    def __call__(
        self,
        trials: Sequence[TrialDone],
        points: Sequence[MeasuredPoint],
        spec: RunSpec,
        facts: HostProperties | None = None,
    ) -> StudyFinding:
        """Return the finding so far.

        The finding is deterministic. Too few trials never raise an error.

        Args:
            trials: All trials so far, invalid ones included.
            points: Their points.
            spec: The plan.
            facts: Host properties at the start; None where they are not known.
        """
        ...


class FindingAnswers:
    """Answers of a study that recommends no split: its finding.

    Args:
        find: Returns the finding.
    """

    def __init__(self, find: FindsInTrials) -> None:
        self._find = find

    def answer(self, trials: Sequence[TrialDone], started: RunStarted) -> StudyAnswer:
        """Return the finding.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
        """
        return StudyAnswer(*self._find_in(trials, started))

    def decide_so_far(self, trials: Sequence[TrialDone], started: RunStarted, *, ended: bool) -> InterimDecision:
        """Return the finding's headline, without a decision about a split.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
            ended: Ignored.
        """
        del ended
        return InterimDecision(SweepDecision(), self._find_in(trials, started)[1].headline)

    def _find_in(
        self, trials: Sequence[TrialDone], started: RunStarted
    ) -> tuple[tuple[MeasuredPoint, ...], StudyFinding]:
        cpus = max(1, len(started.facts.shared_cpus))
        points = build_points(trials, mode=started.spec.mode, cpus=cpus)
        return points, self._find(trials, points, started.spec, started.facts)


def answer_run(trials: Sequence[TrialDone], started: RunStarted) -> StudyAnswer:
    """Return the answer of the run's study, marked where its host is simulated.

    Args:
        trials: All trials so far, invalid ones included.
        started: First document of the run.
    """
    found = _answers_of(started.spec).answer(trials, started)
    return found._replace(answer=mark_simulated(found.answer)) if started.facts.simulated else found


def decide_so_far(trials: Sequence[TrialDone], started: RunStarted, *, ended: bool = False) -> InterimDecision:
    """Decide on the trials so far, by the same function as the result of the run.

    Args:
        trials: All trials so far, invalid ones included.
        started: First document of the run.
        ended: True when the plan has ended: the text is then the headline of the result.
    """
    if trials or ended:
        decision, text = _answers_of(started.spec).decide_so_far(trials, started, ended=ended)
    else:
        decision, text = SweepDecision(), _("no measurements yet.")
    if not ended:
        text = _("So far: {text}").format(text=text)
    if started.facts.simulated:
        text = _mark_headline(text)
    return InterimDecision(decision, text)


def mark_simulated(answer: SomeAnswer) -> SomeAnswer:
    """Mark the answer as simulated in its own sentences, so that every copy shows it."""
    return msgspec.structs.replace(answer, headline=_mark_headline(answer.headline), remark=_SIMULATED)


def _mark_headline(text: str) -> str:
    return _("{text} (simulated).").format(text=text.rstrip("."))


def _answers_of(spec: RunSpec) -> AnswersRuns:
    return import_module(f"{spec.kind.module}.finding").ANSWERS
