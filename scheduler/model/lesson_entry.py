"""Lesson of a plan: the student and the prediction before the measurement."""

import hashlib
import unicodedata

import msgspec

from scheduler.errors import SpecError
from scheduler.translation import _

LONGEST_LESSON = 40
"""Largest number of letters of a lesson's name."""
LONGEST_STUDENT = 60
"""Largest number of letters of a student's name."""
LONGEST_PREDICTION = 40
"""Largest number of letters of a prediction."""


class LessonEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lesson of a plan, in its table `[lesson]`; it does not change the measurement.

    Attributes:
        name: Name of the lesson, which is the name of its folder; empty for a plan outside of lessons.
        student: Name of the student.
        prediction: Prediction before the measurement: a split, a number of users, or percent.
    """

    name: str = ""
    student: str = ""
    prediction: str = ""

    def __post_init__(self) -> None:
        """Refuse texts that no lesson writes; raise SpecError."""
        limits = (("name", LONGEST_LESSON), ("student", LONGEST_STUDENT), ("prediction", LONGEST_PREDICTION))
        for field, longest in limits:
            text = getattr(self, field)
            if len(text) > longest:
                raise SpecError(
                    f"lesson.{field}",
                    _("is longer than {longest} letters").format(longest=longest),
                    hint=_("Shorten it."),
                )
            if not text.isprintable():
                raise SpecError(f"lesson.{field}", _("has unprintable characters"), hint=_("Write it on one line."))
        if not self.name and (self.student or self.prediction):
            field = "lesson.student" if self.student else "lesson.prediction"
            raise SpecError(field, _("has no effect without a lesson"), hint=_("Add lesson.name, or leave it out."))


def student_seed(student: str) -> int:
    """Return the seed of a student's runs, 0 to 2**32 - 1.

    Case, blanks and the way in which a letter is composed do not change the seed.

    Args:
        student: Name of the student.
    """
    plain = " ".join(unicodedata.normalize("NFKC", student).casefold().split())
    return int.from_bytes(hashlib.sha256(plain.encode("utf-8", "replace")).digest()[:4], "big")
