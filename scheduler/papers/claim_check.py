"""Check of a paper's statements about splits against a run."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.results import Results
from scheduler.papers import claims
from scheduler.papers.claims import ClaimOutcome, ClaimResult, MissingReason
from scheduler.papers.log_ratios import LogRatios
from scheduler.papers.paper_model import (
    DifferentBestClaim,
    GapClaim,
    MedianClaim,
    OrderClaim,
    PaperStatement,
    PublishedPaper,
)


class CheckedStatement(msgspec.Struct, frozen=True, kw_only=True):
    """Statement of a paper, checked against a run.

    Attributes:
        id: Id of the statement.
        says: The statement in DomTune's words.
        where: Section of the paper.
        reading: Interpretation of an ambiguous statement; empty for a clear one.
        holds: Outcome of the check.
        lack: Reason for an open outcome; empty for a decided one.
        figures: The deciding figures, as a sentence.
    """

    id: str
    says: str
    where: str
    reading: str
    holds: ClaimOutcome
    lack: MissingReason
    figures: str


def check_statements(paper: PublishedPaper, results: Results) -> tuple[CheckedStatement, ...]:
    """Return the paper's statements that compare splits, each checked against a run.

    Args:
        paper: The paper.
        results: Results of the run.
    """
    loads = {load: LogRatios(results, load, paper.splits) for load in paper.loads}
    reported = [(said, _check_statement(said, paper, loads)) for said in paper.statements]
    return tuple(_checked_statement(said, found) for said, found in reported if found is not None)


def _check_statement(said: PaperStatement, paper: PublishedPaper, loads: Mapping[str, LogRatios]) -> ClaimResult | None:
    match said.claim:
        case OrderClaim() as claim:
            return _missing_result(loads, [claim.load], ()) or claims.check_order(claim, loads[claim.load])
        case GapClaim() as claim:
            return _missing_result(loads, [claim.load], paper.splits) or claims.check_gap(claim, loads[claim.load])
        case MedianClaim() as claim:
            return _missing_result(loads, claim.loads, claim.splits) or claims.check_median(claim, paper.splits, loads)
        case DifferentBestClaim() as claim:
            return _missing_result(loads, claim.loads, paper.splits) or claims.check_different_bests(claim, loads)
        case _:
            return None


def _missing_result(loads: Mapping[str, LogRatios], wanted: Sequence[str], splits: Sequence[str]) -> ClaimResult | None:
    """Return the result for an unmeasured load or required split, else None."""
    absent = [load for load in wanted if not loads[load].measured]
    if absent:
        return claims.missing_load_result(absent)
    lost = [split for split in splits if any(split not in loads[load].measured for load in wanted)]
    return claims.missing_split_result(lost) if lost else None


def _checked_statement(said: PaperStatement, told: ClaimResult) -> CheckedStatement:
    return CheckedStatement(
        id=said.id,
        says=said.says,
        where=said.where,
        reading=said.reading,
        holds=told.holds,
        lack=told.lack,
        figures=told.figures,
    )
