"""Names and lists for sentences; `model/number_texts.py` writes the numbers."""

from collections.abc import Iterable

from scheduler.model import number_texts
from scheduler.model.load_kinds import find_load_kind, rate_unit
from scheduler.model.load_name import LoadName
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.translation import _

_DOMAINS = {IO: _("the I/O domain"), GUEST: _("the guest"), GUEST_2: _("the second guest")}


def load_title(name: str) -> str:
    """Return the title of a load (`IR`, `IR in noon`); its name for unknown kinds."""
    kind, mix = find_load_kind(name), LoadName.of(name).mix
    if kind is None:
        return name
    return _("{short} in {mix}").format(short=kind.short, mix=mix) if mix else kind.short


def member_title(load: str, guest: DomainId | None) -> str:
    """Return the title of a load, with its guest where there are two.

    For example `IR of the second guest`.

    Args:
        load: Name of the load.
        guest: Guest whose database its users work on; None where the host has one guest only.
    """
    return (
        load_title(load)
        if guest is None
        else _("{load} of {domain}").format(load=load_title(load), domain=domain_title(guest))
    )


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
    return (
        names[0]
        if len(names) == 1
        else _("{names} and {names_2}").format(names=", ".join(names[:-1]), names_2=names[-1])
        if names
        else ""
    )


MOST_NAMES = 12
"""Names that a sentence lists; the others are counted."""


def list_names(items: Iterable[str], most: int = MOST_NAMES) -> str:
    """Return names for a sentence: `a, b, c`, or `a, b and 88 more` of many.

    Args:
        items: Names, in order.
        most: Number of names to list, >= 1.
    """
    names = list(items)
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else _("{shown} and {count} more").format(shown=shown, count=len(names) - most)


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Return numbers of CPUs for people: `0-3, 5`; `none` for no CPU.

    Of scattered numbers, the first ranges are listed and the other CPUs are counted: `0, 2, 4 and 253 more`.
    """
    runs = _find_runs(cpus)
    shown = ", ".join(_run_text(*run) for run in runs[:MOST_NAMES])
    more = sum(last - first + 1 for first, last in runs[MOST_NAMES:])
    return _("{shown} and {more} more").format(shown=shown, more=more) if more else shown or "none"


def encode_cpu_list(cpus: Iterable[int], separator: str = ",") -> str:
    """Return all numbers of CPUs for a program: `0-3,5`; `none` for no CPU.

    Args:
        cpus: Numbers of CPUs.
        separator: Text between two ranges.
    """
    return separator.join(_run_text(*run) for run in _find_runs(cpus)) or "none"


def _find_runs(cpus: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each range, ascending."""
    runs: list[tuple[int, int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], cpu)
        else:
            runs.append((cpu, cpu))
    return runs


def _run_text(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def join_sentences(*parts: str) -> str:
    """Return the non-empty parts as sentences, each with its closing mark."""
    return " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part)
