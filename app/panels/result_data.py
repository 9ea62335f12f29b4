"""A stored run as the result page needs it; read in the background."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from app.background import Job
from app.live.stored import reader
from scheduler import places
from scheduler.model.documents import Document, HostCommand, Outcome, RunStarted, RunStopped, VisitDone
from scheduler.model.results import Recommendation, Results
from scheduler.model.spec import RunSpec
from scheduler.papers.beside import Beside, besides
from scheduler.shares.registry import settable_on
from scheduler.stats.recommend import Evidence, evidence_of, weighed
from scheduler.stats.results import marked, results_from
from scheduler.store.answers import results_of
from scheduler.store.runs import RunStore

_WEIGHT_DIGITS = 4  # normalising leaves 0.010000000000000009


@dataclass(frozen=True, slots=True)
class Finding:
    """One run.

    Attributes:
        run: Its first document.
        visits: All results of visits, in the order measured.
        results: The summary.
        evidence: What the visits show; the slider's answers are made from it.
        ledger: What the host was told.
        ended: False while nobody, the run itself or who looked after its host, has said its last word.
        continued: True when another run went on with it.
        besides: The run beside the papers that asked the same.
    """

    run: RunStarted
    visits: tuple[VisitDone, ...]
    results: Results
    evidence: Evidence
    ledger: tuple[HostCommand, ...] = ()
    ended: bool = True
    continued: bool = False
    besides: tuple[Beside, ...] = ()

    @property
    def unfinished(self) -> bool:
        """True when visits are missing that the plan wanted."""
        return self.results.outcome is not Outcome.COMPLETED

    def weighted(self, weights: dict[str, float]) -> Recommendation:
        """Return the answer for other weights, marked where it is simulated; fast enough for a slider."""
        answer = weighed(self.evidence, weights)
        return marked(answer) if self.results.simulated else answer

    def no_configuration(self, answer: Recommendation) -> str:
        """Return why the answer cannot be exported as a configuration; empty when it can."""
        from scheduler.export.registry import exporters

        results, spec = self.shown(answer)
        return exporters()["bundle"].for_split(answer.decision.split).refuses(results, spec, self.run.facts)

    def shown(self, answer: Recommendation) -> tuple[Results, RunSpec]:
        """Return results and plan for an export, with the answer and the weights that are on the screen."""
        weights, planned = _rounded(answer.weights), _rounded(self.results.recommendation.weights)
        if weights == planned:
            return self.results, self.run.spec
        answer = msgspec.structs.replace(answer, weights=weights)
        results = msgspec.structs.replace(self.results, recommendation=answer, planned_weights=planned)
        return results, msgspec.structs.replace(self.run.spec, weights=weights)


def read_run(run_id: str) -> Callable[[Job], Finding]:
    """Return the work that reads a run from the store; it raises StoreError for one that is not there."""
    read, path = reader(run_id, samples=False), places.store_path()

    def work(job: Job) -> Finding:
        documents = read(job)
        with RunStore(path, read_only=True) as store:
            results = results_of(store, store.entry(run_id))
            continued = store.continued(run_id)
        return replace(finding_of(documents, results), continued=continued)

    return work


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {kind: round(weight, _WEIGHT_DIGITS) for kind, weight in weights.items()}


def finding_of(documents: Sequence[Document], results: Results | None = None) -> Finding:
    """Summarise documents; raises StoreError when the first is missing.

    Args:
        documents: The run's documents; samples are not needed.
        results: Its results as stored; None derives them.
    """
    results = results or results_from(documents)
    run = next(document for document in documents if isinstance(document, RunStarted))
    visits = tuple(document for document in documents if isinstance(document, VisitDone))
    settable = settable_on(run.facts, run.spec.mode, run.spec.period_us)
    cpus = max(1, len(run.facts.contended_cpus))
    evidence = evidence_of(visits, run.spec, cpus=cpus, settable=settable, history=run.history)
    ledger = tuple(document for document in documents if isinstance(document, HostCommand))
    ended = any(isinstance(document, RunStopped) for document in documents)
    beside = besides(results, run.spec, run.facts)
    return Finding(run, visits, results, evidence, ledger, ended, besides=beside)
