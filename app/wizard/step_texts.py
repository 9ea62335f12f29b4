"""Names of the steps, and the mistakes on each of them."""

from collections.abc import Mapping

from app.studies.text_registry import study_texts_of
from app.wizard.page_names import page_of
from scheduler.model.studies import SPLIT
from scheduler.translation import _


def problem_lines(messages: Mapping[str, str], study: str = SPLIT) -> str:
    """Return all mistakes as text, one line per page.

    Args:
        messages: Field of the form to its mistake.
        study: Name of the study.
    """
    pages: dict[str, list[str]] = {}
    for name, text in messages.items():
        pages.setdefault(page_of(name), []).append(text)
    return "\n".join(f"{step_name(page, study)}: {' '.join(dict.fromkeys(texts))}" for page, texts in pages.items())


def step_name(page: str, study: str = SPLIT) -> str:
    """Return the name of a step; the study names the splits step.

    Args:
        page: Name of the page, one of `page_names.PAGES`.
        study: Name of the study.
    """
    words = study_texts_of(study)
    names = {
        "host": _("Host"),
        "domains": _("Domains"),
        "splits": words.splits_step() if words else _("Mode and splits"),
        "loads": _("Loads"),
        "protocol": _("Protocol"),
        "review": _("Review"),
    }
    return names[page]
