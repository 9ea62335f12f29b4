"""Check for system libraries that Qt lacks, with the packages that contain them.

Qt aborts if a library of its platform plug-in is missing. The import of Qt fails if one of Qt's own libraries is
missing. The dynamic linker knows all of them: this module loads the plug-in that Qt would load next. The check takes 12
ms, which the import of Qt then saves.
"""

import ctypes
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from scheduler.translation import _

_NOT_THERE = re.compile(r"^(\S+): cannot open shared object file: No such file")
_INSTALL = {
    "debian": "sudo apt-get install --no-install-recommends",
    "fedora": "sudo dnf install",
    "arch": "sudo pacman -S",
    "suse": "sudo zypper install",
}


def plugin_load_error(plugin: str) -> str:
    """Return the reason why Qt could not load a platform plug-in; empty if it can.

    The reason is a sentence without a full stop.

    Args:
        plugin: Name of the plug-in, for example `xcb`. A plug-in that PySide6 lacks is not checked.
    """
    path = _plugin_path(plugin)
    return library_load_error(path) if path is not None else ""


def library_load_error(path: Path) -> str:
    """Return the reason why a shared library cannot be loaded; empty if it can.

    The reason is a sentence without a full stop.
    """
    try:
        ctypes.CDLL(str(path))
    except OSError as error:
        named = _NOT_THERE.match(str(error))
        if named is None:
            return _("Qt cannot load {path}: {error}").format(path=path.name, error=error)
        missing = _list_missing(named[1], path.name)
        return _("the window needs {missing} of this system; {install_advice}").format(
            missing=", ".join(missing), install_advice=install_advice(missing, _detect_family())
        )
    return ""


def install_advice(libraries: Iterable[str], family: str) -> str:
    """Return the command that installs libraries, or general advice.

    Args:
        libraries: File names, for example `libxcb-cursor.so.0`.
        family: Column of `resources/qt-libraries.tsv`; empty for an unknown distribution.
    """
    rows = _read_packages()
    packages = sorted({rows[library][family] for library in libraries if family in rows.get(library, {})})
    if not packages:
        return _("install the packages of your distribution that contain them")
    return _("install them: {install} {packages}").format(install=_INSTALL[family], packages=" ".join(packages))


def family_of(release: dict[str, str]) -> str:
    """Return the family of a distribution by its os-release(5); empty if unknown.

    A family is a column of `resources/qt-libraries.tsv`.
    """
    names = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".split()
    known = ({"rhel": "fedora", "ubuntu": "debian"}.get(name, "suse" if "suse" in name else name) for name in names)
    return next((name for name in known if name in _INSTALL), "")


def _list_missing(first: str, plugin: str) -> list[str]:
    """Return all libraries that the plug-in lacks.

    The dynamic linker reports only one at a time.
    """
    missing = {first}
    for library in _read_packages():
        # The Wayland plug-in needs no X library, and the X plug-in no Wayland library.
        if library.startswith("libwayland-") and "wayland" not in plugin:
            continue
        if library.startswith("libxcb-") and "xcb" not in plugin:
            continue
        try:
            ctypes.CDLL(library)
        except OSError:
            missing.add(library)
    return sorted(missing)


def _read_packages() -> dict[str, dict[str, str]]:
    """Return the package of each library by family of distributions."""
    from importlib.resources import files  # a slow import that the window does not need

    text = files("resources").joinpath("qt-libraries.tsv").read_text("utf-8")
    header, *rows = (line.split("\t") for line in text.splitlines())
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def _detect_family() -> str:
    import platform

    try:
        return family_of(platform.freedesktop_os_release())
    except OSError:
        return ""


def _plugin_path(name: str) -> Path | None:
    spec = find_spec("PySide6")  # do not import Qt, which could fail here
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "Qt/plugins/platforms", f"libq{name}.so")
        if path.is_file():
            return path
    return None
