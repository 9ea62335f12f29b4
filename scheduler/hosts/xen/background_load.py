"""Findings on the load of other domains while nothing is measured; pure."""

from collections.abc import Iterator

from scheduler.hosts.xen.domain_choice import find_stub_owner
from scheduler.hosts.xen.domain_view import DomainView, allowed_cpus
from scheduler.hosts.xen.xl_tables import DomainRow
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.number_texts import format_percent

_GUEST_FRAC = 0.05  # of a CPU; the toolstack counts in tenths of a second, too coarse for less in a few seconds
_HEAVY_FRAC = 0.25
_DOM0_FRAC = 0.5  # of a CPU; reading the counters itself costs Dom0 some


def find_background_load(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield findings on competing other domains, and on Dom0's own work."""
    look_s = picture.survey.look_s
    later = {row.domid: row for row in picture.survey.later}
    ours = {seen.row.domid for seen in picture.domains}
    others = [row for row in picture.survey.domains if row.domid not in ours]
    for row in others:
        yield from _check_other_domain(picture, row, _cpu_frac(row, later.get(row.domid), look_s))
    dom0 = next((row for row in picture.survey.domains if row.domid == 0), None)
    own = 0.0 if dom0 is None else _cpu_frac(dom0, later.get(0), look_s)
    if own > _DOM0_FRAC:
        yield PreflightFinding(
            Severity.WARNING,
            f"Domain-0 used {format_percent(own)} of a CPU while nothing was swept ({look_s:g} s)",
            "Look for backups, updates or migrations there, and wait until they are done.",
            concern=StudyConcern.MEASURING,
        )


def is_competing(picture: DomainView, row: DomainRow) -> bool:
    """Return True when a domain may run on a CPU that the domains of the sweep share.

    Args:
        picture: The host and the domains of the sweep.
        row: The domain, as the toolstack lists it.
    """
    allowed = allowed_cpus(picture.survey, row.domid)
    pool = picture.survey.pool_cpus.get(row.pool)
    return bool(allowed.intersection(picture.shared, *([] if pool is None else [pool])))


def _check_other_domain(picture: DomainView, row: DomainRow, frac: float) -> Iterator[PreflightFinding]:
    if row.condition and row.condition != "paused":
        return
    if not is_competing(picture, row):
        return
    hint = _suggest_remedy(picture, row)
    if frac > _GUEST_FRAC:
        yield PreflightFinding(
            Severity.ERROR if frac > _HEAVY_FRAC and row.domid != 0 else Severity.WARNING,
            f"{row.name!r} may run on the same CPU and used {format_percent(frac)} of one within "
            f"{picture.survey.look_s:g} s",
            f"{hint} The CPU time that it takes is missing in every figure.",
            concern=StudyConcern.MEASURING,
        )
    else:
        yield PreflightFinding(
            Severity.WARNING,
            f"{row.name!r} may run on the same CPU; it was idle for {picture.survey.look_s:g} s",
            hint,
            concern=StudyConcern.MEASURING,
        )


def _suggest_remedy(picture: DomainView, row: DomainRow) -> str:
    """Return the advice for another domain on the same CPU.

    Dom0, stub domains and driver domains must keep running.
    """
    # A host with one CPU has no other CPU to offer.
    pin = " Give it other CPUs than those of the sweep." if picture.pcpus > 1 else ""
    owner = find_stub_owner(row, picture.survey.domains)
    if row.domid == 0:
        return f"It runs the toolstack, the guard and DomTune's counters, none of which is inside the split.{pin}"
    if owner is not None:
        ours = owner.domid in {seen.row.domid for seen in picture.domains}
        outside = " Its work is outside the split." if ours else ""
        return f"Do not stop it: it is the stub domain that emulates the devices of {owner.name!r}.{outside}{pin}"
    shut_down = "shut it down for the sweep, if no other domain depends on it as a driver or storage domain."
    return f"{pin.lstrip()} Or {shut_down}" if pin else shut_down.capitalize()


def _cpu_frac(before: DomainRow, after: DomainRow | None, look_s: float) -> float:
    return 0.0 if after is None else max(0.0, after.time_s - before.time_s) / look_s
