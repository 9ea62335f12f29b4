"""What the list of sweeps shows of one sweep; no Qt widgets, made in the background."""

import math
import time
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.load_words import load_name
from app.panels.decision_words import list_words
from app.words import clock, percent
from scheduler.errors import SpecError
from scheduler.model.decision import Decision
from scheduler.model.documents import Outcome
from scheduler.model.facts import HostFacts
from scheduler.model.findings import CapacityFinding, Finding, FoundKnee, OverheadFinding, ScaleUpFinding
from scheduler.model.labels import Labels
from scheduler.model.results import Recommendation, Results
from scheduler.model.setting import BASELINE, GuestsSetting, SplitSetting, UsersSetting, named_setting
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import IO, Split, parse_split
from scheduler.model.studies import CAPACITY, OVERHEAD, SCALE_UP, SPLIT
from scheduler.store.chains import Chain, chains
from scheduler.store.removing import KEPT_S
from scheduler.store.rows import RunRow
from scheduler.store.runs import RunStore

Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One sweep in the list.

    Attributes:
        run_ids: Ids of its runs, the newest first; the others were continued by the one before them.
        name: What the user called it, or what it swept.
        host: The host in one line.
        when: Clock time of its start.
        verdict: The decision in a few words.
        remark: The gain, or the time, that belongs to it; may be empty.
        split: The split to set; None when the decision orders none.
        curves: Load kind to points (I/O domain's share 0..1, throughput 0..1 of that load's best).
        labels: The user's name, tags and note.
        simulated: True when nothing was measured.
        unfinished: True when it can be continued (or still runs elsewhere).
        spec: The sweep.
        facts: Its host.
        results: Its results.
    """

    run_ids: tuple[str, ...]
    name: str
    host: str
    when: str
    verdict: str
    remark: str
    split: Split | None
    curves: dict[str, Curve]
    labels: Labels
    simulated: bool
    unfinished: bool
    spec: RunSpec
    facts: HostFacts
    results: Results | None

    @property
    def run_id(self) -> str:
        """Id of its newest run."""
        return self.run_ids[0]

    @property
    def date(self) -> str:
        """Day and clock time of its start."""
        return self.when if " " in self.when else _tr("Today {hour}").format(hour=self.when)

    @property
    def marks(self) -> str:
        """What stands under the verdict."""
        times = len(self.run_ids) - 1
        again = _tr("continued once") if times == 1 else _tr("continued {n} times").format(n=times)
        parts = (self.remark, _tr("simulated") if self.simulated else "", again if times else "", *self.labels.tags)
        return ", ".join(part for part in parts if part)

    @property
    def text(self) -> str:
        """All words of the row, for searching, for its tooltip and for screen readers."""
        split = self.split.label if self.split else ""
        parts = (self.name, self.date, self.host, split, self.verdict, self.marks, self.labels.note)
        return ", ".join(part for part in parts if part)


def read_rows(store: Path) -> list[SweepRow]:
    """Read all sweeps, newest first; raises StoreError. Runs in the background."""
    with RunStore(store, read_only=True) as runs:
        return [row_of(chain) for chain in chains(runs.runs())]


def remove_deleted(store: Path) -> None:
    """Remove for good what was deleted long ago; raises StoreError. Runs in the background."""
    before_unix_s = time.time() - KEPT_S
    with RunStore(store, read_only=True) as runs:
        due = any((row.deleted_unix_s or 0.0) < before_unix_s for row in runs.deleted_runs())
    if due:
        with RunStore(store) as runs:
            runs.remove_deleted(before_unix_s)


def row_of(chain: Chain) -> SweepRow:
    """Return what the list shows of a sweep: of its newest run."""
    row = chain[0]
    answer = row.results.recommendation if row.results else None
    ordered = answer.decision.ordered_split if answer else ""  # a bar before the words is the split to take
    split = parse_split(ordered) if ordered else None
    verdict, remark = _verdict(row.outcome, answer)
    if row.results is not None and row.results.finding is not None and row.outcome is Outcome.COMPLETED:
        verdict, remark = _found(row.results.finding), ""
    if row.results is not None and row.results.broke_off:
        verdict, remark = row.results.reason.partition(" of ")[0], _host(row.results)  # without `of 32` it fits
    return SweepRow(
        run_ids=tuple(run.run_id for run in chain),
        name=row.name or default_name(row.spec),
        host=row.facts.title or row.spec.host_url,
        when=clock(row.started_unix_s),
        verdict=verdict,
        remark=remark,
        split=split,
        curves=_curves(row.results),
        labels=_labels(row),
        simulated=row.simulated,
        unfinished=row.outcome is not Outcome.COMPLETED,
        spec=row.spec,
        facts=row.facts,
        results=row.results,
    )


def default_name(spec: RunSpec) -> str:
    """Return what a sweep is called that nobody named: what it swept."""
    loads = "+".join(load_name(load.name) for load in spec.loads)
    if spec.study != SPLIT:
        return f"{loads}, {_question(spec)}"
    mode = _tr("partition") if spec.mode is Mode.PARTITION else _tr("share")
    return _tr("{loads}, {n} splits, {mode}").format(loads=loads, n=len(spec.settings), mode=mode)


def _question(spec: RunSpec) -> str:
    """Return what a study is about, as a name's second half."""
    most = max(load.users for load in spec.loads)
    words = {CAPACITY: _tr("up to {n} users").format(n=most), OVERHEAD: _tr("overhead"), SCALE_UP: _tr("more vCPUs")}
    return words.get(spec.study, spec.kind.title)


def _full(knee: FoundKnee) -> str:
    if knee.open:
        return _tr("not full at {n} users").format(n=knee.tried)
    span = f"{knee.above + 1} to {knee.most}" if knee.above + 1 < knee.most else f"{knee.most}"
    return _tr("full at {n} users").format(n=span)


def _found(finding: Finding) -> str:
    """Return a study's answer in a few words."""
    match finding:
        case CapacityFinding(knees=(knee,)):
            return _full(knee)
        case CapacityFinding(knees=knees) if knees:
            return _tr("{n} curves").format(n=len(knees))
        case OverheadFinding(overall=overall) if overall:
            most = max(overall, key=lambda each: each.slowdown_frac)
            return _tr("{more} slower").format(more=percent(most.slowdown_frac)) if most.told_apart else _tr("noise")
        case ScaleUpFinding(sizes=sizes) if sizes:
            best = max(sizes, key=lambda size: size.ratio)
            return _tr("{times} times with {n} vCPUs").format(times=f"{best.ratio:.1f}", n=best.vcpus)
        case CapacityFinding() | OverheadFinding() | ScaleUpFinding():
            return _tr("no answer")
        case _:
            return finding.headline


def _labels(row: RunRow) -> Labels:
    try:
        return row.labels
    except SpecError:
        return Labels()  # written by other hands: the run is shown all the same


def _tr(text: str) -> str:
    return QCoreApplication.translate("sweep_rows", text)


def _host(results: Results) -> str:
    """Return what became of the host of a sweep that broke off; nothing where it had not been changed."""
    if results.put_back_unix_s:
        return _tr("host put back {when}").format(when=clock(results.put_back_unix_s))
    return "" if results.restored else _tr("host not put back")


def _verdict(outcome: Outcome | None, answer: Recommendation | None) -> tuple[str, str]:
    """Return the answer in a few words, and what belongs to them."""
    ended = {None: _tr("not finished"), Outcome.ABORTED: _tr("stopped"), Outcome.FAILED: _tr("failed")}
    if outcome is not Outcome.COMPLETED:
        return ended[outcome], ""
    return list_words(answer.decision if answer is not None else Decision())


def _known(label: str) -> bool:
    """Return False for a setting that a later version measured: the list shows the run all the same."""
    try:
        named_setting(label)
    except SpecError:
        return False
    return True


def _place(label: str) -> float:
    """Return where a setting stands in a small curve, 0..1."""
    match named_setting(label):
        case SplitSetting(split=split):
            return split.io_frac
        case GuestsSetting(split=shared):
            return shared.frac_of(IO)
        case UsersSetting(users=users):
            return min(1.0, math.log2(users) / 6)  # 64 are the most
        case other:
            return other.position / 3


def _curves(results: Results | None) -> dict[str, Curve]:
    made: dict[str, Curve] = {}
    if results is None:
        return made
    for load in dict.fromkeys(point.load for point in results.points):
        at: dict[float, float] = {}
        for point in results.points:
            if point.load == load and point.split != BASELINE and point.mean_tps is not None and _known(point.split):
                place = _place(point.split)
                at[place] = max(at.get(place, 0.0), point.mean_tps)
        points = sorted(at.items())
        best = max((tps for _, tps in points), default=0.0)
        if best > 0:
            made[load] = tuple((share, tps / best) for share, tps in points)
    return made
