"""Registry of the studies with wizard texts of their own.

The split study has none: its texts are those of the wizard itself.
"""

from typing import cast

from app.studies.capacity import capacity_texts as capacity
from app.studies.isolation import isolation_texts as isolation
from app.studies.overhead import overhead_texts as overhead
from app.studies.scaling import scaling_texts as scaling
from app.studies.study_texts import HasStudyTexts
from scheduler.model.studies import CAPACITY, ISOLATION, OVERHEAD, SCALE_UP, SPLIT

_WORDS = {CAPACITY: capacity, OVERHEAD: overhead, SCALE_UP: scaling, ISOLATION: isolation}


def is_asked(study: str) -> bool:
    """Return True if the wizard offers a study; others need the command line."""
    return study == SPLIT or study in _WORDS


def study_texts_of(study: str) -> HasStudyTexts | None:
    """Return the wizard texts of a study; None for the split study."""
    found = _WORDS.get(study)
    return cast("HasStudyTexts", found) if found is not None else None
