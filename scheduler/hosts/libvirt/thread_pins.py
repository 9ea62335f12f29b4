"""CPUs of a QEMU domain's threads: readings of its description, and steps.

Source: libvirt, formatdomain (vcpu, cputune). The description names the pins of offline vCPUs, too.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scheduler.errors import ParameterRefused
from scheduler.hosts.libvirt.cpu_sets import parse_cpu_set
from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import CpuMask, PlacementParams, PlacementSupport
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.toolstacks.virsh import PinnedThread, PinStep
from scheduler.translation import _

_MOST_THREADS = 4096
_AUTO = "auto"


class PinScope(NamedTuple):
    """Threads of a domain that belong to one side of the sweep.

    Attributes:
        vcpus: True for the vCPUs.
        emulator: True for the emulator's threads and the I/O threads.
    """

    vcpus: bool = True
    emulator: bool = True


def is_placed_by_libvirt(description: ET.Element) -> bool:
    """Return True for a domain whose CPUs libvirt chooses.

    libvirt refuses pins of the emulator of such a domain.
    """
    vcpu = description.find("vcpu")
    return vcpu is not None and vcpu.get("placement") == _AUTO


def read_pins(description: ET.Element, scope: PinScope, cpus: Sequence[int]) -> PlacementParams:
    """Return the placement of one side; a mask of all CPUs reads as every CPU.

    CPUs that are offline are left out of a mask.

    Args:
        description: The live description of the domain.
        scope: Threads of the side.
        cpus: CPUs of the host that are online.
    """
    vcpu = description.find("vcpu")
    default = "" if vcpu is None else vcpu.get("cpuset", "")
    count = parse_whole_number(description.findtext("vcpu", "").strip(), most=_MOST_THREADS) or 1
    pinned = dict(_list_pins(description, "vcpupin", "vcpu"))
    threads = dict.fromkeys(_list_iothreads(description), default)
    threads |= {
        number: text for number, text in _list_pins(description, "iothreadpin", "iothread") if number in threads
    }
    emulator = description.find("./cputune/emulatorpin")
    emulator_text = default if emulator is None else emulator.get("cpuset", "")
    return PlacementParams(
        vcpus=tuple(_read_mask(pinned.get(number, default), cpus) for number in range(count)) if scope.vcpus else (),
        emulator=_read_mask(emulator_text, cpus) if scope.emulator else None,
        iothreads=tuple((number, _read_mask(text, cpus)) for number, text in sorted(threads.items()))
        if scope.emulator
        else (),
    )


def plan_pins(wanted: SchedParams, shape: PlacementParams, support: PlacementSupport, who: str) -> list[PinStep]:
    """Return the steps that pin every thread of one side.

    Args:
        wanted: The placement.
        shape: Present placement of the same side.
        support: Support for placing the side, with the CPUs that are online.
        who: Name of the domain, for errors.

    Raises:
        ParameterRefused: The domain cannot be placed, the placement has other threads than the domain, or a CPU is
            not online.
    """
    if not support.possible:
        raise ParameterRefused(_("{who} cannot be placed: {why}").format(who=who, why=support.why), hint=support.hint)
    params = narrow_params(wanted, PlacementParams, _("the placement of {who}").format(who=who))
    if _list_threads(params) != _list_threads(shape) or any(params.soft):
        raise ParameterRefused(
            _("{words}: {who} has other threads ({words_2})").format(words=params.words, who=who, words_2=shape.words),
            hint=_("Was the domain started with other vCPUs or I/O threads?"),
        )
    if strange := {cpu for _, mask in list_masks(params) for cpu in mask} - set(support.choices):
        raise ParameterRefused(
            _("{who} cannot run on CPU {strange}: not online").format(who=who, strange=format_cpu_list(strange)),
            hint=_("Choose from CPU {choices}.").format(choices=format_cpu_list(support.choices)),
        )
    return [PinStep(thread, mask) for thread, mask in list_masks(params)]


def same_masks(one: PlacementParams, two: PlacementParams, cpus: Sequence[int]) -> bool:
    """Return True when two placements of one side have the same effect.

    Args:
        one: A placement.
        two: Another placement.
        cpus: CPUs of the host that are online, equal to an empty mask.
    """
    return [(thread, mask or tuple(cpus)) for thread, mask in list_masks(one)] == [
        (thread, mask or tuple(cpus)) for thread, mask in list_masks(two)
    ]


def list_masks(params: PlacementParams) -> Iterator[tuple[PinnedThread, CpuMask]]:
    """Yield each thread of a placement with its CPUs, in the order of the commands."""
    yield from ((PinnedThread("vcpu", number), mask) for number, mask in enumerate(params.vcpus))
    if params.emulator is not None:
        yield PinnedThread("emulator"), params.emulator
    yield from ((PinnedThread("iothread", number), mask) for number, mask in params.iothreads)


def _list_threads(params: PlacementParams) -> list[PinnedThread]:
    return [thread for thread, _ in list_masks(params)]


def _list_iothreads(description: ET.Element) -> list[int]:
    """Return the numbers of the I/O threads, which start at 1 where none are listed."""
    listed = [parse_whole_number(each.get("id", "")) for each in description.findall("./iothreadids/iothread")]
    count = parse_whole_number(description.findtext("iothreads", "").strip(), most=_MOST_THREADS) or 0
    return [number for number in listed if number is not None] or list(range(1, count + 1))


def _list_pins(description: ET.Element, tag: str, key: str) -> Iterator[tuple[int, str]]:
    for each in description.findall(f"./cputune/{tag}"):
        number = parse_whole_number(each.get(key, ""))
        if number is not None:
            yield number, each.get("cpuset", "")


def _read_mask(text: str, cpus: Sequence[int]) -> CpuMask:
    found = parse_cpu_set(text, max(cpus, default=0) + 1)
    return () if found.issuperset(cpus) else tuple(sorted(found.intersection(cpus) or found))
