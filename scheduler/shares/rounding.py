"""Rounding of exact shares to the whole numbers that schedulers take."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor, gcd, lcm
from typing import NamedTuple

from scheduler.errors import SpecError
from scheduler.model.number_texts import format_percent
from scheduler.model.split import DomainId, Split
from scheduler.translation import _

# With a larger error, a share would be measured under a wrong name.
MAX_ROUNDING_FRAC = 0.02

# Sum of caps, of the shared CPUs. The rest is left to the hypervisor and the host's other work.
TOTAL = Fraction(96, 100)
# Largest sum of caps after rounding.
MOST = Fraction(98, 100)
# DomTune warns below the first sum and refuses below the second, as the point has less CPU than other points.
_LOW_TOTAL = Fraction(93, 100)
LEAST_TOTAL = Fraction(80, 100)

Shares = Mapping[DomainId, Fraction]
"""Share of each domain: of the shared CPUs, or in any unit where only the proportion matters."""

Effective = Callable[[DomainId, int], Fraction]
"""Function that returns the share of the shared CPUs that a domain has by a whole number."""


class NumberSteps(NamedTuple):
    """Meaning of the whole numbers that a scheduler takes.

    Attributes:
        unit: Share of the shared CPUs that each domain has by the number one.
        most: Largest number of each domain; a missing domain has none.
    """

    unit: Shares
    most: Mapping[DomainId, int]


def to_fraction(part: float) -> Fraction:
    """Return a side of a split, with at most two decimals, as the exact fraction."""
    return Fraction(str(part))


def exact_fracs(split: Split) -> dict[DomainId, Fraction]:
    """Return the share of each domain without rounding, in (0, 1)."""
    parts = {role: to_fraction(split.parts[role]) for role in split.roles}
    total = sum(parts.values())
    return {role: part / total for role, part in parts.items()}


def shares_to_split(shares: Shares) -> Split | None:
    """Return the split in lowest terms; None when it is too uneven for a split."""
    if min(shares.values()) <= 0:
        return None
    common = lcm(*(share.denominator for share in shares.values()))
    whole = {role: int(share * common) for role, share in shares.items()}
    divisor = gcd(*whole.values())
    try:
        return Split({role: float(number // divisor) for role, number in whole.items()})
    except SpecError:
        return None


def rounding_error_frac(shares: Shares, split: Split) -> float:
    """Return the largest relative error of a domain, >= 0; 0.01 for 1 %.

    The error is of each domain's share against all others together. With two domains it is the error of their ratio,
    the same for a split and its mirror.

    Args:
        shares: Share of each domain after rounding, in any unit.
        split: The exact split.
    """
    exact = exact_fracs(split)
    total = sum(shares.values())
    factors = [share / (total - share) / (exact[role] / (1 - exact[role])) for role, share in shares.items()]
    return float(max(max(factor, 1 / factor) for factor in factors) - 1)


def check_rounding(shares: Shares, split: Split, *, what: str, hint: str) -> float:
    """Return the largest relative error of a domain, >= 0; 0.01 for 1 %.

    Args:
        shares: Share of each domain after rounding, in any unit.
        split: The exact split.
        what: The closest numbers, as text for the error.
        hint: Advice for the error.

    Raises:
        SpecError: A domain's error is more than 2 %, against all others together.
    """
    error_frac = rounding_error_frac(shares, split)
    if error_frac > MAX_ROUNDING_FRAC:
        *first, last = shares.values()
        becomes = ":".join([*(f"{float(share / last):.4g}" for share in first), "1"])
        raise SpecError(
            "splits",
            _(
                "{label} becomes {becomes} by rounding ({what}), {error_frac} off; at most "
                "{max_rounding_frac} is accepted"
            ).format(
                label=split.label,
                becomes=becomes,
                what=what,
                error_frac=format_percent(error_frac),
                max_rounding_frac=format_percent(MAX_ROUNDING_FRAC),
            ),
            hint=hint,
        )
    return error_frac


def proportional_numbers(parts: Shares, neat: int, most: int) -> dict[DomainId, int]:
    """Return whole numbers in proportion to `parts`, exact or approximate.

    Args:
        parts: Share of each domain, > 0, in any unit.
        neat: Largest number where numbers up to it are exact, or nearly; 1..`most`.
        most: Largest number allowed.
    """
    largest = max(parts.values())
    exact = {domain: part / largest for domain, part in parts.items()}
    near = {domain: ratio.limit_denominator(neat) for domain, ratio in exact.items()}
    for ratios, limit in ((near, neat), (exact, most)):  # with two domains, `near` never needs larger numbers
        common = lcm(*(ratio.denominator for ratio in ratios.values()))
        if common <= limit:
            return {domain: max(1, int(ratio * common)) for domain, ratio in ratios.items()}
    return {domain: max(1, round(ratio * most)) for domain, ratio in exact.items()}


def choose_weights(parts: Shares, default: int, most: int, floor: int = 0) -> dict[DomainId, int]:
    """Return whole weights in proportion to `parts`, exact if the range allows.

    The mean of the weights is the scheduler's default, so that the weight of other domains keeps its meaning. The
    smallest weight is at least a quarter of the default. The weights are never all the default, so that a set split is
    visible.

    Args:
        parts: Share of each domain, > 0, in any unit.
        default: Default weight of a domain.
        most: Largest weight that the scheduler takes.
        floor: Smallest weight allowed where a quarter of the default is too much for the range; 0 for none.
    """
    larger, smaller = max(parts.values()), min(parts.values())
    least = max(1, default // 4)
    least = max(floor, min(least, int(most * smaller / larger))) if floor else least
    number = proportional_numbers(parts, most // least, most)
    low, high = min(number.values()), max(number.values())
    scale = max(round(Fraction(len(number) * default, sum(number.values()))), ceil(Fraction(least, low)))
    scale = max(1, min(scale, most // high))
    if low * scale == high * scale == default:
        scale *= 2
    return {domain: each * scale for domain, each in number.items()}


def best_numbers(
    split: Split,
    steps: NumberSteps,
    effective: Effective | None = None,
    *,
    reach: int = 2,
    least: int = 1,
    totals: Sequence[Fraction] = (TOTAL,),
) -> dict[DomainId, int]:
    """Return the whole number of each domain that together match the split best.

    Numbers within 2 % of the split precede all others. Among these, the numbers nearest to both the split and TOTAL
    win.

    Args:
        split: The exact split.
        steps: Shares and largest numbers.
        effective: Real share by a number, where it is not that many units; together at most MOST.
        reach: Largest distance from the exact numbers to try, >= 1.
        least: Smallest number allowed, >= 1.
        totals: Totals of all domains, of the shared CPUs; each is tried until one has numbers within 2 %.
    """
    unit, clipped = steps.unit, find_clipped(split, steps)
    if clipped:  # a domain at its largest number leaves the others their exact shares
        exact = exact_fracs(split)
        return {d: clipped.get(d, max(least, floor(TOTAL * exact[d] / unit[d]))) for d in exact}
    exact, found = exact_fracs(split), list[_Candidate]()
    for total in totals:
        options: list[list[tuple[int, float]]] = []
        for domain, frac in exact.items():
            guess = floor(total * frac / unit[domain])
            numbers = range(max(least, guess - reach), max(least, guess + reach) + 1)
            by_share: dict[Fraction, int] = {}
            for number in numbers:  # the smallest number of those with the same share
                by_share.setdefault(effective(domain, number) if effective else number * unit[domain], number)
            options.append([(number, float(share)) for share, number in by_share.items()])
        wanted = [float(frac / (1 - frac)) for frac in exact.values()]
        found.append(min((_rank(numbers, wanted) for numbers in product(*options)), key=lambda each: each[0]))
        if _is_accepted(found[-1]):
            return dict(zip(exact, found[-1][1], strict=True))
    return dict(zip(exact, found[0][1], strict=True))


def find_clipped(split: Split, steps: NumberSteps) -> dict[DomainId, int]:
    """Return the domains whose share exceeds their largest number, with that number.

    Args:
        split: The exact split.
        steps: Shares and largest numbers.
    """
    exact = exact_fracs(split)
    return {domain: top for domain, top in steps.most.items() if TOTAL * exact[domain] > top * steps.unit[domain]}


_Candidate = tuple[tuple[bool, bool, float, float], tuple[int, ...]]
"""Rank of whole numbers, and the numbers."""


def _rank(numbers: Sequence[tuple[int, float]], wanted: Sequence[float]) -> _Candidate:
    """Return the numbers with their rank; a lower rank is better.

    The rank orders by: too large a total, too large an error, distance from split and TOTAL, and small total.
    """
    shares = [share for _, share in numbers]
    together, off = sum(shares), 0.0
    for place, share in enumerate(shares):
        factor = share / sum(shares[:place] + shares[place + 1 :]) / wanted[place]
        off = max(off, factor - 1, 1 / factor - 1)
    # Rounded floats can tie. The larger total then wins, so that a split and its mirror agree.
    distance = round(max(off, abs(together - float(TOTAL)) / float(TOTAL)), 9)
    rank = together > float(MOST) + 1e-9, round(off, 9) > MAX_ROUNDING_FRAC, distance, -together
    return rank, tuple(number for number, _ in numbers)


def _is_accepted(candidate: _Candidate) -> bool:
    """Return True when `check_rounding` and `check_total` accept the numbers."""
    is_too_much, is_off, _, negative_total = candidate[0]
    return not is_too_much and not is_off and -negative_total >= float(LEAST_TOTAL) - 1e-9


def check_caps(
    achieved: Shares, split: Split, steps: NumberSteps, *, what: str, hint: str
) -> tuple[float, tuple[str, ...]]:
    """Return the largest relative error of caps, and warnings about a small total.

    Where a domain has fewer vCPUs than its share, the caps have another proportion and a smaller total on purpose.

    Args:
        achieved: Share of the shared CPUs by domain, after rounding.
        split: The exact split.
        steps: Shares and largest numbers.
        what: The closest numbers, as text for the error.
        hint: Advice for the error.

    Raises:
        SpecError: The error or the total is not acceptable.
    """
    if find_clipped(split, steps):
        return 0.0, ()
    error_frac = check_rounding(achieved, split, what=what, hint=hint)
    return error_frac, check_total(sum(achieved.values(), Fraction(0)), split)


def check_total(total: Fraction, split: Split) -> tuple[str, ...]:
    """Return warnings about a small total of the domains.

    Args:
        total: Share of the shared CPUs of all domains together, after rounding.
        split: The split, for the texts.

    Raises:
        SpecError: The total is more than one CPU can give, or too small for a meaningful point.
    """
    if not LEAST_TOTAL <= total <= MOST:
        raise SpecError(
            "splits",
            _("{label} would hand out {total} of the CPU by rounding; {least_total} to {most} is accepted").format(
                label=split.label,
                total=format_percent(float(total)),
                least_total=format_percent(float(LEAST_TOTAL)),
                most=format_percent(float(MOST)),
            ),
            hint=_("Use a longer period, a time slice of 10 ms, or fewer vCPUs; or leave this split out."),
        )
    if total >= _LOW_TOTAL:
        return ()
    return (
        _(
            "{label} hands out {total} of the CPU by rounding instead of {total_2}: throughput "
            "there is lower for that reason alone."
        ).format(label=split.label, total=format_percent(float(total)), total_2=format_percent(float(TOTAL))),
    )
