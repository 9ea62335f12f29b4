"""Share model of SEDF, the scheduler of Xen up to 4.5: a slice per period.

The slice is per domain, without extra time. DomTune sets no SEDF weights, as Xen does not report them.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import SchedParams, SedfParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, LONGEST_PERIOD_US, check_reservation, refuse_weights_mode
from scheduler.shares.dedicated import encode_dedicated
from scheduler.shares.rounding import (
    MAX_ROUNDING_FRAC,
    TOTAL,
    NumberSteps,
    best_numbers,
    check_caps,
    find_clipped,
    rounding_error_frac,
    shares_to_split,
)
from scheduler.shares.share_model import HostMachine, SplitEncoding, domains_of
from scheduler.translation import _

_US_PER_MS = 1_000
_UNLIMITED = SedfParams(period_ms=100, slice_ms=0, extratime=True)  # as Xen creates a domain


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
        if mode is Mode.DEDICATED:
            return encode_dedicated(split, self._machine, lambda _: _UNLIMITED)
        low = check_reservation(split, period_us, self._machine)
        if period_us % self._step_us:
            raise SpecError(
                "period_us",
                _("{period_us} us is not a multiple of {step_us} us").format(
                    period_us=period_us, step_us=self._step_us
                ),
                hint=_("'xl sched-sedf' takes whole milliseconds."),
            )
        achieved = self._domain_shares(split, period_us)
        slice_ms = {
            domain: float(share * self._machine.cpus * period_us / _US_PER_MS / self._machine.online(domain))
            for domain, share in achieved.items()
        }
        slices = join_names([_("{each_ms:g} ms").format(each_ms=each_ms) for each_ms in slice_ms.values()])
        what = _("slices of {slices} per {period_us:g} ms").format(slices=slices, period_us=period_us / _US_PER_MS)
        steps = self._steps(split, period_us)
        off = not find_clipped(split, steps) and rounding_error_frac(achieved, split) > MAX_ROUNDING_FRAC
        hint = self._period_hint(split) if off else ""
        error_frac, totals = check_caps(achieved, split, steps, what=what, hint=hint)
        params = {domain: SedfParams(period_us / _US_PER_MS, each_ms) for domain, each_ms in slice_ms.items()}
        return SplitEncoding(params, achieved, error_frac, (*low, *totals))

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        own = domains_of(params, SedfParams)
        if not own or any(each.extratime or each.weight or each.period_ms <= 0 for each in own.values()):
            return None
        return shares_to_split({domain: self._reserved_share(domain, each) for domain, each in own.items()})

    def _domain_shares(self, split: Split, period_us: int) -> dict[DomainId, Fraction]:
        """Return each domain's share of the CPUs, in whole steps of the period."""
        steps, least = self._steps(split, period_us), ceil(LEAST_BUDGET_US / self._step_us)
        count = best_numbers(split, steps, least=least)
        return {domain: number * steps.unit[domain] for domain, number in count.items()}

    def _steps(self, split: Split, period_us: int) -> NumberSteps:
        whole = period_us // self._step_us
        unit = {d: Fraction(self._machine.online(d), whole * self._machine.cpus) for d in split.roles}
        return NumberSteps(unit, dict.fromkeys(split.roles, floor(TOTAL * whole)))

    def _reserved_share(self, domain: DomainId, params: SedfParams) -> Fraction:
        return Fraction(str(params.slice_ms)) / Fraction(str(params.period_ms)) * self._machine.online(domain)

    def _period_hint(self, split: Split) -> str:
        """Return a hint with a period that can express the split.

        The longest period has the finest steps. If it does not fit, the shortest period that fits is named.
        """
        for period_us in (LONGEST_PERIOD_US, *range(10_000, LONGEST_PERIOD_US, _US_PER_MS)):
            if rounding_error_frac(self._domain_shares(split, period_us), split) <= MAX_ROUNDING_FRAC:
                return _("Use a period of {period_us} us, or leave this split out.").format(period_us=period_us)
        return _("Leave this split out, or choose one whose parts are less far apart.")
