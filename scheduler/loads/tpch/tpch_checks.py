"""Whether the users saw the answers that there were when the tables had been loaded."""

from collections.abc import Mapping

from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.user_messages import UserTotals
from scheduler.model.sentence_texts import join_names

_SHOWN = 3


def check_answers(
    answers: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], totals: UserTotals
) -> LoadCheck:
    """Compare what the users say with the answers that were kept, and the tables with what they held.

    A query that was over its limit has no answer: it is told, its trial does not count, and nothing is wrong with the
    data.

    Args:
        answers: Query (`Q1`) to its answer when the tables had been loaded: number of rows and digest.
        before: Table to its rows and sum when the users started; likewise `after`.
        after: When they had stopped.
        totals: All users together, warm-up and tail included.
    """
    wrong = {seen for seen in totals.answers if not _is_expected_answer(seen, answers)}
    over = {sort: many for sort, many in totals.sorts.items() if sort not in answers}
    changed = sum_flaws(before, after)
    answered = sum(totals.answers.values())
    flaws = [
        f"{join_names(_wrong_answer_text(seen, answers) for seen in sorted(wrong)[:_SHOWN])}" if wrong else "",
        f"{answered} answers were seen, {totals.tuples} queries counted" if answered != totals.tuples else "",
        f"tables changed: {'; '.join(changed[:_SHOWN])}" if changed else "",
    ]
    words = f"{answered} queries answered"
    if not wrong:
        words += ", each as when the tables had been loaded"
    if over:
        words += f"; without an answer: {join_names(_times_text(sort, many) for sort, many in sorted(over.items()))}"
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def sum_flaws(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return which tables changed: table to its rows and sum before, and after."""
    return [f"{name} held {before[name]}, now {after.get(name)}" for name in before if after.get(name) != before[name]]


def _is_expected_answer(seen: str, answers: Mapping[str, str]) -> bool:
    query, _, answer = seen.partition(" ")
    return answers.get(query) == answer


def _times_text(sort: str, many: int) -> str:
    return sort if many == 1 else f"{sort} ({many} times)"


def _wrong_answer_text(seen: str, answers: Mapping[str, str]) -> str:
    query, _, answer = seen.partition(" ")
    rows, wanted = answer.partition(":")[0], answers.get(query, "").partition(":")[0]
    return (
        f"{query} had {rows} rows, not {wanted}" if rows != wanted else f"{query} had other values in its {rows} rows"
    )
