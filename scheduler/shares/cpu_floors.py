"""Smallest CPU shares of domains, above all of the I/O domain (ADR 0011)."""

import math
from fractions import Fraction

from scheduler.errors import SpecError
from scheduler.model.number_texts import format_percent
from scheduler.model.spec import Mode
from scheduler.model.split import IO, DomainId, Split
from scheduler.shares.dedicated import warn_of_few_vcpus
from scheduler.shares.rounding import TOTAL, exact_fracs
from scheduler.shares.share_model import HostMachine
from scheduler.translation import _

# Smallest share of the I/O domain in any plan: with less, remote login, backends and the guard would starve.
LEAST_IO = Fraction(5, 100)
# Smallest share of a CPU for each vCPU of the I/O domain, where the domains share several CPUs.
LEAST_IO_VCPU = Fraction(5, 100)
# Below this share, DomTune warns before the sweep starts. The paper's 1:10 lies between the two.
LOW_IO = Fraction(10, 100)
# The I/O domain must run at least once in this time.
LONGEST_PERIOD_US = 100_000
# Xen takes 10 us, but below a millisecond the sweep would measure context switches.
SHORTEST_PERIOD_US = 1_000
# Context switches and the schedulers' rate limit (1 ms by default) use up shorter budgets.
LEAST_BUDGET_US = 500


def least_io_cpus(cpus: int, vcpus: int) -> Fraction:
    """Return the least CPU of the I/O domain, CPUs.

    The least is 5 % of the shared CPUs. With several of them, it is at least 5 % of a CPU for each vCPU.

    Args:
        cpus: Number of shared CPUs, >= 1.
        vcpus: Number of vCPUs of the I/O domain, >= 1.
    """
    return max(LEAST_IO * cpus, LEAST_IO_VCPU * vcpus if cpus > 1 else LEAST_IO)


def warn_of_low_io(share: Fraction, split: Split) -> tuple[str, ...]:
    """Return warnings about a small share of the I/O domain.

    Args:
        share: The I/O domain's share of the shared CPUs, 0..1.
        split: The split, for the texts.

    Raises:
        SpecError: The share is below 5 %.
    """
    if share < LEAST_IO:
        least = (
            _(": 1:{most_guest_parts} is the least").format(most_guest_parts=_most_guest_parts())
            if len(split.roles) == 2
            else ""
        )
        raise SpecError(
            "splits",
            _(
                "{label} gives the I/O domain {share} of the CPU; below {least_io} the host may become unreachable"
            ).format(label=split.label, share=format_percent(float(share)), least_io=format_percent(float(LEAST_IO))),
            hint=_("Give the I/O domain more{least}.").format(least=least),
        )
    if share < LOW_IO:
        return (
            _(
                "{label} gives the I/O domain {share} of the CPU, less than {low_io}: while the "
                "guest is busy, logging in and all input and output of the host are slow."
            ).format(label=split.label, share=format_percent(float(share)), low_io=format_percent(float(LOW_IO))),
        )
    return ()


def warn_of_low_cap(split: Split, machine: HostMachine) -> tuple[str, ...]:
    """Return warnings about a small cap of the I/O domain.

    Args:
        split: The split.
        machine: The host's vCPUs and the number of shared CPUs.

    Raises:
        SpecError: The I/O domain has less than 5 % of the shared CPUs, or of several shared CPUs less than 5 % of a CPU
            for each of its vCPUs.
    """
    share, vcpus = TOTAL * exact_fracs(split)[IO], machine.online(IO)
    each = share * machine.cpus / vcpus
    if machine.cpus > 1 and each < LEAST_IO_VCPU:
        raise SpecError(
            "splits",
            _(
                "{label} gives each of the I/O domain's {vcpus} vCPUs {each} of a CPU; below "
                "{least_io_vcpu} the host may become unreachable"
            ).format(
                label=split.label,
                vcpus=vcpus,
                each=format_percent(float(each)),
                least_io_vcpu=format_percent(float(LEAST_IO_VCPU)),
            ),
            hint=_("Give the I/O domain more, or whole CPUs of its own (mode = 'dedicated')."),
        )
    return warn_of_low_io(share, split)


def _most_guest_parts() -> int:
    return math.floor(TOTAL / LEAST_IO - 1)


def refuse_weights_mode(scheduler: str, mode: Mode) -> None:
    """Raise SpecError for weights on a scheduler that reserves time.

    CPU time beyond the reservations of RTDS and SEDF (`extratime`) goes to the first domain that asks. No ratio can be
    set for that time. SEDF also has weights, but Xen does not report them, so that a write could not be verified.

    Args:
        scheduler: Name of the scheduler, for the text.
        mode: The plan's mode.
    """
    if mode is Mode.WEIGHTS:
        raise SpecError(
            "mode",
            _(
                "{scheduler} has no {mode} mode: it reserves time, and divides what a domain leaves in no set ratio"
            ).format(scheduler=scheduler, mode=mode),
            hint=_('Use "{caps}".').format(caps=Mode.CAPS),
        )


def check_reservation(split: Split, period_us: int, machine: HostMachine) -> tuple[str, ...]:
    """Return warnings about a reservation of budgets per period.

    Args:
        split: The split.
        period_us: The period, 1000..100000.
        machine: The host's vCPUs, which share each domain's budget, and the number of shared CPUs.

    Raises:
        SpecError: The period or a budget is out of range, or the I/O domain's share is below 5 %.
    """
    if not SHORTEST_PERIOD_US <= period_us <= LONGEST_PERIOD_US:
        raise SpecError(
            "period_us",
            _(
                "{period_us} us is outside {shortest_period_us}..{longest_period_us} us; the I/O "
                "domain must run at least once in 100 ms"
            ).format(period_us=period_us, shortest_period_us=SHORTEST_PERIOD_US, longest_period_us=LONGEST_PERIOD_US),
            hint=_("10000 us is usual."),
        )
    low = warn_of_low_cap(split, machine)
    for domain in split.roles:
        check_budget(domain, split, period_us, machine.cpus, machine.online(domain))
    return (*low, *warn_of_few_vcpus(split, machine))


def check_budget(
    domain: DomainId, split: Split, period_us: int, cpus: int = 1, vcpus: int = 1, *, fixed: bool = False
) -> None:
    """Raise SpecError for a budget per vCPU that is too short to be kept.

    Args:
        domain: The domain.
        split: The split.
        period_us: The period, microseconds, > 0.
        cpus: Number of shared CPUs, >= 1.
        vcpus: Number of vCPUs of the domain, >= 1.
        fixed: True when the scheduler has its own period, which no plan can set.
    """
    share = TOTAL * exact_fracs(split)[domain] * cpus / vcpus
    if share * period_us >= LEAST_BUDGET_US:
        return
    enough_us = math.ceil(LEAST_BUDGET_US / share)
    longer = _("Use a period of at least {enough_us} us, or leave this split out.").format(enough_us=enough_us)
    if fixed:
        longer = _("Remove this split. The scheduler uses its own period and ignores the plan.")
    raise SpecError(
        "splits",
        _(
            "{label} gives each of {vcpus} vCPU of the {domain} domain {share:.0f} us of each "
            "{period_us} us; the least is {least_budget_us} us"
        ).format(
            label=split.label,
            vcpus=vcpus,
            domain=domain,
            share=float(share * period_us),
            period_us=period_us,
            least_budget_us=LEAST_BUDGET_US,
        ),
        hint=longer if enough_us <= LONGEST_PERIOD_US else _("Leave this split out, or use fewer vCPUs."),
    )
