"""Which of a paper's statements about splits hold in a run."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.results import Results
from scheduler.papers import claims
from scheduler.papers.claims import Holds, Lack, Told
from scheduler.papers.leads import Leads
from scheduler.papers.model import Above, Apart, Gap, Half, Paper, Statement


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, looked for in a run.

    Attributes:
        id: The statement's.
        says: What it says.
        where: Section of the paper.
        reading: How it was understood; empty where its words leave no room.
        holds: Whether it does here.
        lack: Why that cannot be told; empty when it can.
        figures: What decides, as a sentence with its numbers.
    """

    id: str
    says: str
    where: str
    reading: str
    holds: Holds
    lack: Lack
    figures: str


def facts_of(paper: Paper, results: Results) -> tuple[Fact, ...]:
    """Return the paper's statements that compare splits, each looked for in a run."""
    loads = {load: Leads(results, load, paper.splits) for load in paper.loads}
    told = [(said, _told(said, paper, loads)) for said in paper.statements]
    return tuple(_fact(said, found) for said, found in told if found is not None)


def _told(said: Statement, paper: Paper, loads: Mapping[str, Leads]) -> Told | None:
    match said.claim:
        case Above() as claim:
            return _missing(loads, [claim.load], ()) or claims.above(claim, loads[claim.load])
        case Gap() as claim:
            return _missing(loads, [claim.load], paper.splits) or claims.gap(claim, loads[claim.load])
        case Half() as claim:
            return _missing(loads, claim.loads, claim.splits) or claims.half(claim, paper.splits, loads)
        case Apart() as claim:
            return _missing(loads, claim.loads, paper.splits) or claims.apart(claim, loads)
        case _:
            return None


def _missing(loads: Mapping[str, Leads], wanted: Sequence[str], splits: Sequence[str]) -> Told | None:
    """Return what is told where a load, or one of the splits that it needs, was not measured; None where none lacks."""
    absent = [load for load in wanted if not loads[load].measured]
    if absent:
        return claims.no_load(absent)
    lost = [split for split in splits if any(split not in loads[load].measured for load in wanted)]
    return claims.no_split(lost) if lost else None


def _fact(said: Statement, told: Told) -> Fact:
    return Fact(
        id=said.id,
        says=said.says,
        where=said.where,
        reading=said.reading,
        holds=told.holds,
        lack=told.lack,
        figures=told.figures,
    )
