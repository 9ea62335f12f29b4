"""Writing of exports without replacing the user's files unasked.

An export is written to a temporary folder first, then moved to its target.
"""

import os
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from scheduler.errors import FilesExist


def write_guarded(
    write: Callable[[Path], tuple[Path, ...]], target: Path, may: Collection[Path] | None
) -> tuple[Path, ...]:
    """Write an export completely or not at all; return its files.

    Args:
        write: Function that writes the export to a path and returns the files.
        target: File or folder of the export.
        may: Files that may be replaced; None for all.

    Raises:
        FilesExist: The export would replace files that are not in `may`; nothing was written.
        OSError: The export could not be written.
    """
    with tempfile.TemporaryDirectory(prefix=".domtune-export-", dir=target.parent) as folder:
        aside = Path(folder, target.name)
        pairs = [(path, target.parent / path.relative_to(folder)) for path in write(aside)]
        _refuse_replacing([path for _, path in pairs if os.path.lexists(path)], may)
        for fresh, path in pairs:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.replace(path)
    return tuple(path for _, path in pairs)


def _refuse_replacing(there: list[Path], may: Collection[Path] | None) -> None:
    unasked = [path for path in there if may is not None and path not in may]
    if unasked:
        raise FilesExist("--out", unasked)
