"""Sentences about the finding of a capacity study."""

from collections.abc import Sequence

from scheduler.model.number_texts import format_more_trials, format_percent, format_short, format_users
from scheduler.model.sentence_texts import format_load_rate, join_names, load_title
from scheduler.studies.capacity.declaration import CapacityMargin, KneeEstimate
from scheduler.translation import _

NO_KNEE_TEXT = _("No answer: no number of users was measured under any load.")


def capacity_headline(knees: Sequence[KneeEstimate]) -> str:
    """Return the answer as one sentence."""
    if not knees:
        return NO_KNEE_TEXT
    if len(knees) == 1:
        return _knee_sentence(knees[0])
    full = join_names(f"{_knee_users_text(knee)} ({_load_and_split(knee)})" for knee in knees if knee.is_decided)
    between = join_names(
        f"{_load_and_split(knee)} {_undecided_text(knee)}" for knee in knees if not (knee.open or knee.is_decided)
    )
    rest = join_names(
        _("{load_and_split} not saturated at {tried} users").format(
            load_and_split=_load_and_split(knee), tried=knee.tried
        )
        for knee in knees
        if knee.beyond
    )
    unknown = join_names(
        _("{load_and_split} unknown").format(load_and_split=_load_and_split(knee))
        for knee in knees
        if knee.open and not knee.beyond
    )
    return _("{part}.").format(
        part="; ".join(
            part
            for part in (_("Saturated at {full}").format(full=full) if full else "", between, rest, unknown)
            if part
        )
    )


def _knee_sentence(knee: KneeEstimate) -> str:
    if knee.open and not knee.beyond:
        least = _(" (more than {above})").format(above=knee.above) if knee.above else ""
        return _(
            "The saturation point under {load_and_split} is not known yet{least}: at most {tried} users were tested."
        ).format(load_and_split=_load_and_split(knee), least=least, tried=knee.tried)
    if knee.open:
        return _(
            "Not saturated at {tried} users under {load_and_split}: more than {above} users are "
            "needed for 95 % of the highest throughput."
        ).format(tried=knee.tried, load_and_split=_load_and_split(knee), above=knee.above)
    if not knee.is_decided:
        return _("Under {load_and_split} the host is {undecided}. {next_block_sentence}").format(
            load_and_split=_load_and_split(knee),
            undecided=_undecided_text(knee),
            next_block_sentence=_next_block_sentence(knee),
        )
    return _(
        "Saturates at {knee_users} under {load_and_split}: with more users, throughput rises by less than 5 %."
    ).format(knee_users=_knee_users_text(knee), load_and_split=_load_and_split(knee))


def _undecided_text(knee: KneeEstimate) -> str:
    return _("saturated somewhere between {max} and {most} users: not decided").format(
        max=max(1, knee.above), most=knee.most
    )


def _next_block_sentence(knee: KneeEstimate) -> str:
    """Return a sentence about the next block."""
    would = format_more_trials(len(knee.next_users))
    return _("{would} (with {next_users} users) would narrow the range.").format(
        would=would, next_users=join_names(map(str, knee.next_users))
    )


def _saturation_text(knee: KneeEstimate) -> str:
    if knee.open:
        return _("not full with {tried} users").format(tried=knee.tried) if knee.beyond else _("not known to be full")
    if not knee.is_decided:
        return _undecided_text(knee)
    return _("full with {knee_users}").format(knee_users=_knee_users_text(knee))


def _knee_users_text(knee: KneeEstimate) -> str:
    least = knee.above + 1
    if least >= knee.most:
        return format_users(knee.most)
    return _("{least} to {most} users").format(least=least, most=knee.most)


def _load_and_split(knee: KneeEstimate) -> str:
    name = load_title(knee.load)
    return _("{name} at {knee}").format(name=name, knee=knee.split) if knee.split else name


def knee_sentences(knee: KneeEstimate, demand: int) -> list[str]:
    """Return the sentences about one knee.

    Args:
        knee: The knee.
        demand: Number of users that the plan asks about; 0 for none.
    """
    low, high = knee.highest_ci95_tps
    best = _("{load_and_split}: the highest is {highest_tps}").format(
        load_and_split=_load_and_split(knee), highest_tps=format_load_rate(knee.highest_tps, knee.load, knee.unit)
    )
    spread = _("95 % interval {low} to {high}, {trials} trials").format(
        low=format_short(low), high=format_short(high), trials=knee.trials
    )
    lines = [
        _("{best} ({spread}), seen with {best_users}.").format(
            best=best, spread=spread, best_users=format_users(knee.best_users)
        )
    ]
    if knee.crossing_users:
        middle, least, most = knee.crossing_users
        lines.append(
            _(
                "{load_and_split}: ideal saturation point N* = {middle} users ({least} to {most}): "
                "maximum / single-user throughput."
            ).format(
                load_and_split=_load_and_split(knee),
                middle=format_short(middle),
                least=format_short(least),
                most=format_short(most),
            )
        )
    if knee.falls_frac:
        lost = format_percent(knee.falls_frac)
        lines.append(
            _("{load_and_split}: with {tried} users there is {lost} less than with {best_users}.").format(
                load_and_split=_load_and_split(knee), tried=knee.tried, lost=lost, best_users=knee.best_users
            )
        )
    lines += [f"{_load_and_split(knee)}, {text}" for text in (knee.below_text, knee.beyond_text) if text]
    return lines if not demand else [*_demand_sentences(knee, demand), *lines]


def _demand_sentences(knee: KneeEstimate, demand: int) -> list[str]:
    each = knee.highest_tps / max(demand, knee.above, 1)
    if knee.room in {CapacityMargin.AT_THE_KNEE, CapacityMargin.EXPAND}:
        return [
            _("{load_and_split}: {demand} users get at most {each} each.").format(
                load_and_split=_load_and_split(knee), demand=demand, each=format_load_rate(each, knee.load, knee.unit)
            )
        ]
    return []


_ADVICE = {
    CapacityMargin.ROOM: _("{where}: {demand} users fit: the host is not saturated at {above} users."),
    CapacityMargin.CONTRACT: _(
        "{where}: {demand} users are less than half of {above} users, where the host is not yet "
        "saturated. A smaller share of the CPU may be enough."
    ),
    CapacityMargin.AT_THE_KNEE: _(
        "{where}: {demand} users are within {least} to {most}, where throughput "
        "stops growing. Each further user only slows down the others."
    ),
    CapacityMargin.EXPAND: _(
        "{where}: {demand} users are more than {most}, where the host is saturated. "
        "Expand the host, or each user gets {part} of the rate at {most} users."
    ),
    CapacityMargin.UNKNOWN: _("{where}: no answer for {demand} users, because at most {tried} were tested."),
}


def capacity_advice(knee: KneeEstimate, demand: int) -> str:
    """Return advice for a number of users.

    Nothing is advised that the interval of the knee leaves open.

    Args:
        knee: The knee.
        demand: Number of users that the plan asks about, >= 1.
    """
    if knee.room is CapacityMargin.UNKNOWN and not knee.open:
        return _("{load_and_split}: not decided for {demand} users. {next_block_sentence}").format(
            load_and_split=_load_and_split(knee), demand=demand, next_block_sentence=_next_block_sentence(knee)
        )
    return _ADVICE[knee.room].format(
        where=_load_and_split(knee),
        demand=demand,
        above=knee.above,
        least=knee.above + 1,
        most=knee.most,
        tried=knee.tried,
        part=format_percent(knee.most / demand),
    )


def compare_splits(knees: Sequence[KneeEstimate]) -> list[str]:
    """Return sentences on the effect of the split on the highest throughput.

    Empty where a load was measured at one split only.
    """
    lines: list[str] = []
    for load in dict.fromkeys(knee.load for knee in knees):
        there = sorted((knee for knee in knees if knee.load == load), key=lambda knee: -knee.highest_tps)
        if len(there) < 2:
            continue
        first, last = there[0], there[-1]
        clauses = [
            _("{knee} is {saturation}").format(knee=knee.split, saturation=_saturation_text(knee)) for knee in there
        ]
        apart = first.highest_ci95_tps[0] > last.highest_ci95_tps[1]
        gain = _("{first} gives {highest_tps} more than {last}").format(
            first=first.split, highest_tps=format_percent(first.highest_tps / last.highest_tps - 1), last=last.split
        )
        words = (
            gain
            if apart
            else _("between {first} and {last} no difference is certain").format(first=first.split, last=last.split)
        )
        lines.append(f"{load_title(load)}: {words}; {join_names(clauses)}.")
    return lines
