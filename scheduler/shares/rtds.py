"""Xen's RTDS: a budget per period on every vCPU, extra time off; it has no share mode."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor

from scheduler.model.scheduler_params import RtdsParams, RtdsVcpu, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, check_reservation, refuse_weights_mode
from scheduler.shares.rounding import TOTAL, best_pair, check_rounding, check_total, exact_frac, ratio_to_split
from scheduler.shares.share_model import HostMachine, SplitEncoding


class RtdsModel:
    """Share model of RTDS.

    Args:
        machine: The host's vCPUs.
    """

    name = "rtds"
    modes: tuple[Mode, ...] = (Mode.PARTITION,)
    takes_period = True

    def __init__(self, machine: HostMachine) -> None:
        self._machine = machine

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        refuse_weights_mode("RTDS", mode)
        online = {domain: self._machine.online(domain) for domain in (IO, GUEST)}
        low = check_reservation(split, period_us, online)

        def effective(domain: DomainId, budget_us: int) -> Fraction:
            return Fraction(budget_us * online[domain], period_us)

        per_vcpu = {domain: TOTAL * exact_frac(split, domain) / online[domain] for domain in (IO, GUEST)}
        guess = {domain: floor(part * period_us) for domain, part in per_vcpu.items()}
        budget_us = best_pair(split, guess, effective, least=LEAST_BUDGET_US)
        io, guest = (effective(domain, budget_us[domain]) for domain in (IO, GUEST))
        what = f"budgets of {budget_us[IO]} us and {budget_us[GUEST]} us per vCPU and {period_us} us"
        achieved, error_frac = check_rounding(io, guest, split, what=what, hint="Use a longer period.")
        params = {domain: self._build_params(domain, period_us, budget_us[domain]) for domain in (IO, GUEST)}
        return SplitEncoding(params, achieved, error_frac, float(io + guest), (*low, *check_total(io + guest, split)))

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        io, guest = params.get(IO), params.get(GUEST)
        if not isinstance(io, RtdsParams) or not isinstance(guest, RtdsParams):
            return None
        if any(vcpu.extratime or vcpu.period_us <= 0 for vcpu in (*io.vcpus, *guest.vcpus)):
            return None
        return ratio_to_split(self._reserved_share(IO, io), self._reserved_share(GUEST, guest))

    def _build_params(self, domain: DomainId, period_us: int, budget_us: int) -> RtdsParams:
        """Offline vCPUs get the same: one that comes online during a visit must not bring extra time with it."""
        vcpu = RtdsVcpu(period_us=period_us, budget_us=budget_us, extratime=False)
        return RtdsParams((vcpu,) * self._machine.entries(domain))

    def _reserved_share(self, domain: DomainId, params: RtdsParams) -> Fraction:
        online = params.vcpus[: self._machine.online(domain)]
        return sum((Fraction(vcpu.budget_us, vcpu.period_us) for vcpu in online), Fraction(0))
