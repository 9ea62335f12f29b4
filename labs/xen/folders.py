"""Where the lab is kept: images by fingerprint of their recipe, and one folder for the one that runs."""

from pathlib import Path

from scheduler import places


def lab_dir() -> Path:
    """Return the folder of everything below; it may not exist yet."""
    return places.cache_dir() / "labs" / "xen"


def images_dir(fingerprint: str) -> Path:
    """Return the folder of the images that a recipe makes."""
    return lab_dir() / "images" / fingerprint


def running_dir() -> Path:
    """Return the folder that exists as long as a lab runs, or is left from one that crashed."""
    return lab_dir() / "run"


def lock_path() -> Path:
    """Return the file that `up` and `down` hold."""
    return lab_dir() / "lock"


def last_console_path() -> Path:
    """Return where the console of a lab that did not start is kept."""
    return lab_dir() / "last-console.log"
