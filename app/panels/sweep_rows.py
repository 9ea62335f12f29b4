"""What the list of sweeps shows of one sweep; no Qt widgets, made in the background."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.panels.keeping import keep
from app.words import clock, signed_percent
from scheduler.model.documents import Outcome
from scheduler.model.facts import HostFacts
from scheduler.model.results import Recommendation, Results, Verdict
from scheduler.model.setting import BASELINE
from scheduler.model.spec import RunSpec
from scheduler.model.split import Split, parse_split
from scheduler.store.runs import RunRow, RunStore

Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One sweep in the list.

    Attributes:
        run_id: Its id.
        name: What the user called it, or what it swept.
        host: The host in one line.
        when: Clock time of its start.
        verdict: The answer in a few words.
        split: The split to use; None when there is none.
        curves: Load kind to points (I/O domain's share 0..1, throughput 0..1 of that load's best).
        tags: The user's words.
        simulated: True when nothing was measured.
        unfinished: True when it can be continued (or still runs elsewhere).
        spec: The sweep.
        facts: Its host.
        results: Its results.
    """

    run_id: str
    name: str
    host: str
    when: str
    verdict: str
    split: Split | None
    curves: dict[str, Curve]
    tags: tuple[str, ...]
    simulated: bool
    unfinished: bool
    spec: RunSpec
    facts: HostFacts
    results: Results | None

    @property
    def text(self) -> str:
        """All words of the row, for searching and for screen readers."""
        parts = (self.name, self.host, self.when, self.split.label if self.split else "", self.verdict, *self.tags)
        return ", ".join(part for part in parts if part)


def read_rows(store: Path) -> list[SweepRow]:
    """Read all sweeps, newest first; raises StoreError. Runs in the background."""
    with RunStore(store, read_only=True) as runs:
        return [row_of(row) for row in runs.runs()]


def row_of(row: RunRow) -> SweepRow:
    """Return what the list shows of a run."""
    answer = row.results.recommendation if row.results else None
    split = parse_split(answer.split) if answer and answer.split and answer.verdict is not Verdict.NONE else None
    return SweepRow(
        run_id=row.run_id,
        name=row.spec.name or _tr("{n} splits").format(n=len(row.spec.settings)),
        host=row.facts.title or row.spec.host_url,
        when=clock(row.started_unix_s),
        verdict=_verdict(row.outcome, answer),
        split=split,
        curves=_curves(row.results),
        tags=row.tags,
        simulated=row.simulated,
        unfinished=row.outcome is not Outcome.COMPLETED,
        spec=row.spec,
        facts=row.facts,
        results=row.results,
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("sweep_rows", text)


def _verdict(outcome: Outcome | None, answer: Recommendation | None) -> str:
    ended = {None: _tr("not finished"), Outcome.ABORTED: _tr("stopped"), Outcome.FAILED: _tr("failed")}
    if outcome is not Outcome.COMPLETED:
        return ended[outcome]
    if answer is None or answer.verdict is Verdict.NONE:
        return _tr("no recommendation")
    if keep(answer):
        return _tr("keep as found")
    gain = signed_percent(answer.gain_frac) if answer.gain_frac is not None else ""
    if answer.verdict is Verdict.EQUIVALENT:
        return _tr("{n} splits equally good").format(n=len(answer.equivalent))
    return _tr("{gain} against now").format(gain=gain) if gain else _tr("recommended")


def _curves(results: Results | None) -> dict[str, Curve]:
    made: dict[str, Curve] = {}
    if results is None:
        return made
    for load in dict.fromkeys(point.load for point in results.points):
        points = sorted(
            (parse_split(point.split).io_frac, point.mean_tps)
            for point in results.points
            if point.load == load and point.split != BASELINE and point.mean_tps is not None
        )
        best = max((tps for _, tps in points), default=0.0)
        if best > 0:
            made[load] = tuple((share, tps / best) for share, tps in points)
    return made
