"""From exact shares to the whole numbers that schedulers take, and how far that is off."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import ceil

from scheduler.errors import SpecError
from scheduler.model.guests import ThreeSplit
from scheduler.model.number_texts import format_percent
from scheduler.model.split import GUEST, IO, DomainId, Split

# A share that is further off than this would be measured under a wrong name.
MAX_ROUNDING_FRAC = 0.02

# What a partition hands out of one CPU. The rest pays for the hypervisor and the host's other work; nobody gets it.
TOTAL = Fraction(96, 100)
# Rounding may hand out more than TOTAL, never more than this.
MOST = Fraction(98, 100)
# A total below this is said, and below the other refused: the point has less CPU than its neighbours.
_LOW_TOTAL = Fraction(93, 100)
LEAST_TOTAL = Fraction(80, 100)

AnySplit = Split | ThreeSplit

Effective = Callable[[DomainId, int], Fraction]
"""Returns the part of one CPU that a domain gets by that whole number."""


def other_domain(domain: DomainId) -> DomainId:
    """Return the other one of the two domains."""
    return GUEST if domain == IO else IO


def to_fraction(part: float) -> Fraction:
    """Return a split's part, which has at most two decimals, as the fraction that was written."""
    return Fraction(str(part))


def exact_frac(split: AnySplit, domain: DomainId) -> Fraction:
    """Return a domain's share without rounding, in (0, 1)."""
    parts = {each: to_fraction(part) for each, part in split.parts.items()}
    return parts[domain] / sum(parts.values())


def ratio_to_split(io: Fraction, guest: Fraction) -> Split | None:
    """Return the ratio in lowest terms; None when no split can be that uneven."""
    if io <= 0 or guest <= 0:
        return None
    ratio = io / guest
    try:
        return Split(float(ratio.numerator), float(ratio.denominator))
    except SpecError:
        return None


def ratio_error_frac(io: Fraction, guest: Fraction, split: Split) -> float:
    """Return how far the ratio io / guest is from the split's, >= 0, the same for a split and its mirror."""
    factor = io / guest / (to_fraction(split.io) / to_fraction(split.guest))
    return float(max(factor, 1 / factor) - 1)


def check_rounding(io: Fraction, guest: Fraction, split: Split, *, what: str, hint: str) -> tuple[Split, float]:
    """Return the achieved split and its error.

    Args:
        io: What the I/O domain gets, in any unit.
        guest: What the guest gets, in the same.
        split: What was asked for.
        what: The numbers that come closest, as people read them.
        hint: What to do when they are not close enough.

    Raises:
        SpecError: The ratio is more than 2 % off.
    """
    error_frac = ratio_error_frac(io, guest, split)
    if error_frac > MAX_ROUNDING_FRAC:
        raise SpecError(
            "splits",
            f"{split.label} becomes {float(io / guest):.4g}:1 by rounding ({what}), {format_percent(error_frac)} off; "
            f"at most {format_percent(MAX_ROUNDING_FRAC)} is accepted",
            hint=hint,
        )
    # 100:1 may round to 100.2:1, which no split can be; it is near enough to go by its own name.
    return ratio_to_split(io, guest) or split, error_frac


def choose_weights(parts: Mapping[DomainId, Fraction], default: int, most: int, floor: int = 0) -> dict[DomainId, int]:
    """Return whole weights in the proportion of `parts`, exact where the range allows it.

    They average the scheduler's default, so that other domains keep their standing, the smaller one is at least a
    quarter of it, and the pair is never the one that domains are found with.

    Args:
        parts: What the weights are to be proportional to.
        default: Weight of a domain that nobody set.
        most: Largest weight that the scheduler takes.
        floor: Smallest weight that may be set where a quarter of the default is too much for the range; 0 for none.
    """
    larger, smaller = max(parts.values()), min(parts.values())
    least = max(1, default // 4)
    least = max(floor, min(least, int(most * smaller / larger))) if floor else least
    ratio = (smaller / larger).limit_denominator(most // least)
    low, high = max(1, ratio.numerator), ratio.denominator
    scale = max(round(Fraction(2 * default, low + high)), ceil(Fraction(least, low)))
    scale = max(1, min(scale, most // high))
    if low * scale == high * scale == default:
        scale *= 2
    small, large = low * scale, high * scale
    return {domain: large if part == larger else small for domain, part in parts.items()}


def best_pair(
    split: Split, guess: Mapping[DomainId, int], effective: Effective, *, reach: int = 2, least: int = 1
) -> dict[DomainId, int]:
    """Return the two whole numbers near a guess that mean the split best.

    A pair within 2 % of the ratio beats any that is not; among those the one nearest to both the split and TOTAL.

    Args:
        split: What was asked for.
        guess: A number per domain.
        effective: What a number gives; both together at most MOST.
        reach: How far from the guess to look.
        least: Smallest number that may be given.
    """
    options = {
        domain: [
            (number, float(effective(domain, number)))
            for number in range(max(least, guess[domain] - reach), max(least, guess[domain] + reach) + 1)
        ]
        for domain in (IO, GUEST)
    }
    wanted, total, most = float(to_fraction(split.io) / to_fraction(split.guest)), float(TOTAL), float(MOST)

    def badness(pair: tuple[tuple[int, float], tuple[int, float]]) -> tuple[bool, bool, float, float]:
        (_, io), (_, guest) = pair
        factor, together = io / guest / wanted, io + guest
        off = max(factor, 1 / factor) - 1
        # Ties of floats are ties; among them the larger total wins, so that a split and its mirror agree.
        distance = round(max(off, abs(together - total) / total), 9)
        return together > most + 1e-9, off > MAX_ROUNDING_FRAC, distance, -together

    io, guest = min(product(options[IO], options[GUEST]), key=badness)
    return {IO: io[0], GUEST: guest[0]}


def check_total(total: Fraction, split: AnySplit) -> tuple[str, ...]:
    """Return what to say about the part of the CPU that the domains get together.

    Raises:
        SpecError: It is more than one CPU can give, or so little that the point says nothing about the split.
    """
    if not LEAST_TOTAL <= total <= MOST:
        raise SpecError(
            "splits",
            f"{split.label} would hand out {format_percent(float(total))} of the CPU by rounding; "
            f"{format_percent(float(LEAST_TOTAL))} to {format_percent(float(MOST))} is accepted",
            hint="Use a longer period, a time slice of 10 ms, or fewer vCPUs; or leave this split out.",
        )
    if total >= _LOW_TOTAL:
        return ()
    return (
        f"{split.label} hands out {format_percent(float(total))} of the CPU by rounding instead of "
        f"{format_percent(float(TOTAL))}: "
        "throughput there is lower for that reason alone.",
    )
