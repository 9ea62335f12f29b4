"""SEDF, the scheduler of Xen up to 4.5: a slice per period and domain, extra time off; it has no weights."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import SchedParams, SedfParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, LONGEST_PERIOD_US, check_reservation, refuse_weights_mode
from scheduler.shares.rounding import (
    MAX_ROUNDING_FRAC,
    best_numbers,
    check_rounding,
    check_total,
    rounding_error_frac,
    shares_to_split,
)
from scheduler.shares.share_model import HostMachine, SplitEncoding, domains_of

_US_PER_MS = 1_000


class SedfModel:
    """Share model of SEDF.

    Args:
        name: As the host's facts call it.
        machine: The host's vCPUs; every one of a domain's gets its slice.
        step_us: The tool's numbers are multiples of it: 1000 for `xl`, 1 for `xm`, which takes fractions.
    """

    modes: tuple[Mode, ...] = (Mode.CAPS,)
    takes_period = True

    def __init__(self, name: str, machine: HostMachine, step_us: int) -> None:
        self.name = name
        self._machine = machine
        self._step_us = step_us

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        refuse_weights_mode("SEDF", mode)
        low = check_reservation(split, period_us, {domain: self._machine.online(domain) for domain in split.roles})
        if period_us % self._step_us:
            raise SpecError(
                "period_us",
                f"{period_us} us is not a multiple of {self._step_us} us",
                hint="'xl sched-sedf' takes whole milliseconds.",
            )
        achieved = self._domain_shares(split, period_us)
        slice_ms = {
            domain: float(share * period_us / _US_PER_MS / self._machine.online(domain))
            for domain, share in achieved.items()
        }
        slices = join_names([f"{each_ms:g} ms" for each_ms in slice_ms.values()])
        what = f"slices of {slices} per {period_us / _US_PER_MS:g} ms"
        hint = self._period_hint(split) if rounding_error_frac(achieved, split) > MAX_ROUNDING_FRAC else ""
        error_frac = check_rounding(achieved, split, what=what, hint=hint)
        params = {domain: SedfParams(period_us / _US_PER_MS, each_ms) for domain, each_ms in slice_ms.items()}
        total = sum(achieved.values(), Fraction(0))
        return SplitEncoding(params, achieved, error_frac, (*low, *check_total(total, split)))

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        own = domains_of(params, SedfParams)
        if not own or any(each.extratime or each.weight or each.period_ms <= 0 for each in own.values()):
            return None
        return shares_to_split({domain: self._reserved_share(domain, each) for domain, each in own.items()})

    def _domain_shares(self, split: Split, period_us: int) -> dict[DomainId, Fraction]:
        """Return what each domain gets of one CPU, in whole steps of the period."""
        steps, least = period_us // self._step_us, ceil(LEAST_BUDGET_US / self._step_us)
        unit = {domain: Fraction(self._machine.online(domain), steps) for domain in split.roles}
        count = best_numbers(split, unit, least=least)
        return {domain: number * unit[domain] for domain, number in count.items()}

    def _reserved_share(self, domain: DomainId, params: SedfParams) -> Fraction:
        return Fraction(str(params.slice_ms)) / Fraction(str(params.period_ms)) * self._machine.online(domain)

    def _period_hint(self, split: Split) -> str:
        """Name a period that can express the split: the longest, which has the finest steps, else the shortest."""
        for period_us in (LONGEST_PERIOD_US, *range(10_000, LONGEST_PERIOD_US, _US_PER_MS)):
            if rounding_error_frac(self._domain_shares(split, period_us), split) <= MAX_ROUNDING_FRAC:
                return f"Use a period of {period_us} us, or leave this split out."
        return "Leave this split out, or choose one whose parts are less far apart."
