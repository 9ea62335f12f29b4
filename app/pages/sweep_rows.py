"""Rows of the list of sweeps, without Qt widgets and made in the background."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.display_texts import format_clock
from app.load_texts import load_name
from app.pages.decision_texts import list_words
from app.studies.text_registry import study_texts_of
from scheduler.errors import SpecError
from scheduler.model.decision import DecisionKind
from scheduler.model.documents import RunOutcome
from scheduler.model.run_labels import RunLabels
from scheduler.model.setting import split_of
from scheduler.model.spec import Mode
from scheduler.model.split import Split
from scheduler.model.studies import StudyFinding, find_study
from scheduler.model.terminal_text import replace_controls
from scheduler.store.result_cache import renew_results
from scheduler.store.run_chains import RunChain, chain_runs
from scheduler.store.run_entries import WATCH, AnswerSummary, Curve, PlanSummary, RunEntry
from scheduler.store.run_removal import DELETED_KEPT_S
from scheduler.store.run_store import RunStore
from scheduler.translation import _


@dataclass(frozen=True)
class SweepRow:
    """Sweep in the list; texts and curves are made when first shown.

    Attributes:
        chain: Runs of the sweep, the newest first; each one continues the next.
    """

    chain: RunChain

    @property
    def newest(self) -> RunEntry:
        """Newest run of the sweep."""
        return self.chain[0]

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Ids of the sweep's runs, the newest first."""
        return tuple(run.run_id for run in self.chain)

    @property
    def run_id(self) -> str:
        """Id of the newest run."""
        return self.newest.run_id

    @cached_property
    def name(self) -> str:
        """The user's name of the sweep, or its default name."""
        return replace_controls(self.newest.name or default_name(self.newest.plan))

    @property
    def host(self) -> str:
        """Name or URL of the host."""
        return replace_controls(self.newest.plan.host_title or self.newest.plan.host_url)

    @cached_property
    def when(self) -> str:
        """Clock time of the newest run's start."""
        return format_clock(self.newest.started_unix_s)

    @property
    def verdict(self) -> str:
        """The decision in a few words."""
        return self._verdict_texts[0]

    @property
    def remark(self) -> str:
        """Gain or remaining time of the decision; may be empty."""
        return self._verdict_texts[1]

    @cached_property
    def _verdict_texts(self) -> tuple[str, str]:
        return _verdict_words(self.newest)

    @cached_property
    def split(self) -> Split | None:
        """Split to set; None when the decision orders none."""
        answer = self.newest.answer
        return split_of(answer.decision.ordered) if answer is not None else None

    @property
    def curves(self) -> Mapping[str, Curve]:
        """Load to curve: position on the axis and fraction of the load's best, both 0..1."""
        found = self.newest.answer.curves if self.newest.answer is not None else {}
        return {load.name: found[load.name] for load in self.newest.plan.loads if load.name in found}

    @cached_property
    def labels(self) -> RunLabels:
        """The user's name, tags and note."""
        try:
            return self.newest.labels
        except SpecError:
            return RunLabels()  # labels of another program do not hide the run

    @property
    def simulated(self) -> bool:
        """True for a simulated run."""
        return self.newest.simulated

    @property
    def unfinished(self) -> bool:
        """True for a sweep that can be continued, or that still runs in another process."""
        return self.newest.outcome is not RunOutcome.COMPLETED and not (self.observes or self.imported)

    @property
    def imported(self) -> bool:
        """True for a run from elsewhere."""
        return self.newest.origin is not None

    @property
    def observes(self) -> bool:
        """True for a run that watched or followed a host."""
        return self.newest.plan.observes

    @property
    def date(self) -> str:
        """Day and clock time of the newest run's start."""
        return self.when if " " in self.when else _("Today {hour}").format(hour=self.when)

    @property
    def marks(self) -> str:
        """Text below the verdict."""
        return self._marks_with(self.remark)

    @property
    def short_marks(self) -> str:
        """Text below the verdict without the gain's interval, for a narrow list."""
        return self._marks_with(self.remark.partition(" (")[0])

    def _marks_with(self, remark: str) -> str:
        times = len(self.chain) - 1
        again = _("continued once") if times == 1 else _("continued {n} times").format(n=times)
        elsewhere, simulated = _("from elsewhere"), _("simulated")
        marks = (elsewhere if self.imported else "", simulated if self.simulated else "", again if times else "")
        parts = (remark, *marks, *self.labels.tags)
        return ", ".join(part for part in parts if part)

    @cached_property
    def text(self) -> str:
        """All texts of the row, for search, tooltip and screen readers."""
        split = self.split.label if self.split else ""
        parts = (self.name, self.date, self.host, split, self.verdict, self.marks, self.labels.note)
        return ", ".join(part for part in parts if part)


def read_rows(store: Path) -> list[SweepRow]:
    """Read all sweeps without their documents, the newest first.

    Call this in the background.

    Raises:
        StoreError: The store cannot be read.
    """
    renew_results(store)
    with RunStore(store, read_only=True) as runs:
        return [SweepRow(chain) for chain in chain_runs(runs.runs())]


def remove_deleted(store: Path) -> None:
    """Remove runs for good whose deletion is older than `DELETED_KEPT_S`.

    Call this in the background.

    Raises:
        StoreError: The store cannot be read or written.
    """
    before_unix_s = time.time() - DELETED_KEPT_S
    with RunStore(store, read_only=True) as runs:
        due = any((run.deleted_unix_s or 0.0) < before_unix_s for run in runs.deleted_runs())
    if due:
        with RunStore(store) as runs:
            runs.remove_deleted(before_unix_s)


def _verdict_words(run: RunEntry) -> tuple[str, str]:
    """Return the verdict in a few words, and its second line."""
    answer = run.answer
    if answer is not None and answer.interrupted:
        return answer.reason.partition(" of ")[0], _host_text(answer)  # the text without `of 32` fits
    if answer is not None and answer.finding is not None and run.outcome is RunOutcome.COMPLETED:
        return _finding_text(run.plan.study, answer.finding), ""
    if run.plan.observes:
        return _observed_text(run)
    if answer is not None and answer.decision.ordered and (texts := study_texts_of(run.plan.study)):
        return texts.finding_words(answer.decision), list_words(answer.decision)[1]
    return _verdict_text(run.outcome, answer)


def _observed_text(run: RunEntry) -> tuple[str, str]:
    """Return the result of watching or following, and its second line."""
    answer = run.answer
    if answer is None or not answer.headline:
        return (_("finished"), "") if run.outcome is RunOutcome.COMPLETED else _verdict_text(run.outcome, None)
    if answer.decision.kind is not DecisionKind.UNKNOWN:
        return list_words(answer.decision)
    first, _unused, second = answer.headline.partition("; ")
    return first, second.partition(" against")[0]


def default_name(plan: PlanSummary) -> str:
    """Return the default name of a sweep: loads, number of splits and mode."""
    if plan.observes:
        return _("Watched") if plan.study == WATCH else _("Followed")
    loads = "+".join(load_name(load.name) for load in plan.loads)
    kind = find_study(plan.study)
    if kind.summary or not kind.recommends_split:
        return f"{loads}, {_study_text(plan)}"
    modes = {Mode.CAPS: _("caps"), Mode.WEIGHTS: _("weights"), Mode.DEDICATED: _("dedicated CPUs")}
    return _("{loads}, {n} splits, {mode}").format(loads=loads, n=plan.settings, mode=modes[plan.mode])


def _study_text(plan: PlanSummary) -> str:
    """Return the study's part of a default name."""
    kind = find_study(plan.study)
    return kind.summary or kind.title.format(n=max(load.users for load in plan.loads))


def _finding_text(study: str, finding: StudyFinding) -> str:
    """Return a study's finding in a few words.

    Without texts of the study in the window, return the headline.
    """
    texts = study_texts_of(study)
    return texts.finding_words(finding) if texts else finding.headline


def _host_text(results: AnswerSummary) -> str:
    """Return the state of an interrupted sweep's host; empty if nothing was changed."""
    if results.restored_unix_s:
        return _("host restored {when}").format(when=format_clock(results.restored_unix_s))
    return "" if results.restored else _("host not restored")


def _verdict_text(outcome: RunOutcome | None, answer: AnswerSummary | None) -> tuple[str, str]:
    """Return the verdict of a sweep of splits, and its second line."""
    ended = {None: _("not finished"), RunOutcome.ABORTED: _("stopped"), RunOutcome.FAILED: _("failed")}
    if outcome is not RunOutcome.COMPLETED:
        return ended[outcome], ""
    if answer is None:  # the answer is not yet computed by the current rules
        return _("open the sweep for the answer"), ""
    return list_words(answer.decision)
