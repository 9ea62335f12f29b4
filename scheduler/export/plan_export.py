"""Export of a sweep's plan file, to run the plan again."""

from pathlib import Path

from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial
from scheduler.export.weights_remark import weights_remark
from scheduler.model.plan_file import write_plan


def write_plan_export(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the plan, with a comment on the run.

    Args:
        material: The sweep.
        target: File of the plan.
    """
    results = material.results
    simulated = ", simulated" if results.simulated else ""
    head = f"# Plan of run {results.run_id}{simulated}. Run it again: domtune run {target.name}\n"
    if remark := weights_remark(results, material.spec):
        head += f"# {remark}\n"
    return (write_text(target, head + write_plan(material.spec)),)
