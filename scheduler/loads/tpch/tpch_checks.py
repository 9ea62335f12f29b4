"""Comparison of the users' answers with the answers of the freshly loaded tables."""

from collections.abc import Mapping

from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.user_messages import UserTotals
from scheduler.model.sentence_texts import join_names
from scheduler.translation import _

_SHOWN = 3


def check_answers(
    answers: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], totals: UserTotals
) -> LoadCheck:
    """Compare the users' answers and the tables with their state after loading.

    A query over its time limit has no answer. It is reported and its trial is excluded, but the check passes.

    Args:
        answers: Query (`Q1`) to its answer after loading: number of rows and digest.
        before: Table to its number of rows and sum, when the users started.
        after: Table to its number of rows and sum, when the users had stopped.
        totals: Totals of all users, warm-up and tail included.
    """
    wrong = {seen for seen in totals.answers if not _is_expected_answer(seen, answers)}
    over = {sort: many for sort, many in totals.sorts.items() if sort not in answers}
    changed = sum_flaws(before, after)
    answered = sum(totals.answers.values())
    flaws = [
        f"{join_names(_wrong_answer_text(seen, answers) for seen in sorted(wrong)[:_SHOWN])}" if wrong else "",
        _("{answered} answers were seen, {tuples} queries counted").format(answered=answered, tuples=totals.tuples)
        if answered != totals.tuples
        else "",
        _("tables changed: {changed}").format(changed="; ".join(changed[:_SHOWN])) if changed else "",
    ]
    words = _("{answered} queries answered").format(answered=answered)
    if not wrong:
        words += _(", each as when the tables had been loaded")
    if over:
        words += _("; without an answer: {times}").format(
            times=join_names((_times_text(sort, many) for sort, many in sorted(over.items())))
        )
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def sum_flaws(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the changed tables, one sentence each.

    Args:
        before: Table to its earlier number of rows and sum.
        after: Table to its later number of rows and sum.
    """
    return [
        _("{name} held {before}, now {name_2}").format(name=name, before=before[name], name_2=after.get(name))
        for name in before
        if after.get(name) != before[name]
    ]


def _is_expected_answer(seen: str, answers: Mapping[str, str]) -> bool:
    query, _, answer = seen.partition(" ")
    return answers.get(query) == answer


def _times_text(sort: str, many: int) -> str:
    return sort if many == 1 else _("{sort} ({many} times)").format(sort=sort, many=many)


def _wrong_answer_text(seen: str, answers: Mapping[str, str]) -> str:
    query, _unused, answer = seen.partition(" ")
    rows, wanted = answer.partition(":")[0], answers.get(query, "").partition(":")[0]
    return (
        _("{query} had {rows} rows, not {wanted}").format(query=query, rows=rows, wanted=wanted)
        if rows != wanted
        else _("{query} had other values in its {rows} rows").format(query=query, rows=rows)
    )
