"""Folders of the lab: images by fingerprint of their recipe, and the running lab."""

from pathlib import Path

from scheduler import places


def lab_dir() -> Path:
    """Return the folder of everything below; it may not exist yet."""
    return places.cache_dir() / "labs" / "xen"


def images_dir(fingerprint: str) -> Path:
    """Return the folder of the images that a recipe makes."""
    return lab_dir() / "images" / fingerprint


def running_dir() -> Path:
    """Return the folder that exists while a lab runs, or that a crashed one left."""
    return lab_dir() / "run"


def lock_path() -> Path:
    """Return the file that `up` and `down` lock."""
    return lab_dir() / "lock"


def last_console_path() -> Path:
    """Return the copy of the console of a lab that did not start."""
    return lab_dir() / "last-console.log"
