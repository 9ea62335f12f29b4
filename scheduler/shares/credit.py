"""Share models of Xen's credit and credit2: weights, or caps with weights.

Weights have the ratio of the caps. Both schedulers count a weight per running vCPU (credit since Xen 4.1). So the
weight for a domain's share is divided by the domain's number of vCPUs. A cap is one sum over all vCPUs.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from scheduler.model.scheduler_params import Credit2Params, CreditParams, SchedParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import Mode
from scheduler.model.split import IO, DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, check_budget, warn_of_low_cap, warn_of_low_io
from scheduler.shares.dedicated import encode_dedicated, warn_of_few_vcpus
from scheduler.shares.rounding import (
    NumberSteps,
    best_numbers,
    check_caps,
    check_rounding,
    choose_weights,
    exact_fracs,
    shares_to_split,
)
from scheduler.shares.share_model import HostMachine, SplitEncoding, domains_of
from scheduler.translation import _

DEFAULT_WEIGHT = 256  # xl.cfg(5), cpu_weight
MOST_WEIGHT = 65_535  # xl: "valid values are within range from 1 to 65535"

# Credit accounts caps in units of 10 ms of its time slice (sched_credit.c, csched_acct).
_CAP_UNIT_MS = 10
_CREDIT2_PERIOD_US = 10_000  # Xen command line, credit2_cap_period_ms
LEAST_CAP2_PCT = LEAST_BUDGET_US * 100 // _CREDIT2_PERIOD_US
_LONG_PAUSE_MS = 100

# Whole percents may match a split only with a smaller total.
_TOTALS = tuple(Fraction(pct, 100) for pct in range(96, 79, -2))

_UNEVEN = _("Choose a split whose parts are less far apart, or give all domains the same number of vCPUs.")
_COARSE = _("Caps are whole percents: choose a split whose parts are less far apart, or a host with RTDS.")


class CreditModel:
    """Share model of credit or credit2.

    Args:
        dialect: Type of the scheduler's parameters, which selects the scheduler.
        machine: The host's vCPUs and time slice.
    """

    modes: tuple[Mode, ...] = (Mode.WEIGHTS, Mode.CAPS)
    takes_period = False

    def __init__(self, dialect: type[CreditParams] | type[Credit2Params], machine: HostMachine) -> None:
        self._dialect = dialect
        self._machine = machine
        self._slices = dialect is CreditParams
        self.name = "credit" if self._slices else "credit2"

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        del period_us  # the scheduler has its own
        if mode is Mode.DEDICATED:
            return encode_dedicated(split, self._machine, lambda _: self._dialect(DEFAULT_WEIGHT))
        return self._encode_weights(split) if mode is Mode.WEIGHTS else self._encode_caps(split)

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        own = domains_of(params, self._dialect)
        if not own:
            return None
        if all(each.cap_pct for each in own.values()):
            return shares_to_split({domain: self._effective_cap(domain, each.cap_pct) for domain, each in own.items()})
        if any(each.cap_pct for each in own.values()) or all(each.weight == DEFAULT_WEIGHT for each in own.values()):
            return None
        return shares_to_split(self._weigh(own))

    def _encode_weights(self, split: Split) -> SplitEncoding:
        params = {domain: self._dialect(weight) for domain, weight in self._weights(split).items()}
        weighed = self._weigh(params)
        what = _("weights {weight}").format(weight=join_names([str(each.weight) for each in params.values()]))
        error_frac = check_rounding(weighed, split, what=what, hint=_UNEVEN)
        total = sum(weighed.values())
        achieved = {domain: weight / total for domain, weight in weighed.items()}
        low = warn_of_low_io(exact_fracs(split)[IO], split)
        return SplitEncoding(params, achieved, error_frac, (*low, *warn_of_few_vcpus(split, self._machine)))

    def _encode_caps(self, split: Split) -> SplitEncoding:
        if not self._slices:
            check_credit2(split, self._machine.cpus)
        low = (*warn_of_low_cap(split, self._machine), *warn_of_few_vcpus(split, self._machine))
        cap_pct = self._best_caps(split)
        achieved = {domain: self._effective_cap(domain, cap) for domain, cap in cap_pct.items()}
        what = _("caps of {join_names}").format(join_names=join_names([f"{cap} %" for cap in cap_pct.values()]))
        error_frac, totals = check_caps(achieved, split, self._steps(split), what=what, hint=_COARSE)
        pauses = warn_of_pause(cap_pct[IO], self._machine.tslice_ms) if self._slices else ()
        params = {domain: self._dialect(weight, cap_pct[domain]) for domain, weight in self._weights(split).items()}
        return SplitEncoding(params, achieved, error_frac, (*low, *pauses, *totals))

    def _best_caps(self, split: Split) -> dict[DomainId, int]:
        steps = _CAP_UNIT_MS / min(self._machine.tslice_ms, _CAP_UNIT_MS) if self._slices else 1
        return best_numbers(
            split,
            self._steps(split),
            self._effective_cap,
            reach=ceil(2 * steps),
            least=1 if self._slices else LEAST_CAP2_PCT,
            totals=_TOTALS,
        )

    def _steps(self, split: Split) -> NumberSteps:
        """Return the meaning of caps; the largest cap of a domain is all of its vCPUs."""
        unit = dict.fromkeys(split.roles, Fraction(1, 100 * self._machine.cpus))
        return NumberSteps(unit, {domain: 100 * self._machine.online(domain) for domain in split.roles})

    def _effective_cap(self, domain: DomainId, cap_pct: int) -> Fraction:
        del domain  # a cap is one sum over all vCPUs
        of_one = round_up_cap(cap_pct, self._machine.tslice_ms) if self._slices else Fraction(cap_pct, 100)
        return of_one / self._machine.cpus

    def _weights(self, split: Split) -> dict[DomainId, int]:
        """Return each domain's weight for its share, divided by its number of vCPUs."""
        parts = {domain: frac / self._machine.online(domain) for domain, frac in exact_fracs(split).items()}
        return choose_weights(parts, DEFAULT_WEIGHT, MOST_WEIGHT)

    def _weigh(self, params: Mapping[DomainId, CreditParams | Credit2Params]) -> dict[DomainId, Fraction]:
        return {domain: Fraction(each.weight * self._machine.online(domain)) for domain, each in params.items()}


def round_up_cap(cap_pct: int, tslice_ms: int) -> Fraction:
    """Return the share of one CPU that credit allots by a cap.

    Credit keeps caps in steps of 10 / tslice_ms percent, rounded up (sched_credit.c, csched_acct).

    Args:
        cap_pct: The cap, percent of one CPU, >= 1.
        tslice_ms: Time slice, milliseconds, >= 1.
    """
    return Fraction(ceil(Fraction(cap_pct * tslice_ms, _CAP_UNIT_MS)) * _CAP_UNIT_MS, tslice_ms * 100)


def warn_of_pause(cap_pct: int, tslice_ms: int) -> tuple[str, ...]:
    """Return a warning about long pauses of the I/O domain by its cap.

    Credit lets a domain run for a time slice, then pauses it until the credits are earned back.

    Args:
        cap_pct: The I/O domain's cap, percent of one CPU, >= 1.
        tslice_ms: Time slice, milliseconds, >= 1.
    """
    pause_ms = tslice_ms * (100 / cap_pct - 1)
    if pause_ms <= _LONG_PAUSE_MS:
        return ()
    shorter = _("; a time slice of 10 ms shortens that") if tslice_ms > _CAP_UNIT_MS else ""
    return (
        _(
            "With a cap of {cap_pct} % and a time slice of {tslice_ms} ms the I/O domain pauses "
            "for up to {pause_ms:.0f} ms at a time{shorter}."
        ).format(cap_pct=cap_pct, tslice_ms=tslice_ms, pause_ms=pause_ms, shorter=shorter),
    )


def check_credit2(split: Split, cpus: int) -> None:
    """Raise SpecError for a guest's cap too short for credit2's own period.

    Args:
        split: The split.
        cpus: Number of shared CPUs, >= 1.
    """
    for domain in split.roles:
        if domain != IO:  # the I/O domain's floor is as high
            check_budget(domain, split, _CREDIT2_PERIOD_US, cpus, fixed=True)
