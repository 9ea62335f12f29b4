"""Reads the papers that come with the program: `resources/papers/*.toml`."""

import tomllib
from functools import lru_cache
from importlib.resources import files

import msgspec

from scheduler.errors import StoreError
from scheduler.papers.paper_model import PublishedPaper

_FOLDER = "papers"


@lru_cache(maxsize=1)
def load_papers() -> tuple[PublishedPaper, ...]:
    """Return all papers, by id; raises StoreError for a file that does not hold a paper."""
    found = [entry for entry in files("resources").joinpath(_FOLDER).iterdir() if entry.name.endswith(".toml")]
    return tuple(parse_paper(entry.name, entry.read_text(encoding="utf-8")) for entry in sorted(found, key=_entry_name))


def parse_paper(name: str, text: str) -> PublishedPaper:
    """Read one paper.

    Args:
        name: Name of its file, for the error.
        text: What stands in it.

    Raises:
        StoreError: It does not hold a paper; says which key is wrong, and what was expected there.
    """
    try:
        return msgspec.convert(tomllib.loads(text), PublishedPaper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        hint = "The file comes with DomTune: install it again, or put the file right."
        raise StoreError(f"{_FOLDER}/{name} holds no paper: {error}", hint=hint) from error


def _entry_name(entry: object) -> str:
    return str(getattr(entry, "name", ""))
