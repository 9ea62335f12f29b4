"""Whether the users saw the answers that there were when the tables had been loaded."""

from collections.abc import Mapping

from scheduler.loads.base import LoadCheck
from scheduler.loads.orders import Totals
from scheduler.model.words import listing

_SHOWN = 3


def after_users(
    answers: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], totals: Totals
) -> LoadCheck:
    """Compare what the users say with the answers that were kept, and the tables with what they held.

    A query that was over its limit has no answer: it is told, its visit does not count, and nothing is wrong with the
    data.

    Args:
        answers: Query (`Q1`) to its answer when the tables had been loaded: number of rows and digest.
        before: Table to its rows and sum when the users started; likewise `after`.
        after: When they had stopped.
        totals: All users together, warm-up and tail included.
    """
    wrong = {seen for seen in totals.answers if not _is_one_of(seen, answers)}
    over = {sort: many for sort, many in totals.sorts.items() if sort not in answers}
    changed = [
        f"{name} held {before[name]}, now {after.get(name)}" for name in before if after.get(name) != before[name]
    ]
    answered = sum(totals.answers.values())
    flaws = [
        f"{listing(_told(seen, answers) for seen in sorted(wrong)[:_SHOWN])}" if wrong else "",
        f"{answered} answers were seen, {totals.tuples} queries counted" if answered != totals.tuples else "",
        f"tables changed: {'; '.join(changed[:_SHOWN])}" if changed else "",
    ]
    words = f"{answered} queries answered"
    if not wrong:
        words += ", each as when the tables had been loaded"
    if over:
        words += f"; without an answer: {listing(_often(sort, many) for sort, many in sorted(over.items()))}"
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def _is_one_of(seen: str, answers: Mapping[str, str]) -> bool:
    query, _, answer = seen.partition(" ")
    return answers.get(query) == answer


def _often(sort: str, many: int) -> str:
    return sort if many == 1 else f"{sort} ({many} times)"


def _told(seen: str, answers: Mapping[str, str]) -> str:
    query, _, answer = seen.partition(" ")
    rows, wanted = answer.partition(":")[0], answers.get(query, "").partition(":")[0]
    return (
        f"{query} had {rows} rows, not {wanted}" if rows != wanted else f"{query} had other values in its {rows} rows"
    )
