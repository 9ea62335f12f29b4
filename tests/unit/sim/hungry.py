"""Domains that always, never or now and then want the CPU, without any users: what a scheduler makes of them."""

from scheduler.sim.dispatch import NOBODY, CpuDispatcher

SECOND_US = 1_000_000.0


def shares(dispatcher: CpuDispatcher, *, awake: tuple[int, ...] = (0, 1), seconds: float = 6.0) -> list[float]:
    """Return the part of the CPU that each domain gets when those that are awake never stop wanting it."""
    got_us, now_us, end_us = [0.0, 0.0], 0.0, seconds * SECOND_US
    for domain in awake:
        dispatcher.wake(domain, now_us)
    while now_us < end_us:
        runs, until_us = dispatcher.choose(now_us)
        assert until_us > now_us
        until_us = min(until_us, end_us)
        if runs != NOBODY:
            got_us[runs] += until_us - now_us
            dispatcher.ran(runs, until_us - now_us, until_us)
        now_us = until_us
    return [part / end_us for part in got_us]


def longest_pause_us(dispatcher: CpuDispatcher, domain: int, *, seconds: float = 4.0) -> float:
    """Return the longest time for which a domain that always wants the CPU has to stand still; both do."""
    now_us, last_us, longest = 0.0, 0.0, 0.0
    for each in (0, 1):
        dispatcher.wake(each, now_us)
    while now_us < seconds * SECOND_US:
        runs, until_us = dispatcher.choose(now_us)
        if runs != NOBODY:
            dispatcher.ran(runs, until_us - now_us, until_us)
        if runs == domain:
            longest = max(longest, now_us - last_us)
            last_us = until_us
        now_us = until_us
    return longest
