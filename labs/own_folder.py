"""The folder that a lab is kept in: root starts what lies there, so nobody else may have put it there."""

from pathlib import Path

from scheduler.errors import HostNotUsable
from scheduler.files import UnfitFile, refuse_foreign_way


def make_lab_folder(folder: Path) -> None:
    """Make it where it is missing; raises HostNotUsable where another account could change it for root, OSError."""
    try:
        refuse_foreign_way(folder / "lab")
    except UnfitFile as error:
        hint = "As root, set DOMTUNE_HOME to a folder that only root can change, or unset it."
        raise HostNotUsable(f"no lab can be kept in {folder}: {error.filename}: {error.why}", hint=hint) from error
    folder.mkdir(parents=True, exist_ok=True)
