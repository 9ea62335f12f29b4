"""What a capacity study found, in words."""

from collections.abc import Sequence

from scheduler.model.findings import FoundKnee, Room
from scheduler.model.number_texts import percent, short
from scheduler.model.words import listing, load_title, rate

NO_KNEE = "No answer: no number of users was measured under any load."


def headline(knees: Sequence[FoundKnee]) -> str:
    """Return the answer as one sentence."""
    if not knees:
        return NO_KNEE
    if len(knees) == 1:
        return _sentence(knees[0])
    full = listing(f"{_number(knee)} ({_where(knee)})" for knee in knees if knee.decided)
    between = listing(f"{_where(knee)} {_between(knee)}" for knee in knees if not (knee.open or knee.decided))
    rest = listing(f"{_where(knee)} not up to {knee.tried}" for knee in knees if knee.beyond)
    unknown = listing(f"{_where(knee)} not known" for knee in knees if knee.open and not knee.beyond)
    return f"{'; '.join(part for part in (f'It is full with {full}' if full else '', between, rest, unknown) if part)}."


def _sentence(knee: FoundKnee) -> str:
    if knee.open and not knee.beyond:
        least = f", only that {knee.above} are not enough" if knee.above else ""
        return f"How many users fill it under {_where(knee)} is not known yet{least}: {knee.tried} were tried at most."
    if knee.open:
        return (
            f"Up to {knee.tried} users it does not fill up under {_where(knee)}: more than {knee.above} are needed for "
            "95 % of the highest throughput."
        )
    if not knee.decided:
        return f"Under {_where(knee)} it is {_between(knee)}. {_further(knee)}"
    return f"It carries {_number(knee)} under {_where(knee)}; with more, throughput rises by less than 5 %."


def _between(knee: FoundKnee) -> str:
    return f"full somewhere between {max(1, knee.above)} and {knee.most} users: not decided"


def _further(knee: FoundKnee) -> str:
    """Return the next block, as a sentence."""
    count = len(knee.next_users)
    would = f"{count} more trial{'' if count == 1 else 's'}"
    return f"{would} (with {listing(map(str, knee.next_users))} users) would narrow it."


def _users(knee: FoundKnee) -> str:
    if knee.open:
        return f"not full with {knee.tried} users" if knee.beyond else "not known to be full"
    if not knee.decided:
        return _between(knee)
    return f"full with {_number(knee)}"


def _number(knee: FoundKnee) -> str:
    least = knee.above + 1
    if least >= knee.most:
        return f"{knee.most} user{'' if knee.most == 1 else 's'}"
    return f"{least} to {knee.most} users"


def _where(knee: FoundKnee) -> str:
    name = load_title(knee.load)
    return f"{name} at {knee.split}" if knee.split else name


def evidence(knee: FoundKnee, demand: int) -> list[str]:
    """Return what there is to say of one knee."""
    low, high = knee.highest_ci95_tps
    best = f"{_where(knee)}: the highest is {rate(knee.highest_tps, knee.load, knee.unit)}"
    spread = f"95 % interval {short(low)} to {short(high)}, {knee.visits} trials"
    lines = [f"{best} ({spread}), seen with {knee.best_users} user{'' if knee.best_users == 1 else 's'}."]
    if knee.crossing_users:
        middle, least, most = knee.crossing_users
        lines.append(
            f"{_where(knee)}: a server that never waits would be full at {short(middle)} users "
            f"({short(least)} to {short(most)}): the highest over what one user does (N*; it is another number)."
        )
    if knee.falls_frac:
        lost = percent(knee.falls_frac)
        lines.append(f"{_where(knee)}: with {knee.tried} users there is {lost} less than with {knee.best_users}.")
    lines += [f"{_where(knee)}, {text}" for text in (knee.below_text, knee.beyond_text) if text]
    return lines if not demand else [*_asked(knee, demand), *lines]


def _asked(knee: FoundKnee, demand: int) -> list[str]:
    each = knee.highest_tps / max(demand, knee.above, 1)
    if knee.room in {Room.AT_THE_KNEE, Room.EXPAND}:
        return [f"{_where(knee)}: {demand} users get at most {rate(each, knee.load, knee.unit)} each."]
    return []


_ADVICE = {
    Room.ROOM: "{where}: {demand} users are fewer than the {above} that it surely carries: there is room.",
    Room.CONTRACT: "{where}: {demand} users are less than half of the {above} that it surely carries: a smaller share "
    "of the CPU may do.",
    Room.AT_THE_KNEE: "{where}: {demand} users are within {least} to {most}, where throughput stops rising: beyond "
    "that, each further one only slows the others down.",
    Room.EXPAND: "{where}: {demand} users are more than the {most} at which it is full: expand it, or each user gets "
    "{part} of what one gets at {most}.",
    Room.UNKNOWN: "{where}: whether it carries {demand} users cannot be told: {tried} were tried at most.",
}


def advice(knee: FoundKnee, demand: int) -> str:
    """Return what to do for that many users; nothing is advised that the interval leaves open."""
    if knee.room is Room.UNKNOWN and not knee.open:
        return f"{_where(knee)}: not decided whether it carries {demand} users. {_further(knee)}"
    return _ADVICE[knee.room].format(
        where=_where(knee),
        demand=demand,
        above=knee.above,
        least=knee.above + 1,
        most=knee.most,
        tried=knee.tried,
        part=percent(knee.most / demand),
    )


def between_splits(knees: Sequence[FoundKnee]) -> list[str]:
    """Return what the split does to the highest throughput, where several were measured."""
    lines: list[str] = []
    for load in dict.fromkeys(knee.load for knee in knees):
        there = sorted((knee for knee in knees if knee.load == load), key=lambda knee: -knee.highest_tps)
        if len(there) < 2:
            continue
        first, last = there[0], there[-1]
        told = [f"{knee.split} is {_users(knee)}" for knee in there]
        apart = first.highest_ci95_tps[0] > last.highest_ci95_tps[1]
        gain = f"{first.split} gives {percent(first.highest_tps / last.highest_tps - 1)} more than {last.split}"
        words = gain if apart else f"between {first.split} and {last.split} no difference is certain"
        lines.append(f"{load_title(load)}: {words}; {listing(told)}.")
    return lines
