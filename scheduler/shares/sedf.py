"""Share model of SEDF, the scheduler of Xen up to 4.5: a slice per period.

The slice is per domain, without extra time. DomTune sets no SEDF weights, as Xen does not report them.
"""

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
        name: Name of the scheduler in the host's properties.
        machine: The host's vCPUs; each vCPU of a domain has the domain's slice.
        step_us: Step of the tool's numbers, microseconds: 1000 for `xl`, 1 for `xm`, which takes fractions.
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
        """Return each domain's share of one CPU, in whole steps of the period."""
        steps, least = period_us // self._step_us, ceil(LEAST_BUDGET_US / self._step_us)
        unit = {domain: Fraction(self._machine.online(domain), steps) for domain in split.roles}
        count = best_numbers(split, unit, least=least)
        return {domain: number * unit[domain] for domain, number in count.items()}

    def _reserved_share(self, domain: DomainId, params: SedfParams) -> Fraction:
        return Fraction(str(params.slice_ms)) / Fraction(str(params.period_ms)) * self._machine.online(domain)

    def _period_hint(self, split: Split) -> str:
        """Return a hint with a period that can express the split.

        The longest period has the finest steps. If it does not fit, the shortest period that fits is named.
        """
        for period_us in (LONGEST_PERIOD_US, *range(10_000, LONGEST_PERIOD_US, _US_PER_MS)):
            if rounding_error_frac(self._domain_shares(split, period_us), split) <= MAX_ROUNDING_FRAC:
                return f"Use a period of {period_us} us, or leave this split out."
        return "Leave this split out, or choose one whose parts are less far apart."
