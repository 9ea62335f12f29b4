"""Encoding of dedicated CPUs: no limits, as the placement divides the CPUs."""

from collections.abc import Callable, Collection
from fractions import Fraction

from scheduler.model.number_texts import format_vcpus
from scheduler.model.placement import count_whole_cpus
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import domain_title
from scheduler.model.split import DomainId, Split
from scheduler.shares.share_model import HostMachine, SplitEncoding
from scheduler.translation import _


def encode_dedicated(
    split: Split,
    machine: HostMachine,
    unlimited: Callable[[DomainId], SchedParams],
    whole: Collection[DomainId] = (),
) -> SplitEncoding:
    """Translate a split into parameters without limits.

    Args:
        split: The split; each share of the CPUs is a whole number.
        machine: The host's vCPUs and the number of shared CPUs.
        unlimited: Returns the parameters of a domain without a limit.
        whole: Domains whose threads are not counted as vCPUs.

    Raises:
        SpecError: A share is not a whole number of CPUs.
    """
    counts = count_whole_cpus(machine.cpus, split)
    achieved = {domain: Fraction(number, machine.cpus) for domain, number in counts.items()}
    params = {domain: unlimited(domain) for domain in split.roles}
    return SplitEncoding(params, achieved, 0.0, warn_of_few_vcpus(split, machine, whole))


def warn_of_few_vcpus(split: Split, machine: HostMachine, whole: Collection[DomainId] = ()) -> tuple[str, ...]:
    """Return warnings about shares that a domain has too few vCPUs to use.

    Args:
        split: The split.
        machine: The host's vCPUs and the number of shared CPUs.
        whole: Domains whose threads are not counted as vCPUs.
    """
    found = list[str]()
    for domain in split.roles:
        cpus, vcpus = split.frac_of(domain) * machine.cpus, machine.online(domain)
        if domain not in whole and machine.cpus > 1 and cpus > vcpus + 1e-9:
            found.append(
                _(
                    "{label} gives {domain} {cpus:.3g} of {cpus_2} CPUs, but it has {vcpus}: it cannot "
                    "use more than {vcpus_2}."
                ).format(
                    label=split.label,
                    domain=domain_title(domain),
                    cpus=cpus,
                    cpus_2=machine.cpus,
                    vcpus=format_vcpus(vcpus),
                    vcpus_2=vcpus,
                )
            )
    return tuple(found)
