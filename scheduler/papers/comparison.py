"""Comparison of a run with the papers on the same question.

A comparison has ranks, shares of the best, the checked statements, and the differences between the methods.
"""

import math
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec

from scheduler.errors import StoreError
from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import format_percent
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec
from scheduler.model.studies import CAPACITY, OVERHEAD, SCALE_UP, SPLIT, Setting, find_study
from scheduler.papers.claim_check import CheckedStatement, check_statements
from scheduler.papers.claims import ClaimOutcome
from scheduler.papers.differences import MethodDifference, method_differences, method_remarks, method_summary
from scheduler.papers.log_ratios import LogRatios
from scheduler.papers.paper_model import PublishedPaper
from scheduler.papers.ranks import RankRange, measured_ranks, published_ranks, published_shares
from scheduler.papers.rows import CacheState, PaperRow, cache_state, query_rows, user_rows, vcpu_rows
from scheduler.studies.overhead.declaration import OverheadFinding
from scheduler.translation import _, ngettext

_FOLDER = "papers"


@lru_cache(maxsize=1)
def load_papers() -> tuple[PublishedPaper, ...]:
    """Return all papers by id; raise StoreError for a file without a valid paper."""
    found = [entry for entry in files("resources").joinpath(_FOLDER).iterdir() if entry.name.endswith(".toml")]
    return tuple(parse_paper(entry.name, entry.read_text(encoding="utf-8")) for entry in sorted(found, key=_entry_name))


def parse_paper(name: str, text: str) -> PublishedPaper:
    """Parse one paper.

    Args:
        name: Name of the file, for the error.
        text: Content of the file.

    Raises:
        StoreError: The text is not a valid paper; the message names the wrong key and the expected value.
    """
    try:
        return msgspec.convert(tomllib.loads(text), PublishedPaper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        hint = _("The file comes with DomTune: install DomTune again, or correct the file.")
        raise StoreError(
            _("{folder}/{name} holds no paper: {error}").format(folder=_FOLDER, name=name, error=error), hint=hint
        ) from error


def _entry_name(entry: object) -> str:
    return str(getattr(entry, "name", ""))


LEAST_SPLITS = 3
"""Smallest number of common splits for a comparison: two splits are a pair, no order."""

_CACHES = {
    CacheState.COLD: _("cold caches, as here"),
    CacheState.NEW_CONNECTION: _("warm caches and a connection per query, as here"),
    CacheState.ONE_CONNECTION: _(
        "warm caches and one connection for all, as here; it has them of its ten longest queries"
    ),
}


class ComparisonRow(msgspec.Struct, frozen=True, kw_only=True):
    """One split under one load, in the run and in the paper.

    Ranks are among the splits that both measured. In other studies than `split`, a row is a query or a number of users.

    Attributes:
        item: Label of the split, or name of the query or number of users.
        setting: The split; None in other studies.
        load: Load kind.
        stated: Possible ranks by the paper's text.
        found: Possible ranks by the run's 95 % intervals.
        rank: Rank by the run's mean, >= 1.
        stated_frac: Throughput in the paper as a share of the best, 0..1; None when the text does not give it.
        found_frac: Throughput in the run as a share of the best of these splits, 0..1.
        found_ci95_frac: 95 % interval of `found_frac`; None for the best split, and when it is not known.
    """

    item: str
    setting: Setting | None = None
    load: str
    stated: RankRange
    found: RankRange
    rank: int
    stated_frac: float | None
    found_frac: float
    found_ci95_frac: tuple[float, float] | None


class PaperComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Comparison of a run with one paper.

    Attributes:
        paper: The paper.
        standings: One row per load and split, along the axis.
        facts: The paper's statements, each checked against the run.
        differences: Differences between the methods.
        remarks: Further remarks, sentences.
        here: Method of this run, as one line for a picture.
        simulated: True when the run was simulated.
        what: Title of the ranking, for example `Rank of each split`.
        items: Plural of the rows' kind.
        axis: Label of the axis.
        note: Explanation of ranks and shares; empty when they need none.
    """

    paper: PublishedPaper
    standings: tuple[ComparisonRow, ...]
    facts: tuple[CheckedStatement, ...]
    differences: tuple[MethodDifference, ...]
    remarks: tuple[str, ...]
    here: str
    simulated: bool
    what: str = _("Rank of each split")
    items: str = "splits"
    axis: str = _("split, I/O domain : guest")
    note: str = ""

    @property
    def summary(self) -> str:
        """Number of statements that hold, or of ranks that can be the same, as a sentence."""
        if not self.facts:
            alike = sum(row.stated[0] <= row.found[1] and row.found[0] <= row.stated[1] for row in self.standings)
            end = "; simulated" if self.simulated else ""
            return _("{alike} of {count} {value} can have the rank here that they have there{end}.").format(
                alike=alike, count=len(self.standings), value=self.items, end=end
            )
        yes, no, unknown = (sum(fact.holds is holds for fact in self.facts) for holds in ClaimOutcome)
        reported = ngettext("{n} holds here", "{n} hold here", yes).format(n=yes)
        reported += ngettext(", {n} does not", ", {n} do not", no).format(n=no)
        end = "; simulated" if self.simulated else ""
        return _("{count} statements of {citation}: {reported}, {unknown} not decided{end}.").format(
            count=len(self.facts), citation=self.paper.citation, reported=reported, unknown=unknown, end=end
        )

    @property
    def loads(self) -> tuple[str, ...]:
        """The loads of the rows."""
        return tuple(dict.fromkeys(row.load for row in self.standings))

    @property
    def columns(self) -> tuple[ComparisonRow, ...]:
        """One row of each split along the axis, or of each item in the paper's order."""
        rows = {row.item: row for row in reversed(self.standings)}
        named = [rows[item] for item in dict.fromkeys(row.item for row in self.standings)]
        return tuple(sorted(named, key=lambda row: _position_of(row.setting)))

    @property
    def has_splits(self) -> bool:
        """True when the rows are splits of the CPU."""
        return find_study(self.paper.study).recommends_split


def matching_papers(study: str, kinds: Sequence[str]) -> tuple[PublishedPaper, ...]:
    """Return the papers on a study's question that share a load kind.

    Args:
        study: Name of the study.
        kinds: Load kinds of the run.
    """
    return tuple(paper for paper in load_papers() if paper.study == study and {*paper.loads} & {*kinds})


def compare_with_papers(results: Results, spec: RunSpec, facts: HostProperties) -> tuple[PaperComparison, ...]:
    """Return the comparisons of a run with each paper on the same question.

    A paper takes part if it shares a load and at least three splits or items with the run.

    Args:
        results: Results of the run.
        spec: Specification of the run.
        facts: Properties of the host.
    """
    if not spec.protocol.decides:
        return ()
    ways = {SPLIT: _compare_splits, OVERHEAD: _compare_queries, CAPACITY: _compare_users, SCALE_UP: _compare_vcpus}
    way = ways.get(spec.kind.name)
    there = matching_papers(spec.kind.name, [load.name for load in spec.loads]) if way else ()
    found = (way(paper, results, spec, facts) for paper in there) if way else ()
    return tuple(beside for beside in found if beside.standings)


def _compare_queries(paper: PublishedPaper, results: Results, spec: RunSpec, facts: HostProperties) -> PaperComparison:
    finding, caches = results.answer.finding, cache_state(spec.loads)
    side, rows = query_rows(paper, finding, caches) if isinstance(finding, OverheadFinding) else ("", ())
    return PaperComparison(
        paper=paper,
        standings=_comparison_rows(paper.loads[0], rows),
        facts=(),
        differences=method_differences(paper, results, spec, facts),
        remarks=method_remarks(paper, results),
        here=f"{side}; {method_summary(paper, results, spec, facts)}",
        simulated=results.simulated,
        what=_("Rank of each query by its slowdown"),
        items="queries",
        axis=_("query; rank 1 is slowed down least"),
        note=_(
            "The paper's figures are those of {caches}. Shares are of the speed that a query "
            "keeps, against the query that keeps most of it."
        ).format(caches=_CACHES[caches]),
    )


def _compare_users(paper: PublishedPaper, results: Results, spec: RunSpec, facts: HostProperties) -> PaperComparison:
    load = next(load.name for load in spec.loads if load.name in paper.loads)
    split, rows = user_rows(paper, results, load)
    where = _("at {split}").format(split=split) if split else _("original settings")
    return PaperComparison(
        paper=paper,
        standings=_comparison_rows(load, rows),
        facts=(),
        differences=method_differences(paper, results, spec, facts),
        remarks=method_remarks(paper, results),
        here=f"{where}, {method_summary(paper, results, spec, facts)}",
        simulated=results.simulated,
        what=_("Rank of each number of users by the rate of one user"),
        items=_("numbers of users"),
        axis=_("users; rank 1 is where each of them gets most"),
        note=_(
            "The paper's figures are of bare metal at scale 100, without a hypervisor. Shares are of the rate of one "
            "user; for a range in the paper, of its middle."
        ),
    )


def _compare_vcpus(paper: PublishedPaper, results: Results, spec: RunSpec, facts: HostProperties) -> PaperComparison:
    load = next(load.name for load in spec.loads if load.name in paper.loads)
    return PaperComparison(
        paper=paper,
        standings=_comparison_rows(load, vcpu_rows(paper, results, load)),
        facts=(),
        differences=method_differences(paper, results, spec, facts),
        remarks=method_remarks(paper, results),
        here=method_summary(paper, results, spec, facts),
        simulated=results.simulated,
        what=_("Rank of each number of vCPUs by throughput"),
        items=_("numbers of vCPUs"),
        axis=_("vCPUs; rank 1 has the highest throughput"),
        note=_("The shares of the paper follow from the gain of each doubling of vCPUs."),
    )


def _comparison_rows(load: str, rows: Sequence[PaperRow]) -> tuple[ComparisonRow, ...]:
    return tuple(
        ComparisonRow(
            item=row.name,
            load=load,
            stated=row.stated,
            found=row.found,
            rank=row.rank,
            stated_frac=row.stated_frac,
            found_frac=row.found_frac,
            found_ci95_frac=row.found_ci95_frac,
        )
        for row in rows
    )


def _compare_splits(paper: PublishedPaper, results: Results, spec: RunSpec, facts: HostProperties) -> PaperComparison:
    return PaperComparison(
        paper=paper,
        standings=tuple(row for load in paper.loads for row in split_rows(paper, results, load)),
        facts=check_statements(paper, results),
        differences=method_differences(paper, results, spec, facts),
        remarks=method_remarks(paper, results),
        here=method_summary(paper, results, spec, facts),
        simulated=results.simulated,
    )


def split_rows(paper: PublishedPaper, results: Results, load: str) -> tuple[ComparisonRow, ...]:
    """Return a row per split that paper and run share; none with fewer than three.

    Args:
        paper: The paper.
        results: Results of the run.
        load: Load kind.
    """
    leads = LogRatios(results, load, paper.splits)
    if len(leads.measured) < LEAST_SPLITS:
        return ()
    order, shares = leads.order, published_shares(paper, load)
    stated, found = published_ranks(paper, load, leads.measured), measured_ranks(leads, leads.measured)
    rows: list[ComparisonRow] = []
    settings = {label: leads.find_setting(label) for label in leads.measured}
    for split in sorted(leads.measured, key=lambda label: _position_of(settings[label])):
        lead = leads.lead(order[0], split)
        known = split != order[0] and math.isfinite(lead.high) and math.isfinite(lead.low)
        rows.append(
            ComparisonRow(
                item=split,
                setting=settings[split],
                load=load,
                stated=stated[split],
                found=found[split],
                rank=1 + order.index(split),
                stated_frac=shares.get(split),
                found_frac=math.exp(-lead.middle) if split != order[0] else 1.0,
                found_ci95_frac=(math.exp(-lead.high), math.exp(-lead.low)) if known else None,
            )
        )
    return tuple(rows)


def ranks_text(ranks: RankRange) -> str:
    """Return ranks as text: `3`, or `1 to 4`."""
    return str(ranks[0]) if ranks[0] == ranks[1] else _("{ranks} to {ranks_2}").format(ranks=ranks[0], ranks_2=ranks[1])


def share_text(row: ComparisonRow) -> str:
    """Return the run's share of the best with its interval: `81 % (77 to 85 %)`."""
    if row.found_ci95_frac is None:
        return format_percent(row.found_frac)
    low, high = row.found_ci95_frac
    return _("{found_frac} ({low} to {high})").format(
        found_frac=format_percent(row.found_frac), low=format_percent(low).removesuffix(" %"), high=format_percent(high)
    )


def _position_of(setting: Setting | None) -> float:
    return 0.0 if setting is None else setting.position
