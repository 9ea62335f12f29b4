"""What others do on a host while nothing is measured; pure."""

from collections.abc import Iterator

from scheduler.hosts.xen.picture import Picture, allowed_cpus
from scheduler.hosts.xen.tables import DomainRow
from scheduler.model.facts import Concern, Finding, Level
from scheduler.model.number_texts import percent

_GUEST_FRAC = 0.05  # the toolstack counts in tenths of a second: less cannot be told in a few seconds
_HEAVY_FRAC = 0.25
_DOM0_FRAC = 0.5  # looking costs Dom0 some itself
_DYING = "d"


def noise(picture: Picture) -> Iterator[Finding]:
    """Yield the other running domains that matter, and Dom0's own work."""
    look_s = picture.survey.look_s
    later = {row.domid: row for row in picture.survey.later}
    ours = {seen.row.domid for seen in picture.domains}
    others = [row for row in picture.survey.domains if row.domid not in ours]
    for row in others:
        yield from _other(picture, row, _frac(row, later.get(row.domid), look_s))
    dom0 = next((row for row in picture.survey.domains if row.domid == 0), None)
    own = 0.0 if dom0 is None else _frac(dom0, later.get(0), look_s)
    if own > _DOM0_FRAC:
        yield Finding(
            Level.WARNING,
            f"Domain-0 used {percent(own)} of a CPU while nothing was swept ({look_s:g} s)",
            "Look for backups, updates or migrations there, and wait until they are done.",
            concern=Concern.MEASURING,
        )


def _other(picture: Picture, row: DomainRow, frac: float) -> Iterator[Finding]:
    if row.state.endswith(_DYING):
        return
    allowed = allowed_cpus(picture.survey, row.domid)
    pool = picture.survey.pool_cpus.get(row.pool)
    beside = not allowed & set(picture.shared) or (pool is not None and not set(pool) & set(picture.shared))
    if beside:
        return
    if frac > _GUEST_FRAC:
        yield Finding(
            Level.ERROR if frac > _HEAVY_FRAC else Level.WARNING,
            f"{row.name!r} may run on the same CPU and used {percent(frac)} of one within {picture.survey.look_s:g} s",
            "Stop it, or pin it elsewhere: what it takes is missing in every figure.",
            concern=Concern.MEASURING,
        )
    else:
        yield Finding(
            Level.WARNING,
            f"{row.name!r} may run on the same CPU; it was idle for {picture.survey.look_s:g} s",
            "Stop it, or pin it elsewhere, so that it stays so.",
            concern=Concern.MEASURING,
        )


def _frac(before: DomainRow, after: DomainRow | None, look_s: float) -> float:
    return 0.0 if after is None else max(0.0, after.time_s - before.time_s) / look_s
