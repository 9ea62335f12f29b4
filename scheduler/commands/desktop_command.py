"""`domtune desktop`: menu entry, icon and file type for this account.

A package writes the same files for all accounts: `resources/desktop/places.tsv` lists them for both.
"""

import argparse
import os
from importlib.resources import files
from pathlib import Path

from scheduler.children import find_program, python_module, run_and_capture
from scheduler.commands.command_output import print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.errors import StoreError
from scheduler.export.files import write_text
from scheduler.translation import _

_UPDATES = (("update-desktop-database", "applications"), ("update-mime-database", "mime"))
_LIMIT_S = 30.0


def desktop(arguments: argparse.Namespace) -> int:
    """Write or remove the files, and print their paths.

    Raises:
        StoreError: A file cannot be written or removed.
    """
    folder = data_folder()
    try:
        changed = install_files(folder) if arguments.action == "install" else remove_files(folder)
    except OSError as error:
        hint = _("Set XDG_DATA_HOME to a folder that you can write to.")
        raise StoreError(
            _("{filename} cannot be changed: {strerror}").format(
                filename=error.filename or folder, strerror=error.strerror
            ),
            hint=hint,
        ) from error
    print_lines(*(f"{'wrote' if arguments.action == 'install' else 'removed'} {path}" for path in changed))
    if not changed:
        print_lines(_("There is nothing to remove."))
    _update_caches(folder)
    return ExitCode.DONE


def data_folder() -> Path:
    """Return the folder for desktop files: XDG_DATA_HOME, or ~/.local/share."""
    chosen = os.environ.get("XDG_DATA_HOME", "")
    return Path(chosen) if chosen.startswith("/") else Path.home() / ".local/share"


def list_places() -> dict[str, str]:
    """Return each file in `resources` with its place below a data folder."""
    text = files("resources").joinpath("desktop", "places.tsv").read_text(encoding="utf-8")
    pairs = (line.partition("\t") for line in text.splitlines()[1:])
    return {source: place for source, _, place in pairs}


def install_files(folder: Path) -> list[Path]:
    """Write the files and return their paths.

    The entry starts this installation, not another `domtune` of the PATH.
    """
    written: list[Path] = []
    for source, place in list_places().items():
        text = files("resources").joinpath(*source.split("/")).read_text(encoding="utf-8")
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        written.append(write_text(path, text.replace("\nExec=domtune ", f"\nExec={_own_program()} ")))
    return written


def remove_files(folder: Path) -> list[Path]:
    """Remove the files and return the paths of those that existed."""
    removed: list[Path] = []
    for place in list_places().values():
        path = folder / place
        if path.is_file():
            path.unlink()
            removed.append(path)
    return removed


def _own_program() -> str:
    """Return this installation's `domtune`, quoted for a desktop entry."""
    words = python_module("app")
    program = Path(words[0]).with_name("domtune")
    words = [str(program)] if program.is_file() else words
    return " ".join(_quote(word) for word in words)


def _quote(word: str) -> str:
    escaped = "".join(f"\\\\{char}" if char in '"`$\\' else "%%" if char == "%" else char for char in word)
    return f'"{escaped}"' if not word.replace("/", "").replace("-", "").replace(".", "").isalnum() else word


def _update_caches(folder: Path) -> None:
    """Update the desktop's caches with its programs, where they are installed."""
    for program, part in _UPDATES:
        if (path := find_program(program)) and (folder / part).is_dir():
            run_and_capture([path, str(folder / part)], _LIMIT_S)
