"""Scripts that apply, verify, roll back and keep a split on a host with control groups, with their evidence.

Names are data: what comes from a plan or a host is quoted for the shell, cut to one line in comments, and escaped
as systemd-escape(1) does in names of units.
"""

import zipfile
from pathlib import Path

from scheduler.export.bundle_values import FLAVOURS, values_of
from scheduler.export.files import write_text
from scheduler.export.material import Material
from scheduler.export.templates import environment
from scheduler.model.results import Verdict

_SCRIPTS = {
    "apply.sh": "Sets the split now; gone after a reboot.",
    "verify.sh": "Compares the host with the split; changes nothing.",
    "rollback.sh": "Puts back what apply.sh found and takes away what persist.sh wrote.",
}
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the same sweep gives the same file


def refuses(material: Material) -> str:
    """Return why there can be no scripts for this sweep; empty when there can."""
    results = material.results
    if results.simulated:
        return "the sweep was simulated, and scripts for a real host need real evidence"
    if material.facts.scheduler not in FLAVOURS:
        return f"there are no scripts for {material.facts.scheduler!r} hosts yet, only for control groups"
    if results.recommendation.verdict is Verdict.NONE:
        return "there is no recommendation to apply"
    return ""


def write(material: Material, target: Path) -> tuple[Path, ...]:
    """Write the scripts into the folder `target`, or into one archive when its name ends in `.zip`."""
    texts = bundle_texts(material)
    if target.suffix == ".zip":
        _write_zip(target, texts)
        return (target,)
    target.mkdir(parents=True, exist_ok=True)
    return tuple(write_text(target / name, text, executable=name.endswith(".sh")) for name, text in texts.items())


def bundle_texts(material: Material) -> dict[str, str]:
    """Return file name to text."""
    templates = environment("bundle", autoescape=False)
    values = values_of(material)
    texts = {name: templates.get_template(f"{name}.j2").render(values, title=title) for name, title in _SCRIPTS.items()}
    texts["persist.sh"] = templates.get_template("persist.sh.j2").render(values)
    texts["README.txt"] = templates.get_template("README.txt.j2").render(values)
    return texts


def _write_zip(target: Path, texts: dict[str, str]) -> None:
    fresh = target.with_name(f".{target.name}.tmp")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                entry = zipfile.ZipInfo(f"{target.stem}/{name}", date_time=_ZIP_TIME)
                entry.external_attr = (0o100755 if name.endswith(".sh") else 0o100644) << 16
                archive.writestr(entry, text)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
