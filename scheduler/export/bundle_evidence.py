"""Evidence of a bundle: source of the split, figures and conditions."""

from typing import Any

from scheduler.export.split_config import SplitConfig
from scheduler.export.templates import single_line
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.split import GUEST, IO

DOMAIN_TITLES = {IO: "I/O domain", GUEST: "Guest"}


def evidence_values(split: SplitConfig) -> dict[str, Any]:
    """Return the values of all templates by name."""
    told = split.evidence
    return {
        "simulated_mark": " (SIMULATED)" if told.simulated else "",
        "source": told.source,
        "split": split.label,
        "mode": split.mode.value,
        "host_title": single_line(told.host_title),
        "headline": told.headline,
        "weights_remark": told.weights_remark,
        "reasons": told.reasons,
        "remark": told.remark,
        "pcpus": split.facts.pcpus,
        "unit": told.unit,
        "rows": told.rows,
        "seen": told.seen,
        "again": told.again,
        "conditions": _evidence_conditions(split),
    }


def _evidence_conditions(split: SplitConfig) -> list[tuple[str, str]]:
    facts = split.facts
    contended = format_cpu_list(facts.shared_cpus)
    fixed = [("CPUs", f"{facts.pcpus}, contended: {contended}"), ("scheduler", facts.scheduler)]
    fixed.append(("mode", split.mode.value))
    fixed += [(f"vCPUs ({domain.id})", str(domain.vcpus)) for domain in facts.domains]
    return fixed + [(name, single_line(value)) for name, value in split.evidence.versions.items()]
