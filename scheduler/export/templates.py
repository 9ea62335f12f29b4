"""Templates of the program.

Jinja2 is imported on use, since its import would slow down the start of the window.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from scheduler.translation import _, language_tag, ngettext

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def template_environment(folder: str, *, autoescape: bool) -> "Environment":
    """Return the templates of a folder in `resources`.

    A missing value in a template is an error. A template is compiled once. Messages get the language of each rendering.

    Args:
        folder: Name of the folder.
        autoescape: True for HTML.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(name: str) -> str:
        return files("resources").joinpath(folder, name).read_text(encoding="utf-8")

    templates = Environment(
        loader=FunctionLoader(load), autoescape=autoescape, undefined=StrictUndefined, keep_trailing_newline=True
    )
    filters = cast("dict[str, Callable[..., str]]", templates.filters)  # pyright: ignore[reportUnknownMemberType]
    filters.update(comment=single_line)
    names = cast("dict[str, Callable[..., str]]", templates.globals)  # pyright: ignore[reportUnknownMemberType]
    names.update(_=_, ngettext=ngettext, language_tag=language_tag)
    return templates


def single_line(text: str) -> str:
    """Return a text as one line of printable characters, safe in a comment."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
