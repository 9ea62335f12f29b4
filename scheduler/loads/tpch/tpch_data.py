"""Rows of the tables, made by `tpchgen-cli` and cached by scale and version.

It makes the values of TPC-H's dbgen. The data of 4.0.0 give the published answers at scale 1.
"""

import importlib.metadata
import logging
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scheduler import places
from scheduler.children import find_program
from scheduler.errors import LoadError
from scheduler.files import open_regular, refuse_foreign_way
from scheduler.loads.engines.program import ProgramJob, SupervisedProgram
from scheduler.loads.tpch.tpch_schema import NAMES, scale_text
from scheduler.translation import _
from scheduler.waiting import check_abort

log = logging.getLogger(__name__)

DELIMITER = "|"
"""Separator of the values of a row. No value contains a separator or a quote."""

_PACKAGE, _PROGRAM = "tpchgen-cli", "tpchgen-cli"
_NAP_S = 0.05
_CHUNK_BYTES = 1 << 20
_BYTES_PER_SCALE = 1_150_000_000  # for the files; the tables need 1.5 times as much
_LEAST_BYTES = 20_000_000


def generator_version() -> str:
    """Return the version of tpchgen-cli.

    Raises:
        LoadError: The program is not installed.
    """
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError as error:
        raise LoadError(
            _("tpch needs {program}, which is not installed").format(program=_PROGRAM), hint=f"pip install {_PACKAGE}"
        ) from error


def find_generator() -> Path:
    """Return the path of tpchgen-cli, from this Python's scripts or from PATH.

    Raises:
        LoadError: The program is not installed.
    """
    path = Path(sysconfig.get_path("scripts"), _PROGRAM)
    found = str(path) if os.access(path, os.X_OK) else find_program(_PROGRAM)
    if not found:
        raise LoadError(
            _("tpch needs {program}, and {path} is not there").format(program=_PROGRAM, path=path),
            hint=f"pip install {_PACKAGE}",
        )
    return Path(found)


def ensure_files(scale: float) -> Path:
    """Return the folder with the eight files of a scale; make missing files.

    Raises:
        LoadError: The files cannot be made or stored.
    """
    folder = cache_folder() / f"{generator_version()}-{scale_text(scale)}"
    try:
        refuse_foreign_way(folder)
        if not _is_whole(folder):
            _make_folder(folder, scale)
    except OSError as error:
        raise LoadError(
            _("the data of tpch cannot be kept in {parent}: {strerror}").format(
                parent=folder.parent, strerror=error.strerror or error
            ),
            hint=_("Free some space."),
        ) from error
    return folder


def cache_folder() -> Path:
    """Return the folder for the files of all scales."""
    return places.cache_dir() / "tpch-data"


def _is_whole(folder: Path) -> bool:
    return all((folder / f"{name}.tbl").is_file() for name in NAMES)


def _make_folder(folder: Path, scale: float) -> None:
    """Make the files in a temporary folder, then rename it.

    So an interrupted run leaves no incomplete folder under the final name.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    _refuse_full_disk(folder.parent, scale)
    making = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        log.info("%s makes the data of scale %s", _PROGRAM, scale_text(scale))
        _run_generator(making, scale)
        if not _is_whole(folder):  # another sweep may have made the same files in the meantime
            shutil.rmtree(folder, ignore_errors=True)
            making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _refuse_full_disk(folder: Path, scale: float) -> None:
    free, needed = shutil.disk_usage(folder).free, int(scale * _BYTES_PER_SCALE) + _LEAST_BYTES
    if free < needed:
        raise LoadError(
            _("the data of tpch at scale {scale} need {needed:.0f} MB in {folder}, {free:.0f} MB are free").format(
                scale=scale_text(scale), needed=needed / 1000000.0, folder=folder, free=free / 1000000.0
            ),
            hint=_("Free some space, or take a smaller scale."),
        )


def _run_generator(folder: Path, scale: float) -> None:
    words = (str(find_generator()), "tbl", f"--scale-factor={scale_text(scale)}", f"--output-dir={folder}")
    made = SupervisedProgram(ProgramJob(words=(*words, "--quiet", "--num-threads=1")))
    try:
        while made.wait(_NAP_S) is None:
            check_abort()
            made.lines()
        lacking = [name for name in NAMES if not (folder / f"{name}.tbl").is_file()]
        if made.status or lacking:
            raise LoadError(
                _("{program} could not make the data of scale {scale} (status {status}): {last_words}").format(
                    program=_PROGRAM,
                    scale=scale_text(scale),
                    status=made.status,
                    last_words=made.last_words or _("no output"),
                ),
                hint=_("Check the free disk space."),
            )
    finally:
        made.end()


def read_chunks(folder: Path, table: str) -> Iterator[bytes]:
    """Yield whole lines of a table's file, without the separator at each line's end.

    Args:
        folder: Folder of the scale's files.
        table: Name of the table.

    Raises:
        LoadError: The file is not readable.
    """
    path = folder / f"{table}.tbl"
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            rest = b""
            while chunk := file.read(_CHUNK_BYTES):
                whole, end, rest = (rest + chunk).rpartition(b"\n")
                yield (whole + end).replace(b"|\n", b"\n")
    except OSError as error:
        raise LoadError(
            _("{path} cannot be read: {strerror}").format(path=path, strerror=error.strerror),
            hint=_("Remove its folder. DomTune creates the data again."),
        ) from error


def count_rows(folder: Path, table: str) -> int:
    """Return the number of rows in a table's file.

    Args:
        folder: Folder of the scale's files.
        table: Name of the table.
    """
    return sum(chunk.count(b"\n") for chunk in read_chunks(folder, table))
