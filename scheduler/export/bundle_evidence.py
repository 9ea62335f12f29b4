"""What every bundle says of where it comes from: the split, the evidence and the conditions under which it holds."""

from typing import Any

from scheduler.export.material import Material
from scheduler.export.templates import one_line
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO

TITLES = {IO: "I/O domain", GUEST: "Guest"}


def evidence_of(material: Material) -> dict[str, Any]:
    """Return the names that all templates use, to their values."""
    results, advice, against = material.results, material.results.recommendation, material.against_advice
    return {
        "simulated_mark": " (SIMULATED)" if results.simulated else "",
        "run_id": results.run_id,
        "split": material.label,
        "mode": material.spec.mode.value,
        "host_title": one_line(results.host_title),
        "headline": against or advice.headline,
        "reasons": (advice.headline, *advice.reasons) if against else advice.reasons,
        "remark": material.chosen.remark,
        "pcpus": material.facts.pcpus,
        "rows": _rows(material),
        "conditions": _conditions(material),
    }


def scope_of(material: Material, groups: str) -> str:
    """Return what the split limits and what it does not; `groups` is what the parameters belong to."""
    if material.spec.mode is Mode.PARTITION:
        return (
            f"The two limits add up to one CPU at most: together the {groups} get no more, wherever they run.\n"
            "What one leaves, the other does not take. Measured with both on the same CPU."
        )
    return (
        f"Weights limit nothing: they decide who waits while both {groups} want the same CPU. They mean something\n"
        f"only between {groups} that share CPUs. Measured with both on one CPU."
    )


def _rows(material: Material) -> list[tuple[str, str, str, str, str]]:
    rows: list[tuple[str, str, str, str, str]] = []
    for point in material.results.points:
        mean = f"{point.mean_tps:.1f}" if point.mean_tps is not None else "none" if point.held else "not held"
        span = f"{point.ci95_tps[0]:.1f} to {point.ci95_tps[1]:.1f}" if point.ci95_tps else "-"
        span += " (borrowed)" if point.borrowed else ""
        rows.append((point.split, point.load, mean, span, str(point.visits)))
    return rows


def _conditions(material: Material) -> list[tuple[str, str]]:
    facts = material.facts
    contended = ", ".join(map(str, facts.contended_cpus))
    fixed = [("CPUs", f"{facts.pcpus}, contended: {contended}"), ("scheduler", facts.scheduler)]
    fixed.append(("mode", material.spec.mode.value))
    fixed += [(f"vCPUs ({domain.id})", str(domain.vcpus)) for domain in facts.domains]
    return fixed + [(name, one_line(value)) for name, value in material.results.versions.items()]
