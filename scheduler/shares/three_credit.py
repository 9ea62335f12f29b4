"""Xen's credit and credit2 for three domains: weights (share), or caps beside weights in that proportion (partition).

As for two (`scheduler/shares/credit.py`): a weight counts for each running vCPU, a cap for all of a domain's together.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from scheduler.model.guests import THREE_DOMAINS, ThreeSplit
from scheduler.model.scheduler_params import Credit2Params, CreditParams
from scheduler.model.spec import Mode
from scheduler.model.split import IO, DomainId
from scheduler.shares.cpu_floors import warn_of_low_io
from scheduler.shares.credit import (
    DEFAULT_WEIGHT,
    LEAST_CAP2_PCT,
    MOST_WEIGHT,
    check_credit2,
    round_up_cap,
    warn_of_pause,
)
from scheduler.shares.rounding import LEAST_TOTAL, MAX_ROUNDING_FRAC, MOST, TOTAL, check_total, exact_frac
from scheduler.shares.share_model import HostMachine
from scheduler.shares.three_model import ThreeEncoding, check_three_rounding, three_error_frac

_UNEVEN = "Choose a split whose parts are less far apart, or give all domains the same number of vCPUs."
_COARSE = "Caps are whole percents: choose a split whose parts are less far apart, or a host with RTDS."
_STEPS = 10  # of a percent of one CPU that all three get together are tried

Caps = Mapping[DomainId, int]


class CreditThreeModel:
    """Share model of credit or credit2 for three domains.

    Args:
        dialect: Which of the two.
        machine: The host's vCPUs and time slice.
    """

    def __init__(self, dialect: type[CreditParams] | type[Credit2Params], machine: HostMachine) -> None:
        self._dialect = dialect
        self._machine = machine
        self._slices = dialect is CreditParams

    def encode(self, split: ThreeSplit, mode: Mode, period_us: int) -> ThreeEncoding:
        """Share: weights without caps. Partition: caps that sum to about 96 %; the period is the scheduler's own."""
        del period_us
        return self._encode_weights(split) if mode is Mode.SHARE else self._encode_caps(split)

    def _encode_weights(self, split: ThreeSplit) -> ThreeEncoding:
        weight = self._whole_weights(split)
        amounts = {domain: float(weight[domain] * self._machine.online(domain)) for domain in THREE_DOMAINS}
        error_frac = check_three_rounding(split, amounts, _UNEVEN)
        total = sum(amounts.values())
        return ThreeEncoding(
            {domain: self._dialect(weight[domain]) for domain in THREE_DOMAINS},
            {domain: amount / total for domain, amount in amounts.items()},
            error_frac,
            warn_of_low_io(exact_frac(split, IO), split),
        )

    def _encode_caps(self, split: ThreeSplit) -> ThreeEncoding:
        if not self._slices:
            check_credit2(split)
        low = warn_of_low_io(TOTAL * exact_frac(split, IO), split)
        cap_pct, weight = self._best_caps(split), self._whole_weights(split)
        given = {domain: self._effective_cap(cap_pct[domain]) for domain in THREE_DOMAINS}
        fracs = {domain: float(frac) for domain, frac in given.items()}
        error_frac = check_three_rounding(split, {domain: 100 * frac for domain, frac in fracs.items()}, _COARSE)
        pauses = warn_of_pause(cap_pct[IO], self._machine.tslice_ms) if self._slices else ()
        return ThreeEncoding(
            {domain: self._dialect(weight[domain], cap_pct[domain]) for domain in THREE_DOMAINS},
            fracs,
            error_frac,
            (*low, *pauses, *check_total(sum(given.values(), Fraction(0)), split)),
        )

    def _effective_cap(self, cap_pct: int) -> Fraction:
        """Return the part of one CPU that a cap gives."""
        return round_up_cap(cap_pct, self._machine.tslice_ms) if self._slices else Fraction(cap_pct, 100)

    def _whole_weights(self, split: ThreeSplit) -> dict[DomainId, int]:
        """Return whole weights in the split's proportion, exact where the range allows it.

        They average the scheduler's default, so that other domains keep their standing, the smallest is at least a
        quarter of it, and they are never those that domains are found with.
        """
        whole = _smallest_whole_numbers(
            {domain: exact_frac(split, domain) / self._machine.online(domain) for domain in THREE_DOMAINS}
        )
        most = max(whole.values())
        if most > MOST_WEIGHT:
            return {domain: max(1, round(Fraction(part * MOST_WEIGHT, most))) for domain, part in whole.items()}
        usual = round(Fraction(len(THREE_DOMAINS) * DEFAULT_WEIGHT, sum(whole.values())))
        scale = max(usual, ceil(Fraction(DEFAULT_WEIGHT // 4, min(whole.values()))), 1)
        scale = min(scale, MOST_WEIGHT // most)
        if all(part * scale == DEFAULT_WEIGHT for part in whole.values()):
            scale *= 2
        return {domain: part * scale for domain, part in whole.items()}

    def _best_caps(self, split: ThreeSplit) -> Caps:
        """Return the whole percents that mean the split best: within 2 % of it before all, then near it and TOTAL."""
        return min(self._list_candidates(split), key=lambda caps: self._rank_caps(split, caps))

    def _list_candidates(self, split: ThreeSplit) -> Iterator[Caps]:
        """Yield what whole caps come near the split, from the least that all three may get together to the most."""
        step_pct = max(Fraction(1), Fraction(10, self._machine.tslice_ms)) if self._slices else Fraction(1)
        least = 1 if self._slices else LEAST_CAP2_PCT
        parts = {domain: exact_frac(split, domain) for domain in THREE_DOMAINS}
        for step in range(ceil(100 * _STEPS * LEAST_TOTAL), floor(100 * _STEPS * MOST) + 1):
            steps = {domain: round(Fraction(step, _STEPS) * part / step_pct) for domain, part in parts.items()}
            yield {domain: max(least, floor(number * step_pct)) for domain, number in steps.items()}

    def _rank_caps(self, split: ThreeSplit, cap_pct: Caps) -> tuple[bool, bool, float, float]:
        given = {domain: float(self._effective_cap(cap)) for domain, cap in cap_pct.items()}
        off, together, total = three_error_frac(split, given), sum(given.values()), float(TOTAL)
        distance = round(max(off, abs(together - total) / total), 9)
        return together > float(MOST) + 1e-9, off > MAX_ROUNDING_FRAC, distance, -together


def _smallest_whole_numbers(parts: Mapping[DomainId, Fraction]) -> dict[DomainId, int]:
    """Return the smallest whole numbers in this proportion."""
    common = lcm(*(part.denominator for part in parts.values()))
    whole = {domain: int(part * common) for domain, part in parts.items()}
    divisor = gcd(*whole.values())
    return {domain: number // divisor for domain, number in whole.items()}
