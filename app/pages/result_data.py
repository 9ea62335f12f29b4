"""Data of a stored run for the result page, read in the background."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from app.background import BackgroundJob
from app.plots.stored_runs import read_documents
from scheduler import places
from scheduler.model.documents import Document, HostCommand, RunOutcome, RunStarted, RunStopped, TrialDone
from scheduler.model.results import Answer, Recommendation, Results
from scheduler.model.spec import RunSpec
from scheduler.papers.comparison import PaperComparison, compare_with_papers
from scheduler.shares.model_lookup import build_settable_check
from scheduler.stats.recommendation import TrialEvidence, gather_evidence, recommend_from_evidence
from scheduler.stats.results import summarise_run
from scheduler.stats.study_answer import mark_simulated
from scheduler.store.result_cache import load_results
from scheduler.store.run_entries import RunOrigin
from scheduler.store.run_store import RunStore

_WEIGHT_DIGITS = 4  # normalising leaves 0.010000000000000009


@dataclass(frozen=True, slots=True)
class ResultData:
    """Run with its trials and results.

    Attributes:
        run: First document of the run.
        trials: All results of trials, in the order measured.
        results: Summary.
        evidence: Figures of the trials, from which answers for other weights are computed.
        command_log: Commands sent to the host.
        ended: False while the end of the run is not recorded.
        continued: True if another run continued this one.
        besides: Comparisons with the papers that asked the same question.
        origin: Origin of an imported run; None for a run of this computer.
        documents: All documents without samples, for a replay.
    """

    run: RunStarted
    trials: tuple[TrialDone, ...]
    results: Results
    evidence: TrialEvidence
    command_log: tuple[HostCommand, ...] = ()
    ended: bool = True
    continued: bool = False
    besides: tuple[PaperComparison, ...] = ()
    origin: RunOrigin | None = None
    documents: tuple[Document, ...] = ()

    @property
    def unfinished(self) -> bool:
        """True when trials of the plan are missing."""
        return self.results.outcome is not RunOutcome.COMPLETED

    def weighted(self, weights: dict[str, float]) -> Recommendation:
        """Return the answer for other weights, fast enough for a slider."""
        answer, stored = recommend_from_evidence(self.evidence, weights), self.results.answer.recommendation
        if stored is not None:
            answer = msgspec.structs.replace(answer, vendors=stored.vendors)
        return mark_simulated(answer) if self.results.simulated else answer

    def no_configuration(self, answer: Answer) -> str:
        """Return why an answer has no configuration export; empty if it has one."""
        from scheduler.export.exporters import list_exporters

        results, spec = self.shown(answer)
        return list_exporters()["bundle"].for_split(answer.decision.setting).refuses(results, spec, self.run.facts)

    def shown(self, answer: Answer) -> tuple[Results, RunSpec]:
        """Return results and plan for an export, with the displayed answer and weights."""
        split, stored = answer.recommendation, self.results.answer.recommendation
        if split is None or stored is None:
            return self.results, self.run.spec
        weights, planned = _round_weights(split.weights), _round_weights(stored.weights)
        if weights == planned:
            return self.results, self.run.spec
        split = msgspec.structs.replace(split, weights=weights)
        results = msgspec.structs.replace(self.results, answer=split, planned_weights=planned)
        return results, msgspec.structs.replace(self.run.spec, weights=weights)


def read_run(run_id: str) -> Callable[[BackgroundJob], ResultData]:
    """Return a background job that reads a run from the store.

    The job raises StoreError for an unknown run.
    """
    read, path = read_documents(run_id, samples=False), places.store_path()

    def work(job: BackgroundJob) -> ResultData:
        documents = read(job)
        with RunStore(path, read_only=True) as store:
            entry = store.entry(run_id)
            results = load_results(store, entry)
            continued = store.continued(run_id)
        return replace(result_data_of(documents, results), continued=continued, origin=entry.origin)

    return work


def _round_weights(weights: Mapping[str, float]) -> dict[str, float]:
    return {kind: round(weight, _WEIGHT_DIGITS) for kind, weight in weights.items()}


def result_data_of(documents: Sequence[Document], results: Results | None = None) -> ResultData:
    """Summarise a run's documents.

    Args:
        documents: The run's documents; samples are not needed.
        results: Results as stored; None computes them.

    Raises:
        StoreError: The first document is missing.
    """
    results = results or summarise_run(documents)
    run = next(document for document in documents if isinstance(document, RunStarted))
    trials = tuple(document for document in documents if isinstance(document, TrialDone))
    settable = build_settable_check(run.facts, run.spec.mode, run.spec.period_us)
    cpus = max(1, len(run.facts.shared_cpus))
    evidence = gather_evidence(trials, run.spec, cpus=cpus, settable=settable, history=run.history)
    command_log = tuple(document for document in documents if isinstance(document, HostCommand))
    ended = any(isinstance(document, RunStopped) for document in documents)
    comparisons = compare_with_papers(results, run.spec, run.facts)
    return ResultData(
        run, trials, results, evidence, command_log, ended, besides=comparisons, documents=tuple(documents)
    )
