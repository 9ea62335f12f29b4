"""Vendors' numbers of CPUs for Dom0, by the size of the host.

Sources: XenServer and XCP-ng: `default_vcpus` in xenserver/python-libs `xcp/dom0.py` and `host-cpu-tune`, which advises
exclusive pins from 48 CPUs. Xen: docs/misc/xen-command-line.pandoc, dom0_max_vcpus. Xen wiki: wiki.xenproject.org,
"Tuning Xen for Performance".
"""

from scheduler.model.number_texts import format_cpu_count
from scheduler.model.results import VendorNumber
from scheduler.model.sentence_texts import join_names
from scheduler.translation import _

_INSTALLER_MOST, _INSTALLER_PINS = 16, 48
_WIKI_LEAST, _WIKI_CPUS = 17, 8


def list_vendor_numbers(pcpus: int) -> tuple[VendorNumber, ...]:
    """Return the vendors' numbers for a host.

    Args:
        pcpus: Number of CPUs of the host, >= 1.
    """
    most = min(pcpus, _INSTALLER_MOST)
    found = [VendorNumber(vendor=_("XenServer and XCP-ng"), cpus=most, pinned=pcpus >= _INSTALLER_PINS)]
    if pcpus >= _WIKI_LEAST:
        found.append(VendorNumber(vendor=_("Xen's wiki"), cpus=_WIKI_CPUS, pinned=True))
    return (*found, VendorNumber(vendor=_("Xen's default"), cpus=pcpus, pinned=False))


def describe_vendors(pcpus: int) -> str:
    """Return the vendors' numbers as a sentence.

    Args:
        pcpus: Number of CPUs of the host, >= 1.
    """
    numbers = (
        _("{vendor} {cpus} vCPUs{value}").format(
            vendor=each.vendor, cpus=each.cpus, value=_(" with pins") if each.pinned else _(" without pins")
        )
        for each in list_vendor_numbers(pcpus)
    )
    cpus = format_cpu_count(pcpus)
    return _("For comparison only, vendors' numbers for a host of {cpus}: {numbers}.").format(
        cpus=cpus, numbers=join_names(numbers)
    )
