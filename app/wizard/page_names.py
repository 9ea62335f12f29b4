"""Names of the wizard's pages, and the page of each field of the form; no Qt here."""

from app.wizard.form_fields import WINDOWS
from app.wizard.mix_fields import MIXES
from scheduler.model.studies import STUDIES

PAGES = ("host", "domains", "splits", "loads", "protocol", "review")

PAGE_OF = {
    "study": "host",
    "host": "host",
    "scheduler": "host",
    "machine": "host",
    "domains": "domains",
    "cpus": "domains",
    "name": "review",
    "mode": "splits",
    "splits": "splits",
    "period_ms": "splits",
    "loads": "loads",
    "weights": "loads",
    **dict.fromkeys(("objective", "baseline", "history", "clients", "second", "server", MIXES), "loads"),
    **{path: "splits" if study.mode else "loads" for study in STUDIES.values() for path in study.own_keys},
    **{key.name: "splits" for study in STUDIES.values() for key in study.setting_keys},
    **dict.fromkeys(("reference", "threes"), "splits"),
    **dict.fromkeys(("protocol", "windows", *WINDOWS, "refine", "seed", "objective.tolerance_frac"), "protocol"),
}


def page_of(name: str) -> str:
    """Return the page of a field."""
    return PAGE_OF.get(name) or PAGE_OF[name.partition("[")[0].partition(".")[0]]
