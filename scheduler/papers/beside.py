"""A run beside the papers that asked the same: ranks and shares of the best, what holds, and how the methods differ."""

import math
from collections.abc import Sequence

import msgspec

from scheduler.model.facts import HostFacts
from scheduler.model.findings import OverheadFinding
from scheduler.model.number_texts import percent
from scheduler.model.results import Results
from scheduler.model.setting import split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.studies import CAPACITY, OVERHEAD, SCALE_UP, SPLIT
from scheduler.papers.claims import Holds
from scheduler.papers.differences import Difference, differences, here_short, remarks
from scheduler.papers.holds import Fact, facts_of
from scheduler.papers.items import Caches, Item, caches_of, rates_of_vcpus, rates_per_user, slowed_queries
from scheduler.papers.leads import Leads
from scheduler.papers.loading import papers
from scheduler.papers.model import Paper
from scheduler.papers.ranks import Ranks, found_ranks, stated_ranks, stated_shares

LEAST_SPLITS = 3
"""A run with fewer of a paper's splits is not laid beside it: two splits are a pair, no order."""

_CACHES = {
    Caches.COLD: "cold caches, as here",
    Caches.NEW_CONNECTION: "warm caches and a connection per query, as here",
    Caches.ONE_CONNECTION: "warm caches and one connection for all, as here; it has them of its ten longest queries",
}


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One split under one load, here and in the paper; ranks are among the splits that both measured.

    Of other studies a query, or a number of users, stands where the split does.

    Attributes:
        split: Its label.
        load: Load kind.
        stated: Ranks that the paper's words leave it.
        found: Ranks that the run's 95 % intervals leave it.
        rank: Its rank by the run's mean.
        stated_frac: Throughput as part of the best in the paper; None where its text does not tell.
        found_frac: The same here, of the best of these splits.
        found_ci95_frac: Its 95 % interval; None for the best, and where nothing is known of it.
    """

    split: str
    load: str
    stated: Ranks
    found: Ranks
    rank: int
    stated_frac: float | None
    found_frac: float
    found_ci95_frac: tuple[float, float] | None


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A run beside one paper.

    Attributes:
        paper: The paper.
        standings: A row per load and split, along the axis.
        facts: Its statements, each looked for in the run.
        differences: How the methods differ.
        remarks: What else one has to know, a sentence each.
        here: How this run was measured, in one line for a picture.
        simulated: True when nothing was measured on a machine.
        what: What is ranked, as a title: `Rank of each split`.
        items: What the rows are, several of them.
        axis: What stands below them.
        note: How ranks and shares are to be read, where that needs saying.
    """

    paper: Paper
    standings: tuple[Standing, ...]
    facts: tuple[Fact, ...]
    differences: tuple[Difference, ...]
    remarks: tuple[str, ...]
    here: str
    simulated: bool
    what: str = "Rank of each split"
    items: str = "splits"
    axis: str = "split, I/O domain : guest"
    note: str = ""

    @property
    def summary(self) -> str:
        """How many statements hold, or how many ranks can be the same, in one sentence."""
        if not self.facts:
            alike = sum(row.stated[0] <= row.found[1] and row.found[0] <= row.stated[1] for row in self.standings)
            end = "; simulated" if self.simulated else ""
            return f"{alike} of {len(self.standings)} {self.items} can have the rank here that they have there{end}."
        yes, no, unknown = (sum(fact.holds is holds for fact in self.facts) for holds in Holds)
        told = f"{yes} {'holds' if yes == 1 else 'hold'} here, {no} {'does' if no == 1 else 'do'} not"
        end = "; simulated" if self.simulated else ""
        return f"{len(self.facts)} statements of {self.paper.citation}: {told}, {unknown} cannot be told{end}."

    @property
    def loads(self) -> tuple[str, ...]:
        """The loads that have rows."""
        return tuple(dict.fromkeys(row.load for row in self.standings))

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that have rows, along the axis; of other studies the items in the paper's order."""
        names = tuple(dict.fromkeys(row.split for row in self.standings))
        return tuple(sorted(names, key=_position)) if self.has_splits else names

    @property
    def has_splits(self) -> bool:
        """True where the items are splits of the CPU."""
        return self.paper.study == SPLIT


def matching(study: str, kinds: Sequence[str]) -> tuple[Paper, ...]:
    """Return the papers that asked what a study asks, with at least one load of these kinds."""
    return tuple(paper for paper in papers() if paper.study == study and {*paper.loads} & {*kinds})


def besides(results: Results, spec: RunSpec, facts: HostFacts) -> tuple[Beside, ...]:
    """Return a run beside each paper that asked the same: with one of its loads, and three of its splits or items."""
    if spec.calibrates:
        return ()
    ways = {SPLIT: _beside, OVERHEAD: _beside_queries, CAPACITY: _beside_users, SCALE_UP: _beside_vcpus}
    way = ways.get(spec.study)
    there = matching(spec.study, [load.name for load in spec.loads]) if way else ()
    found = (way(paper, results, spec, facts) for paper in there) if way else ()
    return tuple(beside for beside in found if beside.standings)


def _beside_queries(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> Beside:
    finding, caches = results.finding, caches_of(spec.loads)
    side, rows = slowed_queries(paper, finding, caches) if isinstance(finding, OverheadFinding) else ("", ())
    return Beside(
        paper=paper,
        standings=_standings(paper.loads[0], rows),
        facts=(),
        differences=differences(paper, results, spec, facts),
        remarks=remarks(paper, results),
        here=f"{side}; {here_short(paper, results, spec, facts)}",
        simulated=results.simulated,
        what="Rank of each query by its slowdown",
        items="queries",
        axis="query; rank 1 is slowed down least",
        note=f"The paper's figures are those of {_CACHES[caches]}. Shares are of the speed that a query keeps, against "
        "the query that keeps most of it.",
    )


def _beside_users(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> Beside:
    load = next(load.name for load in spec.loads if load.name in paper.loads)
    split, rows = rates_per_user(paper, results, load)
    where = f"at {split}" if split else "original settings"
    return Beside(
        paper=paper,
        standings=_standings(load, rows),
        facts=(),
        differences=differences(paper, results, spec, facts),
        remarks=remarks(paper, results),
        here=f"{where}, {here_short(paper, results, spec, facts)}",
        simulated=results.simulated,
        what="Rank of each number of users by what one of them gets",
        items="numbers of users",
        axis="users; rank 1 is where each of them gets most",
        note="The paper's figures are of bare metal at scale 100, without a hypervisor. Shares are of what one "
        "user gets; where the paper gives a range, of its middle.",
    )


def _beside_vcpus(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> Beside:
    load = next(load.name for load in spec.loads if load.name in paper.loads)
    return Beside(
        paper=paper,
        standings=_standings(load, rates_of_vcpus(paper, results, load)),
        facts=(),
        differences=differences(paper, results, spec, facts),
        remarks=remarks(paper, results),
        here=here_short(paper, results, spec, facts),
        simulated=results.simulated,
        what="Rank of each number of vCPUs by throughput",
        items="numbers of vCPUs",
        axis="vCPUs; rank 1 has the highest throughput",
        note="The paper's shares follow from what each doubling of vCPUs gives.",
    )


def _standings(load: str, rows: Sequence[Item]) -> tuple[Standing, ...]:
    return tuple(
        Standing(
            split=row.name,
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


def _beside(paper: Paper, results: Results, spec: RunSpec, facts: HostFacts) -> Beside:
    return Beside(
        paper=paper,
        standings=tuple(row for load in paper.loads for row in standings(paper, results, load)),
        facts=facts_of(paper, results),
        differences=differences(paper, results, spec, facts),
        remarks=remarks(paper, results),
        here=here_short(paper, results, spec, facts),
        simulated=results.simulated,
    )


def standings(paper: Paper, results: Results, load: str) -> tuple[Standing, ...]:
    """Return a row per split of the paper that the run measured under a load; none where these are fewer than three."""
    leads = Leads(results, load, paper.splits)
    if len(leads.measured) < LEAST_SPLITS:
        return ()
    order, shares = leads.order, stated_shares(paper, load)
    stated, found = stated_ranks(paper, load, leads.measured), found_ranks(leads, leads.measured)
    rows: list[Standing] = []
    for split in sorted(leads.measured, key=_position):
        lead = leads.lead(order[0], split)
        known = split != order[0] and math.isfinite(lead.high) and math.isfinite(lead.low)
        rows.append(
            Standing(
                split=split,
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


def ranks_words(ranks: Ranks) -> str:
    """Return `3`, or `1 to 4`."""
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def share_words(row: Standing) -> str:
    """Return the share of the best here, with its interval where there is one: `81 % (77 to 85 %)`."""
    if row.found_ci95_frac is None:
        return percent(row.found_frac)
    low, high = row.found_ci95_frac
    return f"{percent(row.found_frac)} ({percent(low).removesuffix(' %')} to {percent(high)})"


def _position(label: str) -> float:
    return split_setting(label).position
