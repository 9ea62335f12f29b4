"""Both sides take turns; the figures are medians over the pairs, with their spread."""

import math
import statistics
from collections.abc import Iterator, Sequence

from tests.bench.figure import Figure
from tests.bench.loads.arena import OURS, THEIRS, TakeTurn, arena
from tests.bench.loads.cases import CASES, Case
from tests.bench.loads.turn import Lacking, Turn, shared

USERS = (1, 5, 32)
PAIRS = 3
SECONDS = 2


def measure(
    words: Sequence[str] = (), users: tuple[int, ...] = USERS, pairs: int = PAIRS, seconds: int = SECONDS
) -> Iterator[Figure]:
    """Yield throughput and client CPU of every case over its peer's, for each number of users.

    Args:
        words: Only cases whose names have one of these; all when there are none.
        users: Numbers of users.
        pairs: Pairs of turns.
        seconds: Length of a turn. Short ones, and many: a computer that shares its CPUs with others may be half as
            fast ten seconds later.
    """
    chosen = [case for case in CASES if not words or any(word in case.name for word in words)]
    for database in dict.fromkeys(case.database for case in chosen):
        with arena(database, users) as here:
            for case in chosen:
                if case.database != database:
                    continue
                for number in users:
                    try:
                        with here.rivals(case, number) as turn:
                            yield from compare(case, number, turn, pairs, seconds, here.peer(case).title)
                    except Lacking as error:
                        yield _not_measured(case, number, error)


def compare(case: Case, users: int, turn: TakeTurn, pairs: int, seconds: int, peer: str) -> tuple[Figure, Figure]:
    """Let both take turns (ours, theirs, theirs, ours, ...)."""
    done: list[tuple[Turn, Turn]] = []
    for number in range(pairs):
        order = (OURS, THEIRS) if number % 2 == 0 else (THEIRS, OURS)
        turns = {who: turn(who, seconds) for who in order}
        done.append((turns[OURS], turns[THEIRS]))
    who = f"{case.name}, {users} {'user' if users == 1 else 'users'}"
    ours, theirs = (statistics.median(pair[i].tps for pair in done) for i in (0, 1))
    cpus_us = [statistics.median(pair[i].cpu_s * 1e6 for pair in done) for i in (0, 1)]
    rates = [our.tps / their.tps for our, their in done]
    costs = [our.cpu_s / their.cpu_s for our, their in done]
    where = f"{pairs} pairs of {seconds} s, {shared()}"
    return (
        Figure(
            name=f"{who}: throughput over {peer}'s",
            value=statistics.median(rates),
            at_least=case.promise.least_tps(users),
            note=f"({_spread(rates)}; {ours:.0f}/s to {theirs:.0f}/s; {where})",
        ),
        Figure(
            name=f"{who}: client CPU per transaction over {peer}'s",
            value=statistics.median(costs),
            at_most=case.promise.most_cpu(users),
            note=f"({_spread(costs)}; {cpus_us[0]:.1f} us to {cpus_us[1]:.1f} us)",
        ),
    )


def _spread(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def _not_measured(case: Case, users: int, error: Lacking) -> Figure:
    name = f"{case.name}, {users} {'user' if users == 1 else 'users'}"
    return Figure(name=name, value=math.nan, at_least=case.promise.least_tps(users) or 0.0, note=f"({error})")
