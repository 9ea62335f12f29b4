"""Placement of the domains in a bundle: values, lines of other files, and notes.

A value has a word per vCPU, `vcpu0:0-1`; libvirt adds
`emulator:0-1` and `iothread1:0-1`, and a control group has one word.
The masks are in the spelling in which the toolstacks print them, so that the scripts can compare.
"""

from collections.abc import Callable

from scheduler.export.split_config import SplitConfig
from scheduler.model.placement import PLACE_SLOTS, CpuMask, PlacementParams
from scheduler.model.sentence_texts import encode_cpu_list
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.command_words import format_command
from scheduler.translation import _


def find_placements(split: SplitConfig) -> dict[DomainId, PlacementParams]:
    """Return the placement of both domains; empty when the split has none."""
    found = {domain: split.params.get(PLACE_SLOTS[domain]) for domain in (IO, GUEST)}
    placed = {domain: params for domain, params in found.items() if isinstance(params, PlacementParams)}
    return placed if len(placed) == len(found) else {}


def placement_values(split: SplitConfig, *, everywhere: str = "") -> dict[str, str]:
    """Return the keys of `split.conf` for the placement; empty values without one.

    Args:
        split: The split.
        everywhere: Word of the toolstack for every CPU; empty to list them.
    """
    placed = find_placements(split)
    numbers = range(split.facts.pcpus)

    def word(mask: CpuMask) -> str:
        whole = not mask or set(mask) >= set(numbers)
        return everywhere if whole and everywhere else format_mask_word(mask or tuple(numbers))

    return {f"{domain}_place": " ".join(_words_of(placed[domain], word)) if placed else "" for domain in (IO, GUEST)}


def _words_of(params: PlacementParams, word: Callable[[CpuMask], str]) -> list[str]:
    words = [f"vcpu{number}:{word(mask)}" for number, mask in enumerate(params.vcpus)]
    if params.emulator is not None:
        words.append(f"emulator:{word(params.emulator)}")
    return [*words, *(f"iothread{number}:{word(mask)}" for number, mask in params.iothreads)]


def format_mask_word(mask: CpuMask) -> str:
    """Return a mask as the toolstacks print it, for example `0-3,5`."""
    return encode_cpu_list(mask)


def xl_cpus_line(params: PlacementParams) -> str:
    """Return the line `cpus=` of xl.cfg(5); a list where the vCPUs differ."""
    words = [format_mask_word(mask) if mask else "all" for mask in params.vcpus]
    if len(set(words)) == 1:
        return f'cpus = "{words[0]}"\n'
    return "cpus = [{}]\n".format(", ".join(f'"{word}"' for word in words))


def xapi_mask(params: PlacementParams) -> str:
    """Return XAPI's `mask` of a guest; empty for a guest that may run everywhere.

    XAPI knows no ranges: `2,3` for all vCPUs, or `2;3` for one CPU each (xapi-project/xen-api, xenopsd `domain.ml`).
    """
    if not all(params.vcpus):
        return ""
    masks = params.vcpus[:1] if len(set(params.vcpus)) == 1 else params.vcpus
    return ";".join(",".join(map(str, mask)) for mask in masks)


def pin_commands(params: PlacementParams, domain: str) -> list[str]:
    """Return the `xl` commands that place a domain, a line per vCPU.

    Args:
        params: The placement.
        domain: Number of the domain, or text in its place.
    """
    return [
        f"xl vcpu-pin {domain} {number} {format_mask_word(mask) if mask else 'all'}"
        for number, mask in enumerate(params.vcpus)
    ]


def is_dedicated(placed: dict[DomainId, PlacementParams]) -> bool:
    """Return True when the domains share no CPU."""
    if not placed:
        return False
    one, two = ({cpu for mask in _all_masks(params) for cpu in mask} for params in placed.values())
    everywhere = any(not mask for params in placed.values() for mask in _all_masks(params))
    return not everywhere and not one & two


def _all_masks(params: PlacementParams) -> tuple[CpuMask, ...]:
    emulator = () if params.emulator is None else (params.emulator,)
    return (*params.vcpus, *emulator, *(mask for _, mask in params.iothreads))


def boot_notes(params: PlacementParams, *, xapi: bool) -> list[str]:
    """Return notes on Xen's boot line and XCP-ng's tool, for Dom0 on CPU 0 to k - 1.

    Args:
        params: Placement of Dom0.
        xapi: True on a host with XAPI.
    """
    mask = params.vcpus[0] if params.vcpus else ()
    if len(set(params.vcpus)) != 1 or mask != tuple(range(len(mask))) or not mask:
        return []
    cpus, word = len(mask), format_mask_word(mask)
    boot = _(
        "Dom0 can have these CPUs from the boot on: Xen's boot line dom0_max_vcpus={cpus} "
        "dom0_vcpus_pin gives it {cpus} vCPUs on\nCPU {word}. Its network queues are counted "
        "at boot, so measure again after that. The guest keeps its own CPUs by\nthe line "
        "cpus= in guest.cfg."
    ).format(cpus=cpus, word=word)
    command = format_command(("host-cpu-tune", "set", str(cpus), "xpin"))
    tune = _(
        "XenServer and XCP-ng have two other ways to keep this. '{command}' gives Dom0 "
        "{cpus} vCPUs on\nCPU {word} and keeps every guest off them, after a reboot of the "
        "host. The guest's mask, which persist.sh\nsets, concerns this guest only and counts "
        "when the VM is next built."
    ).format(command=command, cpus=cpus, word=word)
    return [boot, tune] if xapi else [boot]


def placed_scope(split: SplitConfig, things: str) -> str:
    """Return the text on the limits of the split.

    Args:
        split: The split.
        things: Word for what is limited: `groups` or `domains`.
    """
    placed = find_placements(split)
    if is_dedicated(placed):
        return _(
            "Each of the two {things} has its own CPUs. CPU time that one leaves stays idle. "
            "Other guests\nmay still run on these CPUs: the scripts place only these two."
        ).format(things=things)
    cpus = {cpu for params in placed.values() for mask in _all_masks(params) for cpu in mask}
    if len(cpus) > 1 and split.mode is Mode.CAPS:
        return _(
            "The two limits add up to {count} CPUs at most: together the {things} get no more.\n"
            "What one leaves, the other does not take. Measured with both on these CPUs."
        ).format(count=len(cpus), things=things)
    return split.scope(things)
