"""Recommendation of a split sweep from its trials."""

from collections.abc import Sequence

from scheduler.model.documents import RunStarted, TrialDone
from scheduler.shares.model_lookup import build_settable_check
from scheduler.stats.queueing.fitting import fit_models
from scheduler.stats.recommendation import TrialEvidence, gather_evidence, recommend_from_evidence
from scheduler.stats.study_answer import AnswersRuns, InterimDecision, StudyAnswer
from scheduler.stats.weight_effect import weights_without_effect
from scheduler.studies.split.interim_decision import describe_so_far


class SplitAnswers:
    """Answers of the split study: the split to use, or the reason why none is named."""

    def answer(self, trials: Sequence[TrialDone], started: RunStarted) -> StudyAnswer:
        """Return the recommendation, and a queueing model of each load.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
        """
        spec, evidence = started.spec, _gather(trials, started)
        points, cpus = tuple(evidence.points.values()), evidence.cpus
        notices = weights_without_effect(points, spec.mode, cpus) if spec.protocol.decides else ()
        models = fit_models(points, spec, cpus=cpus)
        return StudyAnswer(points, recommend_from_evidence(evidence), models, tuple(notices))

    def decide_so_far(self, trials: Sequence[TrialDone], started: RunStarted, *, ended: bool) -> InterimDecision:
        """Return the decision, and a sentence about the trials that it still needs.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
            ended: True when the plan has ended: the text is then the headline of the result.
        """
        spec, evidence = started.spec, _gather(trials, started)
        answer = recommend_from_evidence(evidence)
        plain = ended or not spec.protocol.decides
        text = answer.headline if plain else describe_so_far(answer, spec, evidence.points)
        return InterimDecision(answer.decision, text)


def _gather(trials: Sequence[TrialDone], started: RunStarted) -> TrialEvidence:
    spec, facts = started.spec, started.facts
    settable = build_settable_check(facts, spec.mode, spec.period_us)
    cpus = max(1, len(facts.shared_cpus))
    return gather_evidence(trials, spec, cpus=cpus, settable=settable, history=started.history)


ANSWERS: AnswersRuns = SplitAnswers()
