"""A stored run as the result page needs it; read in the background."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from app.background import BackgroundJob
from app.live.stored_runs import read_documents
from scheduler import places
from scheduler.model.documents import Document, HostCommand, RunOutcome, RunStarted, RunStopped, TrialDone
from scheduler.model.results import Recommendation, Results
from scheduler.model.spec import RunSpec
from scheduler.papers.comparison import PaperComparison, compare_with_papers
from scheduler.shares.model_lookup import build_settable_check
from scheduler.stats.recommendation import TrialEvidence, gather_evidence, recommend_from_evidence
from scheduler.stats.results import summarise_run
from scheduler.stats.study_answer import mark_simulated
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore

_WEIGHT_DIGITS = 4  # normalising leaves 0.010000000000000009


@dataclass(frozen=True, slots=True)
class ResultData:
    """One run.

    Attributes:
        run: Its first document.
        trials: All results of trials, in the order measured.
        results: The summary.
        evidence: What the trials show; the slider's answers are made from it.
        ledger: What the host was told.
        ended: False while nobody, the run itself or who looked after its host, has said its last word.
        continued: True when another run went on with it.
        besides: The run beside the papers that asked the same.
    """

    run: RunStarted
    trials: tuple[TrialDone, ...]
    results: Results
    evidence: TrialEvidence
    ledger: tuple[HostCommand, ...] = ()
    ended: bool = True
    continued: bool = False
    besides: tuple[PaperComparison, ...] = ()

    @property
    def unfinished(self) -> bool:
        """True when trials are missing that the plan wanted."""
        return self.results.outcome is not RunOutcome.COMPLETED

    def weighted(self, weights: dict[str, float]) -> Recommendation:
        """Return the answer for other weights, marked where it is simulated; fast enough for a slider."""
        answer = recommend_from_evidence(self.evidence, weights)
        return mark_simulated(answer) if self.results.simulated else answer

    def no_configuration(self, answer: Recommendation) -> str:
        """Return why the answer cannot be exported as a configuration; empty when it can."""
        from scheduler.export.exporters import list_exporters

        results, spec = self.shown(answer)
        return list_exporters()["bundle"].for_split(answer.decision.setting).refuses(results, spec, self.run.facts)

    def shown(self, answer: Recommendation) -> tuple[Results, RunSpec]:
        """Return results and plan for an export, with the answer and the weights that are on the screen."""
        weights, planned = _round_weights(answer.weights), _round_weights(self.results.recommendation.weights)
        if weights == planned:
            return self.results, self.run.spec
        answer = msgspec.structs.replace(answer, weights=weights)
        results = msgspec.structs.replace(self.results, recommendation=answer, planned_weights=planned)
        return results, msgspec.structs.replace(self.run.spec, weights=weights)


def read_run(run_id: str) -> Callable[[BackgroundJob], ResultData]:
    """Return the work that reads a run from the store; it raises StoreError for one that is not there."""
    read, path = read_documents(run_id, samples=False), places.store_path()

    def work(job: BackgroundJob) -> ResultData:
        documents = read(job)
        with RunStore(path, read_only=True) as store:
            results = load_results(store, store.entry(run_id))
            continued = store.continued(run_id)
        return replace(result_data_of(documents, results), continued=continued)

    return work


def _round_weights(weights: Mapping[str, float]) -> dict[str, float]:
    return {kind: round(weight, _WEIGHT_DIGITS) for kind, weight in weights.items()}


def result_data_of(documents: Sequence[Document], results: Results | None = None) -> ResultData:
    """Summarise documents; raises StoreError when the first is missing.

    Args:
        documents: The run's documents; samples are not needed.
        results: Its results as stored; None derives them.
    """
    results = results or summarise_run(documents)
    run = next(document for document in documents if isinstance(document, RunStarted))
    trials = tuple(document for document in documents if isinstance(document, TrialDone))
    settable = build_settable_check(run.facts, run.spec.mode, run.spec.period_us)
    cpus = max(1, len(run.facts.contended_cpus))
    evidence = gather_evidence(trials, run.spec, cpus=cpus, settable=settable, history=run.history)
    ledger = tuple(document for document in documents if isinstance(document, HostCommand))
    ended = any(isinstance(document, RunStopped) for document in documents)
    beside = compare_with_papers(results, run.spec, run.facts)
    return ResultData(run, trials, results, evidence, ledger, ended, besides=beside)
