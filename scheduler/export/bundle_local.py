"""Scripts that apply, verify, roll back and keep a split on a host with control groups, with their evidence.

Names are data: what comes from a plan or a host is quoted for the shell, cut to one line in comments, and escaped
as systemd-escape(1) does in names of units.
"""

from scheduler.export.bundle_values import values_of
from scheduler.export.material import Material
from scheduler.export.templates import environment

_SCRIPTS = {
    "apply.sh": "Sets the split now; gone after a reboot.",
    "verify.sh": "Compares the host with the split; changes nothing.",
    "rollback.sh": "Puts back what apply.sh found and takes away what persist.sh wrote.",
}


def bundle_texts(material: Material) -> dict[str, str]:
    """Return file name to text."""
    templates = environment("bundle", autoescape=False)
    values = values_of(material)
    texts = {name: templates.get_template(f"{name}.j2").render(values, title=title) for name, title in _SCRIPTS.items()}
    texts["persist.sh"] = templates.get_template("persist.sh.j2").render(values)
    texts["README.txt"] = templates.get_template("README.txt.j2").render(values)
    return texts
