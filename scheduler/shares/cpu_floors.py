"""Floors: how little CPU a domain may be given, above all the domain that runs the host (ADR 0011)."""

import math
from collections.abc import Mapping
from fractions import Fraction

from scheduler.errors import SpecError
from scheduler.model.number_texts import format_percent
from scheduler.model.spec import Mode
from scheduler.model.split import IO, DomainId, Split
from scheduler.shares.rounding import TOTAL, exact_fracs

# Below this the I/O domain is not given by anyone's plan: remote login, backends and the guard would starve.
LEAST_IO = Fraction(5, 100)
# Below this a person is told before the sweep starts. The paper's 1:10 lies between the two.
LOW_IO = Fraction(10, 100)
# The I/O domain runs at least once in this time.
LONGEST_PERIOD_US = 100_000
# Xen takes 10 us; below a millisecond it is the switching that would be measured.
SHORTEST_PERIOD_US = 1_000
# Shorter budgets are eaten by switching and by the schedulers' rate limit (1 ms by default).
LEAST_BUDGET_US = 500


def warn_of_low_io(share: Fraction, split: Split) -> tuple[str, ...]:
    """Return what to say about the I/O domain's share of one CPU.

    Raises:
        SpecError: It is below 5 %.
    """
    if share < LEAST_IO:
        least = f": 1:{_most_guest_parts()} is the least" if len(split.roles) == 2 else ""
        raise SpecError(
            "splits",
            f"{split.label} gives the I/O domain {format_percent(float(share))} of the CPU; below "
            f"{format_percent(float(LEAST_IO))} the host itself may no longer be reached",
            hint=f"Give the I/O domain more{least}.",
        )
    if share < LOW_IO:
        return (
            f"{split.label} gives the I/O domain {format_percent(float(share))} of the CPU, less than "
            f"{format_percent(float(LOW_IO))}: while the guest is busy, logging in and all input and "
            "output of the host are slow.",
        )
    return ()


def _most_guest_parts() -> int:
    return math.floor(TOTAL / LEAST_IO - 1)


def refuse_weights_mode(scheduler: str, mode: Mode) -> None:
    """Refuse a mode that a scheduler which reserves time has not; raises SpecError.

    What RTDS and SEDF give beyond a reservation (`extratime`) goes to whoever asks first, in no ratio that could be
    set. SEDF's weights would be a weights, but Xen does not report them: no write could be read back.
    """
    if mode is not Mode.CAPS:
        raise SpecError(
            "mode",
            f"{scheduler} has no {mode} mode: it reserves time, and divides what a domain leaves in no set ratio",
            hint=f'Use "{Mode.CAPS}".',
        )


def check_reservation(split: Split, period_us: int, vcpus: Mapping[DomainId, int]) -> tuple[str, ...]:
    """Return what to say about a reservation of budgets per period.

    Args:
        split: The split.
        period_us: The period, 1000..100000.
        vcpus: Over how many vCPUs each domain's share is spread.

    Raises:
        SpecError: A period or a budget is out of range, or the I/O domain gets too little.
    """
    if not SHORTEST_PERIOD_US <= period_us <= LONGEST_PERIOD_US:
        raise SpecError(
            "period_us",
            f"{period_us} us is outside {SHORTEST_PERIOD_US}..{LONGEST_PERIOD_US} us; the I/O domain must run at "
            "least once in 100 ms",
            hint="10000 us is usual.",
        )
    low = warn_of_low_io(TOTAL * exact_fracs(split)[IO], split)
    for domain, count in vcpus.items():
        check_budget(domain, split, period_us, count)
    return low


def check_budget(domain: DomainId, split: Split, period_us: int, vcpus: int = 1, *, fixed: bool = False) -> None:
    """Refuse a budget per vCPU that is too short to be kept; raises SpecError. A `fixed` period is no plan's to set."""
    share = TOTAL * exact_fracs(split)[domain] / vcpus
    if share * period_us >= LEAST_BUDGET_US:
        return
    enough_us = math.ceil(LEAST_BUDGET_US / share)
    longer = f"Use a period of at least {enough_us} us, or leave this split out."
    if fixed:
        longer = "Leave this split out: the scheduler's own period is used, whatever the plan says."
    raise SpecError(
        "splits",
        f"{split.label} gives each of {vcpus} vCPU of the {domain} domain {float(share * period_us):.0f} us "
        f"of each {period_us} us; the least is {LEAST_BUDGET_US} us",
        hint=longer if enough_us <= LONGEST_PERIOD_US else "Leave this split out, or use fewer vCPUs.",
    )
