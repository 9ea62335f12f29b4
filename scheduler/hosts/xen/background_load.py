"""Findings on the load of other domains while nothing is measured; pure."""

from collections.abc import Iterator, Sequence

from scheduler.hosts.xen.domain_choice import find_stub_owner
from scheduler.hosts.xen.domain_view import DomainView, allowed_cpus
from scheduler.hosts.xen.xen_placement import find_placement_support, list_open_cpus, list_others, read_placements
from scheduler.hosts.xen.xl_tables import DomainRow
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.number_texts import format_cpus
from scheduler.model.other_guests import OtherGuest
from scheduler.model.placement import other_place
from scheduler.model.sentence_texts import list_names
from scheduler.translation import _

_GUEST_FRAC = 0.05  # of a CPU; the toolstack counts in tenths of a second, too coarse for less in a few seconds
_NOTED_FRAC, _HEAVY_FRAC = 0.02, 0.25  # of all shared CPUs
_MOST_LISTED = 4  # other domains with a finding of their own; the rest share one
_KEEP_AWAY = _('Keep it off the CPUs of the sweep while that runs (others = "away" in [cpus]).')
_DOM0_FRAC = 0.5  # of a CPU; reading the counters itself costs Dom0 some


def find_background_load(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield findings on competing other domains, and on Dom0's own work."""
    look_s = picture.survey.look_s
    later = {row.domid: row for row in picture.survey.later}
    ours = {seen.row.domid for seen in picture.domains}
    others = [row for row in picture.survey.domains if row.domid not in ours]
    used = {row.domid: _cpu_frac(row, later.get(row.domid), look_s) for row in others if _is_disturbing(picture, row)}
    rows = sorted((row for row in others if row.domid in used), key=lambda row: -used[row.domid])
    # Dom0 and stub domains have an advice of their own.
    special = [row for row in rows if row.domid == 0 or find_stub_owner(row, picture.survey.domains) is not None]
    first = list({row.domid: row for row in (*special, *rows)}.values())[:_MOST_LISTED]
    for row in first:
        yield _other_domain_finding(picture, row, used[row.domid])
    if rest := [row for row in rows if row not in first]:
        yield _rest_finding(picture, rest, sum(used[row.domid] for row in rest))
    dom0 = next((row for row in picture.survey.domains if row.domid == 0), None)
    own = 0.0 if dom0 is None else _cpu_frac(dom0, later.get(0), look_s)
    if own > _DOM0_FRAC:
        yield PreflightFinding(
            Severity.WARNING,
            _("Domain-0 used {own} before the sweep ({look_s:g} s)").format(own=format_cpus(own), look_s=look_s),
            _("Look for backups, updates or migrations there, and wait until they are done."),
            concern=StudyConcern.MEASURING,
        )


def list_other_guests(picture: DomainView) -> tuple[OtherGuest, ...]:
    """Return the other guests that DomTune can move, with their load."""
    later = {row.domid: row for row in picture.survey.later}
    pool, places = set(list_open_cpus(picture)), read_placements(picture)
    return tuple(
        OtherGuest(
            name=row.name,
            uuid=row.uuid,
            cpus=tuple(sorted(pool & allowed_cpus(picture.survey, row.domid))),
            used_cpus=_cpu_frac(row, later.get(row.domid), picture.survey.look_s),
            vcpus=places[slot].vcpus if (slot := other_place(row.uuid)) in places else (),
        )
        for row in list_others(picture)
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


def _is_disturbing(picture: DomainView, row: DomainRow) -> bool:
    return row.condition in {"", "paused"} and is_competing(picture, row)


def _other_domain_finding(picture: DomainView, row: DomainRow, used_cpus: float) -> PreflightFinding:
    hint, look_s = _suggest_remedy(picture, row), picture.survey.look_s
    concern = StudyConcern.OTHERS if row in list_others(picture) else StudyConcern.MEASURING
    where = _("{row!r} may run on the same CPU").format(row=row.name)
    if used_cpus <= _GUEST_FRAC:
        return PreflightFinding(
            Severity.INFO,
            _("{where}; it was idle for {look_s:g} s").format(where=where, look_s=look_s),
            hint,
            concern=concern,
        )
    return PreflightFinding(
        _rate_use(picture, used_cpus, may_stop=row.domid != 0),
        _("{where} and used {used_cpus} within {look_s:g} s").format(
            where=where, used_cpus=format_cpus(used_cpus), look_s=look_s
        ),
        _("{hint} The CPU time that it takes is missing in every figure.").format(hint=hint),
        concern=concern,
    )


def _rest_finding(picture: DomainView, rows: Sequence[DomainRow], used_cpus: float) -> PreflightFinding:
    """Return one finding for all domains that have none of their own."""
    names = list_names((repr(row.name) for row in rows), 3)
    return PreflightFinding(
        _rate_use(picture, used_cpus, may_stop=True),
        _(
            "{count} further domains may run on the same CPUs ({names}); together they used "
            "{used_cpus} within {look_s:g} s"
        ).format(count=len(rows), names=names, used_cpus=format_cpus(used_cpus), look_s=picture.survey.look_s),
        _("The CPU time that they take is missing in every figure. Share CPUs on which no other domain may run."),
        concern=StudyConcern.OTHERS,
    )


def _rate_use(picture: DomainView, used_cpus: float, *, may_stop: bool) -> Severity:
    """Return the severity of other domains' use of the shared CPUs.

    Args:
        picture: The host and the domains of the sweep.
        used_cpus: CPUs that the others used, >= 0.
        may_stop: True when heavy use is an error.
    """
    part = used_cpus / max(1, len(picture.shared))
    if part > _HEAVY_FRAC and may_stop:
        return Severity.ERROR
    return Severity.WARNING if part > _NOTED_FRAC else Severity.INFO


def _suggest_remedy(picture: DomainView, row: DomainRow) -> str:
    """Return the advice for another domain on the same CPU.

    Dom0, stub domains and driver domains must keep running.
    """
    # A host with one CPU has no other CPU to offer.
    pin = _(" Give it other CPUs than those of the sweep.") if picture.pcpus > 1 else ""
    if pin and find_placement_support(picture).moves_others and row in list_others(picture):
        pin = f" {_KEEP_AWAY}"
    owner = find_stub_owner(row, picture.survey.domains)
    if row.domid == 0:
        return _(
            "It runs the toolstack, the guard and DomTune's counters, none of which is inside the split.{pin}"
        ).format(pin=pin)
    if owner is not None:
        ours = owner.domid in {seen.row.domid for seen in picture.domains}
        outside = _(" Its work is outside the split.") if ours else ""
        return _("Do not stop it: it is the stub domain that emulates the devices of {owner!r}.{outside}{pin}").format(
            owner=owner.name, outside=outside, pin=pin
        )
    shut_down = _("shut it down for the sweep, if no other domain depends on it as a driver or storage domain.")
    return f"{pin.lstrip()} Or {shut_down}" if pin else shut_down.capitalize()


def _cpu_frac(before: DomainRow, after: DomainRow | None, look_s: float) -> float:
    return 0.0 if after is None else max(0.0, after.time_s - before.time_s) / look_s
