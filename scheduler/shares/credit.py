"""Xen's credit and credit2: weights (share), or caps beside weights in the same ratio (partition).

Both count a weight per running vCPU (credit since Xen 4.1), so a domain with n vCPUs gets weight / n of its share on
each; a cap is one sum over all vCPUs.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from scheduler.model.scheduler_params import Credit2Params, CreditParams, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.cpu_floors import LEAST_BUDGET_US, check_budget, warn_of_low_io
from scheduler.shares.rounding import (
    TOTAL,
    AnySplit,
    Effective,
    best_pair,
    check_rounding,
    check_total,
    choose_weights,
    exact_frac,
    ratio_to_split,
)
from scheduler.shares.share_model import HostMachine, SplitEncoding

DEFAULT_WEIGHT = 256  # xl.cfg(5), cpu_weight
MOST_WEIGHT = 65_535  # xl: "valid values are within range from 1 to 65535"

# credit accounts a cap in tenths of its time slice's ten milliseconds (sched_credit.c, csched_acct).
_CAP_UNIT_MS = 10
_CREDIT2_PERIOD_US = 10_000  # Xen command line, credit2_cap_period_ms
LEAST_CAP2_PCT = LEAST_BUDGET_US * 100 // _CREDIT2_PERIOD_US
_LONG_PAUSE_MS = 100

_COARSE = "Caps are whole percents: choose a split whose parts are less far apart, or a host with RTDS."


class CreditModel:
    """Share model of credit.

    Args:
        machine: The host's vCPUs and time slice.
    """

    name = "credit"
    modes: tuple[Mode, ...] = (Mode.SHARE, Mode.PARTITION)
    takes_period = False

    def __init__(self, machine: HostMachine) -> None:
        self._machine = machine

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        if mode is Mode.SHARE:
            return _encode_weights(CreditParams, split, self._machine)
        steps = _CAP_UNIT_MS / min(self._machine.tslice_ms, _CAP_UNIT_MS)
        cap_pct = _best_caps(split, self._effective_cap, reach=ceil(2 * steps))
        params = _build_params(CreditParams, split, self._machine, cap_pct)
        return _encode_caps(params, split, self._effective_cap, warn_of_pause(cap_pct[IO], self._machine.tslice_ms))

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        return _decode_params(CreditParams, params, self._machine, self._effective_cap)

    def _effective_cap(self, domain: DomainId, cap_pct: int) -> Fraction:
        return round_up_cap(cap_pct, self._machine.tslice_ms)


class Credit2Model:
    """Share model of credit2.

    Args:
        machine: The host's vCPUs.
    """

    name = "credit2"
    modes: tuple[Mode, ...] = (Mode.SHARE, Mode.PARTITION)
    takes_period = False

    def __init__(self, machine: HostMachine) -> None:
        self._machine = machine

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        if mode is Mode.SHARE:
            return _encode_weights(Credit2Params, split, self._machine)
        check_credit2(split)
        cap_pct = _best_caps(split, _exact_cap, least=LEAST_CAP2_PCT)
        return _encode_caps(_build_params(Credit2Params, split, self._machine, cap_pct), split, _exact_cap, ())

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        return _decode_params(Credit2Params, params, self._machine, _exact_cap)


def round_up_cap(cap_pct: int, tslice_ms: int) -> Fraction:
    """Return the part of one CPU that credit gives by a cap: kept in steps of 10 / tslice_ms percent, rounded up."""
    return Fraction(ceil(Fraction(cap_pct * tslice_ms, _CAP_UNIT_MS)) * _CAP_UNIT_MS, tslice_ms * 100)


def warn_of_pause(cap_pct: int, tslice_ms: int) -> tuple[str, ...]:
    """Say of the I/O domain's cap how long it stands still: credit lets it run for a slice, then until it has paid."""
    pause_ms = tslice_ms * (100 / cap_pct - 1)
    if pause_ms <= _LONG_PAUSE_MS:
        return ()
    shorter = "; a time slice of 10 ms shortens that" if tslice_ms > _CAP_UNIT_MS else ""
    return (
        f"With a cap of {cap_pct} % and a time slice of {tslice_ms} ms the I/O domain stands still "
        f"for up to {pause_ms:.0f} ms at a time{shorter}.",
    )


def check_credit2(split: AnySplit) -> None:
    """Refuse a guest's cap that credit2 could not keep in its own period; raises SpecError."""
    for domain in split.parts:
        if domain != IO:  # its floor is as high
            check_budget(domain, split, _CREDIT2_PERIOD_US, fixed=True)


def _exact_cap(domain: DomainId, cap_pct: int) -> Fraction:
    return Fraction(cap_pct, 100)


def _best_caps(split: Split, effective: Effective, *, reach: int = 2, least: int = 1) -> dict[DomainId, int]:
    guess = {domain: floor(100 * TOTAL * exact_frac(split, domain)) for domain in (IO, GUEST)}
    return best_pair(split, guess, effective, reach=reach, least=least)


_Params = CreditParams | Credit2Params
_NO_CAPS: Mapping[DomainId, int] = {IO: 0, GUEST: 0}


def _build_params(
    dialect: type[_Params], split: Split, machine: HostMachine, cap_pct: Mapping[DomainId, int] = _NO_CAPS
) -> dict[DomainId, _Params]:
    """Return the caps, each beside the weight that its domain's share of the split means."""
    parts = {domain: exact_frac(split, domain) / machine.online(domain) for domain in (IO, GUEST)}
    weight = choose_weights(parts, DEFAULT_WEIGHT, MOST_WEIGHT)
    return {domain: dialect(weight[domain], cap_pct[domain]) for domain in (IO, GUEST)}


def _encode_weights(dialect: type[_Params], split: Split, machine: HostMachine) -> SplitEncoding:
    params = _build_params(dialect, split, machine)
    io, guest = (Fraction(params[domain].weight * machine.online(domain)) for domain in (IO, GUEST))
    what = f"weights {params[IO].weight} and {params[GUEST].weight}"
    hint = "Choose a split whose parts are less far apart, or give both domains the same number of vCPUs."
    achieved, error_frac = check_rounding(io, guest, split, what=what, hint=hint)
    return SplitEncoding(params, achieved, error_frac, warnings=warn_of_low_io(exact_frac(split, IO), split))


def _encode_caps(
    params: Mapping[DomainId, _Params], split: Split, effective: Effective, warnings: tuple[str, ...]
) -> SplitEncoding:
    low = warn_of_low_io(TOTAL * exact_frac(split, IO), split)
    io, guest = (effective(domain, params[domain].cap_pct) for domain in (IO, GUEST))
    what = f"caps of {params[IO].cap_pct} % and {params[GUEST].cap_pct} %"
    achieved, error_frac = check_rounding(io, guest, split, what=what, hint=_COARSE)
    total = io + guest
    return SplitEncoding(params, achieved, error_frac, float(total), (*low, *warnings, *check_total(total, split)))


def _decode_params(
    dialect: type[_Params], params: Mapping[DomainId, SchedParams], machine: HostMachine, effective: Effective
) -> Split | None:
    io, guest = params.get(IO), params.get(GUEST)
    if not isinstance(io, dialect) or not isinstance(guest, dialect):
        return None
    if io.cap_pct and guest.cap_pct:
        return ratio_to_split(effective(IO, io.cap_pct), effective(GUEST, guest.cap_pct))
    if io.cap_pct or guest.cap_pct or io.weight == guest.weight == DEFAULT_WEIGHT:
        return None
    return ratio_to_split(Fraction(io.weight * machine.online(IO)), Fraction(guest.weight * machine.online(GUEST)))
