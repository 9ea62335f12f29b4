"""Templates that come with the program. Jinja2 is imported on use; it would slow the window's start."""

import shlex
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from jinja2 import Environment


def template_environment(folder: str, *, autoescape: bool) -> "Environment":
    """Return the templates of `resources/FOLDER`; a name that is not given to a template is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(name: str) -> str:
        return files("resources").joinpath(folder, name).read_text(encoding="utf-8")

    templates = Environment(
        loader=FunctionLoader(load), autoescape=autoescape, undefined=StrictUndefined, keep_trailing_newline=True
    )
    filters = cast("dict[str, Callable[..., str]]", templates.filters)  # pyright: ignore[reportUnknownMemberType]
    filters.update(sh=shlex.quote, comment=single_line)
    return templates


def single_line(text: str) -> str:
    """Keep a text inside the comment that it stands in."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
