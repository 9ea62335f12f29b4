"""Sentences about the finding of a capacity study."""

from collections.abc import Sequence

from scheduler.model.number_texts import format_more_trials, format_percent, format_short, format_users
from scheduler.model.sentence_texts import format_load_rate, join_names, load_title
from scheduler.studies.capacity.declaration import CapacityMargin, KneeEstimate

NO_KNEE_TEXT = "No answer: no number of users was measured under any load."


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
    rest = join_names(f"{_load_and_split(knee)} not saturated at {knee.tried} users" for knee in knees if knee.beyond)
    unknown = join_names(f"{_load_and_split(knee)} unknown" for knee in knees if knee.open and not knee.beyond)
    return f"{'; '.join(part for part in (f'Saturated at {full}' if full else '', between, rest, unknown) if part)}."


def _knee_sentence(knee: KneeEstimate) -> str:
    if knee.open and not knee.beyond:
        least = f" (more than {knee.above})" if knee.above else ""
        return (
            f"The saturation point under {_load_and_split(knee)} is not known yet{least}: "
            f"at most {knee.tried} users were tested."
        )
    if knee.open:
        return (
            f"Not saturated at {knee.tried} users under {_load_and_split(knee)}: more than {knee.above} users are "
            "needed for 95 % of the highest throughput."
        )
    if not knee.is_decided:
        return f"Under {_load_and_split(knee)} the host is {_undecided_text(knee)}. {_next_block_sentence(knee)}"
    return (
        f"Saturates at {_knee_users_text(knee)} under {_load_and_split(knee)}: with more users, throughput rises by "
        "less than 5 %."
    )


def _undecided_text(knee: KneeEstimate) -> str:
    return f"saturated somewhere between {max(1, knee.above)} and {knee.most} users: not decided"


def _next_block_sentence(knee: KneeEstimate) -> str:
    """Return a sentence about the next block."""
    would = format_more_trials(len(knee.next_users))
    return f"{would} (with {join_names(map(str, knee.next_users))} users) would narrow the range."


def _saturation_text(knee: KneeEstimate) -> str:
    if knee.open:
        return f"not full with {knee.tried} users" if knee.beyond else "not known to be full"
    if not knee.is_decided:
        return _undecided_text(knee)
    return f"full with {_knee_users_text(knee)}"


def _knee_users_text(knee: KneeEstimate) -> str:
    least = knee.above + 1
    if least >= knee.most:
        return format_users(knee.most)
    return f"{least} to {knee.most} users"


def _load_and_split(knee: KneeEstimate) -> str:
    name = load_title(knee.load)
    return f"{name} at {knee.split}" if knee.split else name


def knee_sentences(knee: KneeEstimate, demand: int) -> list[str]:
    """Return the sentences about one knee.

    Args:
        knee: The knee.
        demand: Number of users that the plan asks about; 0 for none.
    """
    low, high = knee.highest_ci95_tps
    best = f"{_load_and_split(knee)}: the highest is {format_load_rate(knee.highest_tps, knee.load, knee.unit)}"
    spread = f"95 % interval {format_short(low)} to {format_short(high)}, {knee.trials} trials"
    lines = [f"{best} ({spread}), seen with {format_users(knee.best_users)}."]
    if knee.crossing_users:
        middle, least, most = knee.crossing_users
        lines.append(
            f"{_load_and_split(knee)}: ideal saturation point N* = {format_short(middle)} users "
            f"({format_short(least)} to {format_short(most)}): maximum / single-user throughput."
        )
    if knee.falls_frac:
        lost = format_percent(knee.falls_frac)
        lines.append(
            f"{_load_and_split(knee)}: with {knee.tried} users there is {lost} less than with {knee.best_users}."
        )
    lines += [f"{_load_and_split(knee)}, {text}" for text in (knee.below_text, knee.beyond_text) if text]
    return lines if not demand else [*_demand_sentences(knee, demand), *lines]


def _demand_sentences(knee: KneeEstimate, demand: int) -> list[str]:
    each = knee.highest_tps / max(demand, knee.above, 1)
    if knee.room in {CapacityMargin.AT_THE_KNEE, CapacityMargin.EXPAND}:
        return [
            f"{_load_and_split(knee)}: {demand} users get at most {format_load_rate(each, knee.load, knee.unit)} each."
        ]
    return []


_ADVICE = {
    CapacityMargin.ROOM: "{where}: {demand} users fit: the host is not saturated at {above} users.",
    CapacityMargin.CONTRACT: "{where}: {demand} users are less than half of {above} users, where the host is not yet "
    "saturated. A smaller share of the CPU may be enough.",
    CapacityMargin.AT_THE_KNEE: "{where}: {demand} users are within {least} to {most}, where throughput "
    "stops growing. Each further user only slows down the others.",
    CapacityMargin.EXPAND: "{where}: {demand} users are more than {most}, where the host is saturated. "
    "Expand the host, or each user gets {part} of the rate at {most} users.",
    CapacityMargin.UNKNOWN: "{where}: no answer for {demand} users, because at most {tried} were tested.",
}


def capacity_advice(knee: KneeEstimate, demand: int) -> str:
    """Return advice for a number of users.

    Nothing is advised that the interval of the knee leaves open.

    Args:
        knee: The knee.
        demand: Number of users that the plan asks about, >= 1.
    """
    if knee.room is CapacityMargin.UNKNOWN and not knee.open:
        return f"{_load_and_split(knee)}: not decided for {demand} users. {_next_block_sentence(knee)}"
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
        clauses = [f"{knee.split} is {_saturation_text(knee)}" for knee in there]
        apart = first.highest_ci95_tps[0] > last.highest_ci95_tps[1]
        gain = f"{first.split} gives {format_percent(first.highest_tps / last.highest_tps - 1)} more than {last.split}"
        words = gain if apart else f"between {first.split} and {last.split} no difference is certain"
        lines.append(f"{load_title(load)}: {words}; {join_names(clauses)}.")
    return lines
