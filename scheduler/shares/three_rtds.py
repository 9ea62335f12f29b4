"""Xen's RTDS for three domains: a budget per period on every vCPU, extra time off; it has no share mode."""

from fractions import Fraction
from math import floor

from scheduler.errors import SpecError
from scheduler.model.guests import THREE_DOMAINS, ThreeSplit
from scheduler.model.scheduler_params import RtdsParams, RtdsVcpu
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.shares.cpu_floors import check_reservation
from scheduler.shares.rounding import TOTAL, check_total, exact_frac
from scheduler.shares.share_model import HostMachine
from scheduler.shares.three_model import ThreeEncoding, check_three_rounding


class RtdsThreeModel:
    """Share model of RTDS for three domains.

    Args:
        machine: The host's vCPUs.
    """

    def __init__(self, machine: HostMachine) -> None:
        self._machine = machine

    def encode(self, split: ThreeSplit, mode: Mode, period_us: int) -> ThreeEncoding:
        """Partition: budgets that sum to about 96 % of each period of 1000..100000 us; at least 500 us each."""
        if mode is not Mode.PARTITION:
            problem = "RTDS has no share mode: it reserves time, and divides what a domain leaves in no set ratio"
            raise SpecError("modes", problem, hint='Write modes = ["partition"].')
        online = {domain: self._machine.online(domain) for domain in THREE_DOMAINS}
        low = check_reservation(split, period_us, online)
        budget_us = {
            domain: floor(TOTAL * exact_frac(split, domain) / online[domain] * period_us) for domain in THREE_DOMAINS
        }
        given = {domain: Fraction(budget_us[domain] * online[domain], period_us) for domain in THREE_DOMAINS}
        fracs = {domain: float(frac) for domain, frac in given.items()}
        error_frac = check_three_rounding(split, fracs, "Use a longer period.")
        total = sum(given.values(), Fraction(0))
        params = {domain: self._build_params(domain, period_us, budget_us[domain]) for domain in THREE_DOMAINS}
        return ThreeEncoding(params, fracs, error_frac, (*low, *check_total(total, split)))

    def _build_params(self, domain: DomainId, period_us: int, budget_us: int) -> RtdsParams:
        """Offline vCPUs get the same: one that comes online during a visit must not bring extra time with it."""
        vcpu = RtdsVcpu(period_us=period_us, budget_us=budget_us, extratime=False)
        return RtdsParams((vcpu,) * self._machine.entries(domain))
