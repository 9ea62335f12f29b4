"""The folder of a lab: root runs its files, so only root may write to it."""

from pathlib import Path

from scheduler.errors import HostNotUsable
from scheduler.files import UnfitFile, refuse_foreign_way


def make_lab_folder(folder: Path) -> None:
    """Create the folder when it is missing.

    Raises:
        HostNotUsable: Another account could change it for root.
        OSError: It cannot be created.
    """
    try:
        refuse_foreign_way(folder / "lab")
    except UnfitFile as error:
        hint = "As root, set DOMTUNE_HOME to a folder that only root can change, or unset it."
        raise HostNotUsable(f"no lab can be kept in {folder}: {error.filename}: {error.why}", hint=hint) from error
    folder.mkdir(parents=True, exist_ok=True)
