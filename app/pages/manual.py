"""Files of the manual and of the licences."""

from collections.abc import Sequence
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from app.widgets.document_reader import DocumentSection
from scheduler.translation import _

_FIRST = "tutorial/ten-minutes.md"
_PAGES = {
    "live": "explanation/how-it-works.md",
    "result": "explanation/how-domtune-decides.md",
    "lessons": "how-to/teach-a-course.md",
    "watch": "how-to/watch-a-host.md",
    "follow": "how-to/follow-a-load.md",
    "splits": "reference/splits.md",
    "loads": "explanation/loads.md",
    "protocol": "explanation/how-domtune-decides.md",
}
_NAMES = ("LICEN", "COPYING", "COPYRIGHT", "NOTICE")
_QT = {"PySide6_Essentials": ("LGPL-3.0.txt", "GPL-3.0.txt")}  # the package has no text; the LGPL refers to the GPL


def page_for(place: str) -> Path:
    """Return the manual's page for a page of the window or of the wizard."""
    return _resource_folder("docs") / _PAGES.get(place, _FIRST)


@cache
def manual_sections() -> tuple[DocumentSection, ...]:
    """Return the sections of the manual, the lesson first."""
    titles = {
        "tutorial": _("Lesson"),
        "how-to": _("How to"),
        "explanation": _("How it works"),
        "reference": _("Reference"),
    }
    return tuple(
        DocumentSection(title, tuple(_list_pages(_resource_folder("docs") / folder)))
        for folder, title in titles.items()
    )


def licence_sections(parts: Sequence[str]) -> tuple[DocumentSection, ...]:
    """Return the licence texts of DomTune and of installed packages.

    Qt's package has no licence text; its texts are resources of DomTune.
    """
    found = ((part, _licence_texts(part)) for part in ("domtune", *parts))
    return tuple(DocumentSection(part, texts) for part, texts in found if texts)


def _resource_folder(name: str) -> Path:
    return Path(str(files("resources"))) / name


def _list_pages(folder: Path) -> list[tuple[str, Path]]:
    return [(_page_title(path), path) for path in sorted(folder.glob("*.md"))]


def _page_title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().lstrip("#").strip()


def _licence_texts(part: str) -> tuple[tuple[str, Path], ...]:
    if part in _QT:
        return tuple((name, _resource_folder("licences") / name) for name in _QT[part])
    try:
        listed = metadata.files(part) or []
    except metadata.PackageNotFoundError:
        return ()
    named = [file for file in listed if file.name.upper().startswith(_NAMES)]
    paths = {str(file).rpartition("licenses/")[2] or file.name: Path(str(file.locate())) for file in named}
    return tuple((name, path) for name, path in sorted(paths.items()) if path.is_file())
