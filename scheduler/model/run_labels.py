"""Labels of a run: name, tags and note of the user, which may be changed later."""

import msgspec

from scheduler.errors import SpecError
from scheduler.translation import _

MOST_TITLE, MOST_NOTE, MOST_TAG, MOST_TAGS = 200, 4_000, 40, 20


class RunLabels(msgspec.Struct, frozen=True, kw_only=True):
    """A run's name, tags and note.

    Attributes:
        title: Its name, in one line; empty for that of its plan.
        tags: Words for it, each once, without commas.
        note: Text of any number of lines.

    Raises:
        SpecError: A text is too long, or cannot be shown in a list.
    """

    title: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        _check_text("name", self.title, MOST_TITLE, one_line=True)
        _check_text("note", self.note, MOST_NOTE, one_line=False)
        for tag in self.tags:
            _check_text("tag", tag, MOST_TAG, one_line=True)
            if not tag.strip() or "," in tag or tag.startswith("-"):
                hint = _("A tag is a word or a few, without a comma, and begins with no '-'.")
                raise SpecError("tag", _("{tag!r} is no tag").format(tag=tag), hint=hint)
        if len(self.tags) > MOST_TAGS or len(set(self.tags)) < len(self.tags):
            raise SpecError(
                "tag",
                _("{count} tags").format(count=len(self.tags)),
                hint=_("At most {most_tags} tags, each once.").format(most_tags=MOST_TAGS),
            )


def _check_text(what: str, text: str, most: int, *, one_line: bool) -> None:
    if len(text) > most:
        raise SpecError(
            what, _("it has {count} characters").format(count=len(text)), hint=_("At most {most}.").format(most=most)
        )
    allowed = () if one_line else ("\n", "\t")
    strange = next((sign for sign in text if not sign.isprintable() and sign not in allowed), "")
    if strange:
        raise SpecError(
            what, _("it holds {strange!r}").format(strange=strange), hint=_("Use letters, digits, signs and spaces.")
        )
