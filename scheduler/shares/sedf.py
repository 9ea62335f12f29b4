"""SEDF, the scheduler of Xen up to 4.5: a slice per period and domain, extra time off; it has no share mode."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import SchedParams, SedfParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, LONGEST_PERIOD_US, check_reservation, refuse_weights_mode
from scheduler.shares.rounding import (
    MAX_ROUNDING_FRAC,
    TOTAL,
    best_pair,
    check_rounding,
    check_total,
    exact_frac,
    ratio_error_frac,
    ratio_to_split,
)
from scheduler.shares.share_model import HostMachine, SplitEncoding

_US_PER_MS = 1_000


class SedfModel:
    """Share model of SEDF.

    Args:
        name: As the host's facts call it.
        machine: The host's vCPUs; every one of a domain's gets its slice.
        step_us: The tool's numbers are multiples of it: 1000 for `xl`, 1 for `xm`, which takes fractions.
    """

    modes: tuple[Mode, ...] = (Mode.PARTITION,)
    takes_period = True

    def __init__(self, name: str, machine: HostMachine, step_us: int) -> None:
        self.name = name
        self._machine = machine
        self._step_us = step_us

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        refuse_weights_mode("SEDF", mode)
        low = check_reservation(split, period_us, {domain: self._machine.online(domain) for domain in (IO, GUEST)})
        if period_us % self._step_us:
            raise SpecError(
                "period_us",
                f"{period_us} us is not a multiple of {self._step_us} us",
                hint="'xl sched-sedf' takes whole milliseconds.",
            )
        part = self._domain_shares(split, period_us)
        slice_ms = {
            domain: float(part[domain] * period_us / _US_PER_MS / self._machine.online(domain)) for domain in part
        }
        what = f"slices of {slice_ms[IO]:g} ms and {slice_ms[GUEST]:g} ms per {period_us / _US_PER_MS:g} ms"
        off = ratio_error_frac(part[IO], part[GUEST], split)
        hint = self._period_hint(split) if off > MAX_ROUNDING_FRAC else ""
        achieved, error_frac = check_rounding(part[IO], part[GUEST], split, what=what, hint=hint)
        params = {domain: SedfParams(period_us / _US_PER_MS, slice_ms[domain]) for domain in (IO, GUEST)}
        total = part[IO] + part[GUEST]
        return SplitEncoding(params, achieved, error_frac, float(total), (*low, *check_total(total, split)))

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        io, guest = params.get(IO), params.get(GUEST)
        if not isinstance(io, SedfParams) or not isinstance(guest, SedfParams):
            return None
        if any(each.extratime or each.weight or each.period_ms <= 0 for each in (io, guest)):
            return None
        return ratio_to_split(self._reserved_share(IO, io), self._reserved_share(GUEST, guest))

    def _domain_shares(self, split: Split, period_us: int) -> dict[DomainId, Fraction]:
        """Return what each domain gets of one CPU, in whole steps of the period."""
        steps, least = period_us // self._step_us, ceil(LEAST_BUDGET_US / self._step_us)

        def effective(domain: DomainId, number: int) -> Fraction:
            return Fraction(number * self._machine.online(domain), steps)

        per_vcpu = {domain: TOTAL * exact_frac(split, domain) / self._machine.online(domain) for domain in (IO, GUEST)}
        guess = {domain: floor(part * steps) for domain, part in per_vcpu.items()}
        count = best_pair(split, guess, effective, least=least)
        return {domain: effective(domain, count[domain]) for domain in (IO, GUEST)}

    def _reserved_share(self, domain: DomainId, params: SedfParams) -> Fraction:
        return Fraction(str(params.slice_ms)) / Fraction(str(params.period_ms)) * self._machine.online(domain)

    def _period_hint(self, split: Split) -> str:
        """Name a period that can express the split: the longest, which has the finest steps, else the shortest."""
        for period_us in (LONGEST_PERIOD_US, *range(10_000, LONGEST_PERIOD_US, _US_PER_MS)):
            part = self._domain_shares(split, period_us)
            if ratio_error_frac(part[IO], part[GUEST], split) <= MAX_ROUNDING_FRAC:
                return f"Use a period of {period_us} us, or leave this split out."
        return "Leave this split out, or choose one whose parts are less far apart."
