"""Name the libraries of the system that Qt lacks here, and the packages that bring them.

Qt aborts without a library of its platform plug-in, and its import fails without one of its own. The dynamic linker
knows all of them: load the plug-in that Qt would load next. That takes 12 ms, which the import of Qt then saves.
"""

import ctypes
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

_NOT_THERE = re.compile(r"^(\S+): cannot open shared object file: No such file")
_INSTALL = {
    "debian": "sudo apt-get install --no-install-recommends",
    "fedora": "sudo dnf install",
    "arch": "sudo pacman -S",
    "suse": "sudo zypper install",
}


def plugin_load_error(plugin: str) -> str:
    """Return why Qt could not load a platform plug-in, as a sentence without a full stop; empty when it can.

    Args:
        plugin: Name of the plug-in, for example `xcb`. One that PySide6 does not bring is not judged.
    """
    path = _plugin_path(plugin)
    return library_load_error(path) if path is not None else ""


def library_load_error(path: Path) -> str:
    """Return why a shared object cannot be loaded, as a sentence without a full stop; empty when it can."""
    try:
        ctypes.CDLL(str(path))
    except OSError as error:
        named = _NOT_THERE.match(str(error))
        if named is None:
            return f"Qt cannot load {path.name}: {error}"
        missing = _list_missing(named[1], path.name)
        return f"the window needs {', '.join(missing)} of this system; {install_advice(missing, _detect_family())}"
    return ""


def install_advice(libraries: Iterable[str], family: str) -> str:
    """Return the command that installs libraries, or what to look for on an unknown distribution.

    Args:
        libraries: Their file names, for example `libxcb-cursor.so.0`.
        family: A column of `resources/qt-libraries.tsv`; empty for an unknown distribution.
    """
    rows = _read_packages()
    packages = sorted({rows[library][family] for library in libraries if family in rows.get(library, {})})
    if not packages:
        return "install the packages of your distribution that contain them"
    return f"install them: {_INSTALL[family]} {' '.join(packages)}"


def family_of(release: dict[str, str]) -> str:
    """Return the family of a distribution by its os-release(5): a column of the table; empty if unknown."""
    names = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".split()
    known = ({"rhel": "fedora", "ubuntu": "debian"}.get(name, "suse" if "suse" in name else name) for name in names)
    return next((name for name in known if name in _INSTALL), "")


def _list_missing(first: str, plugin: str) -> list[str]:
    """Return all libraries that the plug-in lacks: the dynamic linker names one at a time."""
    missing = {first}
    for library in _read_packages():
        # A session of Wayland needs none of X's plug-in, and the reverse.
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
    """Return each library's package by family of distributions."""
    from importlib.resources import files  # only here: the window starts without

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
    spec = find_spec("PySide6")  # found, not imported: that would fail first
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "Qt/plugins/platforms", f"libq{name}.so")
        if path.is_file():
            return path
    return None
