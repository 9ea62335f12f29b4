"""Files of the user's are never replaced unasked: an export is written aside first, then moved to where it belongs."""

import os
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from scheduler.errors import FilesExist


def write_guarded(
    write: Callable[[Path], tuple[Path, ...]], target: Path, may: Collection[Path] | None
) -> tuple[Path, ...]:
    """Write an export whole or not at all; return its files.

    Args:
        write: Writes it to a path and returns the files.
        target: File or folder where it belongs.
        may: Files that may be replaced; None for all.

    Raises:
        FilesThere: It would replace files that nobody named; nothing was written.
        OSError: It could not be written.
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
