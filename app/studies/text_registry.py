"""The studies that have words of their own in the window; the split study's are those of the window itself."""

from typing import cast

from app.studies.capacity import capacity_texts as capacity
from app.studies.isolation import isolation_texts as isolation
from app.studies.overhead import overhead_texts as overhead
from app.studies.scaling import scaling_texts as scaling
from app.studies.study_texts import HasStudyTexts
from scheduler.model.studies import CAPACITY, ISOLATION, OVERHEAD, SCALE_UP, SPLIT

_WORDS = {CAPACITY: capacity, OVERHEAD: overhead, SCALE_UP: scaling, ISOLATION: isolation}


def is_asked(study: str) -> bool:
    """Return whether the wizard asks the question of a study; others run from the command line only."""
    return study == SPLIT or study in _WORDS


def study_texts_of(study: str) -> HasStudyTexts | None:
    """Return what the wizard says of a study; None for the split study."""
    found = _WORDS.get(study)
    return cast("HasStudyTexts", found) if found is not None else None
