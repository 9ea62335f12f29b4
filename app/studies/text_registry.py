"""Registry of the studies with wizard texts of their own.

The texts are module `NAME_texts` of the study's folder in `app/studies`. The split study has none: its texts are those
of the wizard itself.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from app.studies.study_texts import HasStudyTexts
from scheduler.model.studies import STUDIES


def is_asked(study: str) -> bool:
    """Return True if the wizard offers a study; others need the command line."""
    return STUDIES[study].recommends_split or study_texts_of(study) is not None


@cache
def study_texts_of(study: str) -> HasStudyTexts | None:
    """Return the wizard texts of a study; None for the split study."""
    folder = STUDIES[study].module.rpartition(".")[2]
    package = f"app.studies.{folder}"
    if find_spec(package) is None:
        return None
    return cast("HasStudyTexts", import_module(f"{package}.{folder}_texts"))
