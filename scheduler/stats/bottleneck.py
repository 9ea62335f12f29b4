"""Bottleneck of a point: the CPU used against the CPU allotted.

Caps: a domain that has used up its quota waits although the CPU may be idle. Such a domain is starved. Dedicated CPUs
limit like caps. Weights: a domain also uses the CPU that the other domain leaves. While the CPU is saturated, both
domains together are the limit, and weights only decide which domain waits. Where no domain lacks CPU, the clients or
the round trip limit the rate.
"""

from collections.abc import Mapping

import msgspec

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.number_texts import format_cpu_time, format_percent
from scheduler.model.sentence_texts import domain_title, join_names
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.translation import _

# A domain is starved at this fraction of its quota, or when throttled for this fraction of the possible time.
_USED_UP = 0.93
_HELD_BACK = 0.5
# Fraction of the shared CPU; below it the CPU was partly idle.
_FULL = 0.93
# Fraction of a CPU above which a client process is the limit, not the host.
_CLIENT_BUSY = 0.8
_CLIENTS_BUSY = 0.9
_NOTHING = 0.005


class PointFigures(msgspec.Struct, frozen=True, kw_only=True):
    """CPU figures of one point; fractions as in `TrialDone`.

    Attributes:
        used: Domain to CPU used, fraction of one CPU.
        allotted: Domain to CPU allotted, as a share of the shared CPUs; empty for the original settings.
        throttled: Domain to the fraction of the time in which its quota throttled it, 0..1.
        client: CPU used by the busiest user process, 0..1.
        clients: CPU used by all users over the CPUs left to them, 0..1.
        cpus: Number of shared CPUs.
        in_cpus: True to quote CPU use in CPUs, as all figures of a host with several shared CPUs.
        mode: Mode of the split; None derives the mode from the figures.
    """

    used: Mapping[DomainId, float]
    allotted: Mapping[DomainId, float]
    throttled: Mapping[DomainId, float]
    client: float = 0.0
    clients: float = 0.0
    cpus: int = 1
    in_cpus: bool = False
    mode: Mode | None = None


def find_bottleneck(seen: PointFigures) -> tuple[Bottleneck, str]:
    """Return the bottleneck of a point and a sentence with its figures."""
    if not seen.used:
        return Bottleneck.OTHER, _("The CPU of the domains was not measured here.")
    if GUEST_2 in seen.used:
        return _find_among_three(seen)
    if seen.allotted and _is_capped(seen):
        return _find_under_caps(seen)
    if sum(seen.used.values()) >= _FULL * seen.cpus:
        alone = not seen.allotted and seen.used.get(IO, 0.0) < _NOTHING  # users reach the guest directly
        return Bottleneck.GUEST if alone else Bottleneck.BOTH, _describe_saturated_cpu(seen)
    return _find_outside_host(seen, _("neither domain was out of CPU ({use})").format(use=_describe_use(seen)))


def _find_among_three(seen: PointFigures) -> tuple[Bottleneck, str]:
    used = join_names(
        _("{domain} used {cpu}").format(domain=domain_title(each), cpu=_cpu_text(part, seen))
        for each, part in sorted(seen.used.items())
    )
    used = used if seen.in_cpus else _("of a CPU, {used}").format(used=used)
    if seen.allotted and _is_capped(seen):
        short = [domain for domain in (IO, GUEST, GUEST_2) if _is_starved(seen, domain)]
        if not short:
            return _find_outside_host(seen, _("no domain was out of CPU ({used})").format(used=used))
        guests = [domain for domain in short if domain != IO]
        limit = Bottleneck.GUEST if IO not in short else Bottleneck.BOTH if guests else Bottleneck.IO
        names = join_names(domain_title(domain) for domain in short)
        return limit, _("{capitalise_first} used all of the CPU allotted: {used}.").format(
            capitalise_first=_capitalise_first(names), used=used
        )
    if sum(seen.used.values()) >= _FULL * seen.cpus:
        return Bottleneck.BOTH, _("The CPU is saturated: {used}.").format(used=used)
    return _find_outside_host(seen, _("no domain was out of CPU ({used})").format(used=used))


def _is_capped(seen: PointFigures) -> bool:
    """Return True when the CPU allotted is a limit.

    Without a mode, the figures decide.
    """
    if seen.mode is not None:
        return seen.mode is not Mode.WEIGHTS
    beyond = any(seen.used.get(d, 0) > share * seen.cpus + 0.05 for d, share in seen.allotted.items())
    return any(part > 0.005 for part in seen.throttled.values()) or not beyond


def _find_under_caps(seen: PointFigures) -> tuple[Bottleneck, str]:
    starved = [domain for domain in (IO, GUEST) if _is_starved(seen, domain)]
    if len(starved) == 2:
        return Bottleneck.BOTH, _("Both domains used all of the CPU allotted: {use}.").format(use=_describe_use(seen))
    if starved:
        short, other = starved[0], GUEST if starved[0] == IO else IO
        text = _("{capitalise_first} is starved: {share}{throttling}").format(
            capitalise_first=_capitalise_first(domain_title(short)),
            share=_describe_share(seen, short),
            throttling=_describe_throttling(seen, short),
        )
        return Bottleneck(short), _("{text}, while {domain} {share}.").format(
            text=text, domain=domain_title(other), share=_describe_share(seen, other, verb="used")
        )
    return _find_outside_host(seen, _("both domains left CPU unused ({use})").format(use=_describe_use(seen)))


def _is_starved(seen: PointFigures, domain: DomainId) -> bool:
    quota = seen.allotted.get(domain, 0) * seen.cpus
    if quota <= 0:
        return False
    held = seen.throttled.get(domain, 0.0) / max(1 - seen.allotted[domain], 0.01)
    return seen.used.get(domain, 0.0) >= _USED_UP * quota or held >= _HELD_BACK


def _find_outside_host(seen: PointFigures, finding: str) -> tuple[Bottleneck, str]:
    clients = _("the busiest client process used {client} of a CPU").format(client=format_percent(seen.client))
    together = _("all clients {clients} of theirs").format(clients=format_percent(seen.clients))
    if seen.client >= _CLIENT_BUSY or seen.clients >= _CLIENTS_BUSY:
        return Bottleneck.CLIENT, _(
            "The load generator is the limit, not the host: {clients}, {together}; {finding}."
        ).format(clients=clients, together=together, finding=finding)
    waits = _("waiting set the pace (round trip, locks, disk, or other programs on that CPU)")
    used = f"{clients}, {together}" if seen.clients > seen.client else clients  # busy clients may each look idle
    return Bottleneck.OTHER, f"{_capitalise_first(finding)}; {waits}: {used}."


def _describe_saturated_cpu(seen: PointFigures) -> str:
    text = _("The CPU is saturated: {use}").format(use=_describe_use(seen))
    if not seen.allotted:
        return _("{text}; no limit is set.").format(text=text)
    taker = max(seen.allotted, key=lambda d: seen.used.get(d, 0.0) - seen.allotted[d] * seen.cpus)
    beyond = seen.used.get(taker, 0.0) - seen.allotted[taker] * seen.cpus
    if beyond <= 0.02:
        return _("{text}; each domain used its share.").format(text=text)
    return _("{text}; {domain} ran on {cpu} that the other left.").format(
        text=text, domain=domain_title(taker), cpu=_cpu_text(beyond, seen)
    )


def _describe_use(seen: PointFigures) -> str:
    parts = (f"{domain_title(domain)} {_describe_share(seen, domain, verb='used')}" for domain in (IO, GUEST))
    return ", ".join(parts)


def _describe_share(seen: PointFigures, domain: DomainId, verb: str = _("it used")) -> str:
    used = f"{verb} {_cpu_text(seen.used.get(domain, 0.0), seen)}"
    used = used if seen.in_cpus else _("{used} of a CPU").format(used=used)
    if domain not in seen.allotted:
        return used
    allotted = _cpu_text(seen.allotted[domain] * seen.cpus, seen).removesuffix(" CPUs")
    given = _("weight worth") if not _is_capped(seen) else _("own CPUs") if seen.mode is Mode.DEDICATED else "quota"
    return f"{used} ({given} {allotted})"


def _cpu_text(used_cpus: float, seen: PointFigures) -> str:
    return format_cpu_time(used_cpus, seen.cpus if seen.in_cpus else 1)


def _describe_throttling(seen: PointFigures, domain: DomainId) -> str:
    held = seen.throttled.get(domain, 0.0)
    return _(" and was throttled {held} of the time").format(held=format_percent(held)) if held >= 0.005 else ""


def _capitalise_first(text: str) -> str:
    return text[:1].upper() + text[1:]
