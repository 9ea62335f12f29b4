"""Bundle of scripts that apply, verify, roll back and persist a split.

The bundle holds the evidence for the split, and serves every kind of host.
"""

import zipfile
from pathlib import Path

from scheduler.export import bundle_domains, bundle_local
from scheduler.export.bundle_files import bundle_files
from scheduler.export.bundle_local import CGROUP_LIMITS
from scheduler.export.bundle_placement import find_placements
from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial
from scheduler.export.split_config import SplitConfig
from scheduler.model.named_split import describe_refusal, refusal_hint
from scheduler.model.scheduler_params import CGROUP_V1
from scheduler.model.spec import Mode
from scheduler.model.studies import no_split_reason
from scheduler.translation import _

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # a fixed time, so that the same sweep makes the same file


def bundle_refusal(material: ExportMaterial) -> str:
    """Return the reason against scripts for this sweep; empty when they are possible."""
    results = material.results
    if why := no_split_reason(results.study):
        return why
    if results.simulated:
        return _("the sweep was simulated, and scripts for a real host need real evidence")
    measured = dict.fromkeys(point.setting for point in results.points if point.trials and point.setting is not None)
    if material.split and material.split not in measured:
        measured = ", ".join(setting.label for setting in measured) or "none"
        return _("{label} was not measured by run {run_id}, only {measured}").format(
            label=material.split.label, run_id=results.run_id, measured=measured
        )
    if material.setting is None:
        answer = results.answer
        return f"{describe_refusal(answer, results.run_id)}. {refusal_hint(answer).rstrip('.')}"
    return script_refusal(material)


def script_refusal(split: SplitConfig) -> str:
    """Return the reason against scripts for this kind of host; empty if possible."""
    if split.facts.scheduler not in CGROUP_LIMITS:
        return bundle_domains.domains_refusal(split)
    if split.facts.scheduler == CGROUP_V1.scheduler and find_placements(split):
        return _("systemd places units on CPUs under version 2 of control groups only")
    return ""


def bundle_texts(split: SplitConfig) -> dict[str, str]:
    """Return the texts of the bundle by file name.

    Raises:
        SpecError: A name or a parameter cannot be written into the bundle.
    """
    if split.facts.scheduler in CGROUP_LIMITS:
        return bundle_files(split, bundle_local.group_content(split), one_cpu=False)
    cpus = {cpu for each in split.facts.domains for cpu in each.cpus}
    # The scripts set a placement themselves.
    one_cpu = split.mode is Mode.CAPS and len(cpus) <= 1 and not find_placements(split)
    return bundle_files(split, bundle_domains.domain_content(split), one_cpu=one_cpu)


def write_bundle(split: SplitConfig, target: Path) -> tuple[Path, ...]:
    """Write the scripts into a folder or an archive; return the files written.

    Args:
        split: The split and its evidence.
        target: The folder, or the archive when its name ends in `.zip`.
    """
    texts = bundle_texts(split)
    if target.suffix == ".zip":
        _write_zip(target, texts)
        return (target,)
    target.mkdir(parents=True, exist_ok=True)
    (target / "parts").mkdir(exist_ok=True)
    return tuple(write_text(target / name, text, executable=_is_script(name)) for name, text in texts.items())


def _is_script(name: str) -> bool:
    return name.endswith(".sh") and "/" not in name


def _write_zip(target: Path, texts: dict[str, str]) -> None:
    fresh = target.with_name(f".{target.name}.tmp")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                entry = zipfile.ZipInfo(f"{target.stem}/{name}", date_time=_ZIP_TIME)
                entry.external_attr = (0o100755 if _is_script(name) else 0o100644) << 16
                archive.writestr(entry, text)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
