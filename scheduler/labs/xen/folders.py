"""Where the lab is kept: images by fingerprint of their recipe, and one folder for the one that runs."""

from pathlib import Path

from scheduler import places


def base() -> Path:
    """Return the folder of everything below; it may not exist yet."""
    return places.cache_dir() / "labs" / "xen"


def images(fingerprint: str) -> Path:
    """Return the folder of the images that a recipe makes."""
    return base() / "images" / fingerprint


def running() -> Path:
    """Return the folder that exists as long as a lab runs, or is left from one that crashed."""
    return base() / "run"


def lock() -> Path:
    """Return the file that `up` and `down` hold."""
    return base() / "lock"


def last_console() -> Path:
    """Return where the console of a lab that did not start is kept."""
    return base() / "last-console.log"
