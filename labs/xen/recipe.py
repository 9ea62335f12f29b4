"""Recipe of the images: its fingerprint, and the build.

A running lab only reads the images (its writes go to a temporary file), so one set serves every start until the
recipe changes.
"""

import hashlib
import os
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable
from pathlib import Path

from labs.xen import folders
from scheduler.children import environment_without_secrets, find_program
from scheduler.errors import HostNotUsable

RECIPE = Path(__file__).resolve().parents[2] / "packaging" / "lab" / "xen"
FILES = ("id", "id.pub", "dom0.img", "dom0.host-key", "vmlinuz", "initrd.img", "xen", "guest.img", "guest.host-key")
_PACKAGES = f"{RECIPE.parents[1] / 'apt-packages'} lab-xen"
RTDS = "xen-rtds"
_MISSING = 2  # the build's exit code when nothing was begun


def recipe_fingerprint(recipe: Path = RECIPE) -> str:
    """Return 16 letters that change with any file of the recipe; raises HostNotUsable."""
    files = sorted(path for path in recipe.glob("*") if path.is_file())
    if not files:
        raise HostNotUsable(
            f"the recipe of the Xen lab is not at {recipe}",
            hint="It is part of the source tree, not of an installed package: run DomTune from a checkout.",
        )
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def missing_files(folder: Path, scheduler: str) -> list[str]:
    """Return the missing files that a lab under this scheduler needs.

    Args:
        folder: Folder of the images.
        scheduler: Xen's scheduler.
    """
    needed = (*FILES, RTDS) if scheduler == "rtds" else FILES
    return [name for name in needed if not (folder / name).is_file()]


def provide_images(scheduler: str, say: Callable[[str], None]) -> Path:
    """Return the folder of complete images; build them if needed.

    Args:
        scheduler: Xen's scheduler.
        say: Called with every step.

    Raises:
        HostNotUsable: They cannot be built.
    """
    mark = recipe_fingerprint()
    folder = folders.images_dir(mark)
    if missing_files(folder, scheduler):
        folder.mkdir(parents=True, exist_ok=True)  # by us, so that it is ours when root builds into it
        _build_images(folder, scheduler, say)
    _drop_others(folder)
    return folder


def _build_images(folder: Path, scheduler: str, say: Callable[[str], None]) -> None:
    if not find_program("qemu-img"):  # the build does without it, and takes minutes
        say(f"qemu-img is not installed: no state will be saved, every start will be a boot; {_PACKAGES} installs it")
    say("building the images; about four minutes on two idle cores, longer when they are busy")
    words = [str(RECIPE / "build"), str(folder), *(["rtds"] if scheduler == "rtds" else [])]
    last: deque[str] = deque(maxlen=14)
    # A group of its own, so that all of it can be ended when we are.
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
        env=environment_without_secrets(),
    ) as build:
        try:
            for line in build.stdout or ():
                last.append(line.rstrip().removeprefix("lab: "))
                say(last[-1])
        except BaseException:
            os.killpg(build.pid, signal.SIGTERM)
            raise
    if build.returncode == _MISSING:
        problem, *hint = last
        raise HostNotUsable(f"the lab's images are not built: {problem}", hint=" ".join(hint))
    if build.returncode or missing_files(folder, scheduler):
        raise HostNotUsable(
            _failure_text(folder, scheduler), hint=f"Every word is in {folder / 'build.log'}; try again."
        )


def _failure_text(folder: Path, scheduler: str) -> str:
    if missing_files(folder, scheduler) == [RTDS]:
        return (
            "the hypervisor with RTDS could not be built: Debian's own has no RTDS, "
            "and building one needs the source packages (deb-src) of the mirror; credit and credit2 are there"
        )
    return f"the lab's images could not be built; absent: {', '.join(missing_files(folder, scheduler))}"


def _drop_others(folder: Path) -> None:
    """Remove images of older recipes, 1.3 GB each; no lab runs from them now."""
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
