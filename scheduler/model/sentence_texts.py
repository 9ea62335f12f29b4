"""Names and lists for sentences; `model/number_texts.py` writes the numbers."""

from collections.abc import Iterable, Sequence

from scheduler.model import number_texts
from scheduler.model.load_kinds import find_load_kind, rate_unit
from scheduler.model.load_name import LoadName
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId

_MOST_RANGES = 8  # of CPUs in a sentence
_DOMAINS = {IO: "the I/O domain", GUEST: "the guest", GUEST_2: "the second guest"}


def load_title(name: str) -> str:
    """Return the title of a load (`IR`, `IR in noon`); its name for unknown kinds."""
    kind, mix = find_load_kind(name), LoadName.of(name).mix
    if kind is None:
        return name
    return f"{kind.short} in {mix}" if mix else kind.short


def member_title(load: str, guest: DomainId | None) -> str:
    """Return the title of a load, with its guest where there are two.

    For example `IR of the second guest`.

    Args:
        load: Name of the load.
        guest: Guest whose database its users work on; None where the host has one guest only.
    """
    return load_title(load) if guest is None else f"{load_title(load)} of {domain_title(guest)}"


def domain_title(domain: DomainId | str) -> str:
    """Return the domain's role as text for a sentence."""
    return _DOMAINS.get(DomainId(domain), domain)


def format_load_rate(tps: float, kind: str = "", unit: str = "") -> str:
    """Return a throughput in its unit, for example `11.8k tuples/s`.

    Args:
        tps: Throughput per second.
        kind: Load whose unit is used without `unit`.
        unit: Unit of the throughput; empty for that of the load.
    """
    return number_texts.format_rate(tps, unit or rate_unit([kind]))


def join_names(items: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    names = list(items)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Return numbers of CPUs in order, with ranges: `0-3, 5`; `none` for no CPU."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    texts = [f"{first}" if first == last else f"{first}-{last}" for first, last in runs]
    return ", ".join(texts) or "none"


def shorten_cpu_list(cpus: Iterable[int]) -> str:
    """Return numbers of CPUs as bounded text: `0, 2, 4, 6 ... 126 (64 CPUs)`."""
    numbers = set(cpus)
    ranges = format_cpu_list(numbers).split(", ")
    if len(ranges) <= _MOST_RANGES:
        return ", ".join(ranges)
    return f"{', '.join(ranges[:4])} ... {ranges[-1]} ({len(numbers)} CPUs)"


def shorten_names(names: Sequence[str], most: int = 3) -> str:
    """Return names as text of bounded length: `web1, web2, web3 and 9 others`.

    Args:
        names: The names.
        most: Largest number of names that are written before the others are counted, >= 1.
    """
    if len(names) <= most + 1:
        return join_names(names)
    return f"{', '.join(names[:most])} and {len(names) - most} others"


def join_sentences(*parts: str) -> str:
    """Return the non-empty parts as sentences, each with its closing mark."""
    return " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part)
