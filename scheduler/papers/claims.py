"""Check of one claim about splits against a run, by intervals, never by means.

A claim of several comparisons holds when each comparison holds at 95 %. The probability that all seem to hold and one
does not is then at most 5 %. A claim does not hold when one comparison is reversed. As one of many may be reversed by
chance, the intervals for that check are widened for the number of comparisons.
"""

import enum
import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.papers.log_ratios import LogRatio, LogRatios
from scheduler.papers.paper_model import DifferentBestClaim, GapClaim, MedianClaim, OrderClaim
from scheduler.translation import _, ngettext


class ClaimOutcome(enum.StrEnum):
    """Outcome of a claim."""

    YES = "holds"
    NO = _("does not hold")
    OPEN = _("not decided")


class MissingReason(enum.StrEnum):
    """Reason for an open outcome of a claim."""

    NOTHING = ""
    LOAD = _("load not measured")
    SPLIT = _("split not measured")
    INTERVAL = _("intervals too wide")


class ClaimResult(msgspec.Struct, frozen=True):
    """Result of checking a claim.

    Attributes:
        holds: Outcome of the check.
        figures: The deciding figures, as a sentence.
        lack: Reason for an open outcome; empty for a decided one.
    """

    holds: ClaimOutcome
    figures: str
    lack: MissingReason = MissingReason.NOTHING


def missing_load_result(absent: Sequence[str]) -> ClaimResult:
    """Return the open result for loads without a measurement."""
    words = ngettext("{loads} was not measured.", "{loads} were not measured.", len(absent)).format(
        loads=join_names(map(load_title, absent))
    )
    return ClaimResult(ClaimOutcome.OPEN, words, MissingReason.LOAD)


def missing_split_result(lost: Sequence[str]) -> ClaimResult:
    """Return the open result for splits without a figure."""
    return ClaimResult(
        ClaimOutcome.OPEN, _("Without a figure here: {lost}.").format(lost=join_names(lost)), MissingReason.SPLIT
    )


def check_order(claim: OrderClaim, leads: LogRatios) -> ClaimResult:
    """Return the result of a claimed order.

    One reversed pair refutes the order, even when other splits were not measured.

    Args:
        claim: The claim.
        leads: Ratios of the splits under the claim's load.
    """
    there = [(one, other) for one in claim.splits for other in claim.others if {one, other} <= {*leads.measured}]
    pairs = sorted((leads.lead(one, other) for one, other in there), key=lambda lead: lead.low)
    factor = leads.widening_factor(len(pairs))
    against = [lead for lead in pairs if lead.wider(factor).behind]
    if against:
        worst = min(against, key=lambda lead: lead.high)
        return ClaimResult(ClaimOutcome.NO, f"{_lead_text(worst.back)}.")
    lost = [name for name in (*claim.splits, *claim.others) if name not in leads.measured]
    if lost:
        return missing_split_result(lost)
    unsure = [lead for lead in pairs if not lead.ahead]
    if not unsure:
        return ClaimResult(ClaimOutcome.YES, f"{'Closest: ' if len(pairs) > 1 else ''}{_lead_text(pairs[0])}.")
    more = (
        _("; also {count} more of {count_2} pairs").format(count=len(unsure) - 1, count_2=len(pairs))
        if len(unsure) > 1
        else ""
    )
    return ClaimResult(
        ClaimOutcome.OPEN,
        _("No clear difference: {lead}{more}.").format(lead=_lead_text(unsure[0]), more=more),
        MissingReason.INTERVAL,
    )


def check_gap(claim: GapClaim, leads: LogRatios) -> ClaimResult:
    """Return the result of a claimed distance to the best split.

    Args:
        claim: The claim.
        leads: Ratios of the splits under the claim's load; every split is measured.
    """
    best, second = leads.order[0], leads.order[1]
    split = claim.split or leads.order[-1]
    lead = leads.lead(second if split == best else best, split)
    low, middle, high = (max(0.0, -math.expm1(-value)) for value in (lead.low, lead.middle, lead.high))
    if math.isinf(lead.high):
        return ClaimResult(
            ClaimOutcome.OPEN,
            _("{split} lies {middle} below {best}, without an interval.").format(
                split=split, middle=format_percent(middle), best=best
            ),
            MissingReason.INTERVAL,
        )
    least, most = claim.gap_frac - claim.within_frac, claim.gap_frac + claim.within_frac
    here = _("{split} lies {middle} below {best} ({low})").format(
        split=split, middle=format_percent(middle), best=best, low=format_interval(low, high)
    )
    if split == best:
        here = _("{split} is the best here, or at most {high} below it").format(split=split, high=format_percent(high))
    figures = _("{here}; {least} would be the same.").format(here=here, least=format_interval(least, min(1.0, most)))
    if least <= low and high <= most:
        return ClaimResult(ClaimOutcome.YES, figures)
    if high < least or low > most:
        return ClaimResult(ClaimOutcome.NO, figures)
    return ClaimResult(ClaimOutcome.OPEN, figures, MissingReason.INTERVAL)


def check_median(claim: MedianClaim, splits: Sequence[str], loads: Mapping[str, LogRatios]) -> ClaimResult:
    """Return the result of a claim that splits are in the upper or lower half.

    Args:
        claim: The claim, whose splits are measured.
        splits: All splits of the paper; some may lack a measurement if the others decide.
        loads: Ratios of the splits by load.
    """
    others = len(splits) - 1
    looks = others * len(claim.splits) * len(claim.loads)
    reported = [
        _check_side(claim, split, load, loads[load], (others, looks)) for load in claim.loads for split in claim.splits
    ]
    against = [words for settled, words in reported if settled is False]
    unsure = [words for settled, words in reported if settled is None]
    if against:
        return ClaimResult(ClaimOutcome.NO, f"{'; '.join(against)}.")
    if not unsure:
        return ClaimResult(ClaimOutcome.YES, f"{'; '.join(words for _, words in reported)}.")
    lost = [name for name in splits if any(name not in loads[load].measured for load in claim.loads)]
    return (
        missing_split_result(lost)
        if lost
        else ClaimResult(ClaimOutcome.OPEN, f"{'; '.join(unsure)}.", MissingReason.INTERVAL)
    )


def _check_side(
    claim: MedianClaim, split: str, load: str, leads: LogRatios, counts: tuple[int, int]
) -> tuple[bool | None, str]:
    """Return True for a split on the claimed side, and the deciding counts as text.

    The first value is None for an open side.
    """
    others, looks = counts
    factor = leads.widening_factor(looks)
    rivals = [leads.lead(split, other).wider(factor) for other in leads.measured if other != split]
    lower, higher = sum(lead.ahead for lead in rivals), sum(lead.behind for lead in rivals)
    fine, against = (lower, higher) if claim.upper else (higher, lower)
    settled = True if 2 * fine >= others else False if 2 * against > others else None
    words = _("{load} at {split}: above it {higher} of {others} splits, below it {lower}, for sure").format(
        load=load_title(load), split=split, higher=higher, others=others, lower=lower
    )
    return settled, words


def check_different_bests(claim: DifferentBestClaim, loads: Mapping[str, LogRatios]) -> ClaimResult:
    """Return the result of a claim that two loads have different best splits.

    Args:
        claim: The claim.
        loads: Ratios of the splits by load; every split is measured under both loads.
    """
    one, other = (_possible_bests(loads[load]) for load in claim.loads)
    bests = zip(claim.loads, (one, other), strict=True)
    words = "; ".join(
        _("{load} is best at {names}").format(load=load_title(load), names=" or ".join(names)) for load, names in bests
    )
    if not {*one} & {*other}:
        return ClaimResult(ClaimOutcome.YES, f"{words}.")
    if len(one) == len(other) == 1:
        return ClaimResult(ClaimOutcome.NO, f"{words}.")
    return ClaimResult(ClaimOutcome.OPEN, f"{words}.", MissingReason.INTERVAL)


def _possible_bests(leads: LogRatios) -> list[str]:
    """Return every split that may be the best, at 95 % for all together."""
    top = leads.order[0]
    factor = leads.widening_factor(len(leads.measured) - 1)
    return [name for name in leads.order if name == top or not leads.lead(top, name).wider(factor).ahead]


def _lead_text(lead: LogRatio) -> str:
    """Return a text such as `1:5 is 12 % above 2:5 (8 to 16 %)`."""
    if math.isinf(lead.low) or math.isinf(lead.high):
        return _("{first} is {expm1} above {second}, without an interval").format(
            first=lead.first, expm1=format_percent(math.expm1(lead.middle)), second=lead.second
        )
    low, middle, high = (math.expm1(value) for value in (lead.low, lead.middle, lead.high))
    if middle < 0:
        return _("{first} is {middle} below {second} ({high})").format(
            first=lead.first, middle=format_percent(-middle), second=lead.second, high=format_interval(-high, -low)
        )
    return _("{first} is {middle} above {second} ({low})").format(
        first=lead.first, middle=format_percent(middle), second=lead.second, low=format_interval(low, high)
    )
