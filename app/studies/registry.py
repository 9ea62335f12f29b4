"""The studies that have words of their own in the window; the split study's are those of the window itself."""

from typing import cast

from app.studies.base import StudyWords
from app.studies.capacity import words as capacity
from app.studies.isolation import words as isolation
from app.studies.overhead import words as overhead
from app.studies.scaling import words as scaling
from scheduler.model.studies import CAPACITY, ISOLATION, OVERHEAD, SCALE_UP

_WORDS = {CAPACITY: capacity, OVERHEAD: overhead, SCALE_UP: scaling, ISOLATION: isolation}


def words_of(study: str) -> StudyWords | None:
    """Return what the wizard says of a study; None for the split study."""
    found = _WORDS.get(study)
    return cast("StudyWords", found) if found is not None else None
