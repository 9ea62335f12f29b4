"""Findings on the CPUs of the domains, and the choice of the CPU to pin them to."""

from collections.abc import Iterator, Sequence

from scheduler.hosts.caps import caps_on_several
from scheduler.hosts.xen.domain_view import DomainSnapshot, DomainView, allowed_cpus
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.sentence_texts import format_cpu_list

_NO_WEIGHTS = frozenset({"rtds", "sedf"})
_ANYWHERE = frozenset({"any", "any cpu"})  # xl before 4.5 prints these for `all`
_MOST_COMMANDS = 4  # for more lines the advice names `xl vcpu-list`


def find_placement_problems(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield findings on the CPUs for which the domains compete, and on their number."""
    apart = list(_find_separated(picture))
    yield from apart
    yield from _check_vcpus(picture)
    if apart:
        return
    cpus = {cpu for seen in picture.domains for cpu in seen.cpus}
    pool = picture.survey.pool_cpus.get(picture.guest.pool, ())
    credit_wide = picture.guest.scheduler == "credit" and len(pool) > 1
    if len(cpus) > 1:
        by_weights = picture.guest.scheduler not in _NO_WEIGHTS
        yield caps_on_several(cpus, pin_advice(picture), by_weights=by_weights)
        yield _avoidance_finding(picture, cpus, credit_wide=credit_wide)
    elif credit_wide:
        yield PreflightFinding(
            Severity.WARNING,
            f"credit counts over all {len(pool)} CPUs of the pool: between two vCPUs "
            "that are pinned to one of them, weights do not give their ratio",
            "Use caps (mode = 'caps'), or a pool of one CPU.",
            concern=StudyConcern.WEIGHTS,
        )


def cpu_to_share(picture: DomainView) -> int | None:
    """Return the CPU that the domains should share; None where no CPU is open to all.

    A CPU on which all domains already may run is preferred, then any CPU of their pool. Among these, a CPU on which no
    other domain may run is preferred.
    """
    if len({seen.pool for seen in picture.domains}) > 1:
        return None
    pool = picture.survey.pool_cpus.get(picture.io.pool, ())
    choices = picture.shared or picture.io.cpus or picture.guest.cpus or pool or (0,)
    ours = {seen.row.domid for seen in picture.domains}
    others = [allowed_cpus(picture.survey, row.domid) for row in picture.survey.domains if row.domid not in ours]
    free = [cpu for cpu in choices if not any(cpu in allowed for allowed in others)]
    return (free or list(choices))[0]


def pin_advice(picture: DomainView) -> str:
    """Return the commands that pin the domains to one CPU, and their undo.

    The text also names the cost for Domain-0. Empty where no CPU is open to all domains.
    """
    cpu = cpu_to_share(picture)
    if cpu is None:
        return ""
    moved = [seen for seen in picture.domains if seen.cpus != (cpu,)]
    pins = "; ".join(f"xl vcpu-pin {seen.row.domid} all {cpu}" for seen in moved)
    dom0 = next((seen for seen in moved if seen.row.domid == 0 and seen.online > 1), None)
    slow = (
        ""
        if dom0 is None
        else f" All {dom0.online} vCPUs of Domain-0 then share one CPU, and every guest may slow down."
    )
    undo = "; ".join(line for seen in moved for line in _list_unpin_commands(picture, seen))
    return f"{pins}.{slow} Undo it after the sweep: {undo}."


def _list_unpin_commands(picture: DomainView, seen: DomainSnapshot) -> Sequence[str]:
    """Return the commands that restore the present CPU affinity of a domain's vCPUs."""
    domid = seen.row.domid
    rows = [vcpu for vcpu in picture.survey.vcpus if vcpu.domid == domid]
    texts = ["all" if row.hard in _ANYWHERE else row.hard for row in rows]
    if len(set(texts)) == 1:
        return (f"xl vcpu-pin {domid} all {texts[0]}",)
    if len(texts) > _MOST_COMMANDS:
        return (f"the vCPUs of number {domid} differ: save the output of 'xl vcpu-list {domid}' first",)
    return [f"xl vcpu-pin {domid} {row.vcpu} {text}" for row, text in zip(rows, texts, strict=True)]


def _find_separated(picture: DomainView) -> Iterator[PreflightFinding]:
    io = picture.io
    for seen in picture.guests:
        if io.pool == seen.pool and set(io.cpus) & set(seen.cpus):
            continue
        if io.pool != seen.pool:
            migrate = f"xl cpupool-migrate {seen.row.domid}"
            hint = f"Move {seen.row.name} into the same CPU pool: {migrate} {io.pool}. Undo it: {migrate} {seen.pool}."
        else:
            hint = f"Let them share one CPU: {pin_advice(picture)}"
        yield PreflightFinding(
            Severity.ERROR,
            f"{io.row.name} runs on CPU {format_cpu_list(io.cpus)}, {seen.row.name} on CPU "
            f"{format_cpu_list(seen.cpus)}: "
            "they never compete, so no split can have an effect",
            hint,
            concern=StudyConcern.COMPETITION,
        )


def _avoidance_finding(picture: DomainView, cpus: set[int], *, credit_wide: bool) -> PreflightFinding:
    several, all_of_them = ("two", "both") if picture.guest_2 is None else ("three", "all")
    caps = ", and use caps (mode = 'caps'): under credit, weights do not give their ratio on one CPU of many"
    return PreflightFinding(
        Severity.WARNING,
        f"the {several} domains may use {len(cpus)} CPUs ({format_cpu_list(cpus)}): one can avoid the other, "
        "and the CPU time that they get need not follow the weights",
        f"Pin {all_of_them} to one CPU{caps if credit_wide else ''}: {pin_advice(picture)}",
        concern=StudyConcern.WEIGHTS,
    )


def _check_vcpus(picture: DomainView) -> Iterator[PreflightFinding]:
    for seen in picture.domains:
        if seen.row.domid == 0 and seen.online > 1 and len(seen.cpus) > 1:
            yield PreflightFinding(
                Severity.WARNING,
                f"{seen.row.name} has {seen.online} vCPUs and may use CPUs {format_cpu_list(seen.cpus)}: "
                "what it is denied on one it takes on another",
                f"Pin it to one CPU for the sweep: {pin_advice(picture)}" if cpu_to_share(picture) is not None else "",
                concern=StudyConcern.COMPETITION,
            )
        elif seen.online > 1:
            yield PreflightFinding(
                Severity.WARNING,
                f"{seen.row.name} has {seen.online} vCPUs: a cap counts for all together, a weight for each",
                "One vCPU per domain gives the clearest result.",
                concern=StudyConcern.SPLIT,
            )
        if not seen.online:
            yield PreflightFinding(
                Severity.ERROR, f"{seen.row.name} has no vCPU online", "Is it paused or shutting down?"
            )
