"""Share model of Xen's RTDS: a budget per period and vCPU, without extra time.

RTDS has no weights.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import floor

from scheduler.model.scheduler_params import RtdsParams, RtdsVcpu, SchedParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, check_reservation, refuse_weights_mode
from scheduler.shares.dedicated import encode_dedicated
from scheduler.shares.rounding import TOTAL, NumberSteps, best_numbers, check_caps, shares_to_split
from scheduler.shares.share_model import HostMachine, SplitEncoding, domains_of
from scheduler.translation import _


class RtdsModel:
    """Share model of RTDS.

    Args:
        machine: The host's vCPUs.
    """

    name = "rtds"
    modes: tuple[Mode, ...] = (Mode.CAPS,)
    takes_period = True

    def __init__(self, machine: HostMachine) -> None:
        self._machine = machine

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        refuse_weights_mode("RTDS", mode)
        if mode is Mode.DEDICATED:
            whole = partial(self._build_params, period_us=period_us, budget_us=period_us)
            return encode_dedicated(split, self._machine, whole)
        whole_us = period_us * self._machine.cpus
        unit = {domain: Fraction(self._machine.online(domain), whole_us) for domain in split.roles}
        steps = NumberSteps(unit, dict.fromkeys(split.roles, floor(TOTAL * period_us)))
        low = check_reservation(split, period_us, self._machine)
        budget_us = best_numbers(split, steps, least=LEAST_BUDGET_US)
        achieved = {domain: each_us * unit[domain] for domain, each_us in budget_us.items()}
        what = _("budgets of {join_names} per vCPU and {period_us} us").format(
            join_names=join_names([_("{each} us").format(each=each) for each in budget_us.values()]),
            period_us=period_us,
        )
        error_frac, totals = check_caps(achieved, split, steps, what=what, hint=_("Use a longer period."))
        params = {domain: self._build_params(domain, period_us, each_us) for domain, each_us in budget_us.items()}
        return SplitEncoding(params, achieved, error_frac, (*low, *totals, *self._warn_of_several_cpus()))

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        own = domains_of(params, RtdsParams)
        if not own or any(vcpu.extratime or vcpu.period_us <= 0 for each in own.values() for vcpu in each.vcpus):
            return None
        return shares_to_split({domain: self._reserved_share(domain, each) for domain, each in own.items()})

    def _warn_of_several_cpus(self) -> tuple[str, ...]:
        """Return a warning where RTDS does not guarantee the budgets."""
        if self._machine.cpus == 1:
            return ()
        return (
            _(
                "RTDS admits budgets without a test: on {cpus} CPUs a vCPU may get less than its "
                "budget. Dedicated CPUs have no such limit."
            ).format(cpus=self._machine.cpus),
        )

    def _build_params(self, domain: DomainId, period_us: int, budget_us: int) -> RtdsParams:
        """Return the same parameters for every vCPU of a domain, offline vCPUs included.

        A vCPU that comes online during a trial must not bring extra time.
        """
        vcpu = RtdsVcpu(period_us=period_us, budget_us=budget_us, extratime=False)
        return RtdsParams((vcpu,) * self._machine.entries(domain))

    def _reserved_share(self, domain: DomainId, params: RtdsParams) -> Fraction:
        online = params.vcpus[: self._machine.online(domain)]
        return sum((Fraction(vcpu.budget_us, vcpu.period_us) for vcpu in online), Fraction(0))
