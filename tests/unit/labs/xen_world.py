"""A computer on which the Xen lab starts without an emulator: doubles of QEMU, qemu-img and ssh, and no real images."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from labs.xen import folders, recipe
from labs.xen.emulator import LabEmulator

_SSH = """#!/bin/sh
# ssh -F FOLDER/ssh_config ... HOST WORDS
folder=$(dirname "$2")
[ -e "$folder/double-runs" ] || { echo 'no route to host' >&2; exit 255; }
for words; do :; done
case $words in *'xl info'*)
    cat "$folder/double-runs"
    printf '\\nName  ID  Mem VCPUs State Time(s)\\n'
    printf 'Domain-0  0  768  1  r-----  115.8\\ndb1  1  640  1  ------  0.6\\n' ;;
esac
"""
_QEMU_IMG = """#!/bin/sh
# qemu-img create ... -b BACKING -F raw NAME
for name; do :; done
echo "$*" >"$name"
"""


class XenWorld:
    """Where the doubles are and what they were asked.

    Args:
        folder: For the doubles.
        patch: Of the environment.
    """

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._programs = folder / "bin"
        self._programs.mkdir(parents=True)
        double = Path(__file__).with_name("emulator_double.py")
        emulator = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(double))} "$@"\n'
        for name, text in (("ssh", _SSH), ("qemu-img", _QEMU_IMG), ("qemu-system-x86_64", emulator)):
            self.program(name, text)
        patch.setenv("PATH", f"{self._programs}:{os.environ['PATH']}")
        patch.setenv("DOUBLE", str(folder))
        self.is_version("QEMU emulator version 7.2.17")
        self.images = folders.images_dir(recipe.recipe_fingerprint())
        self.images.mkdir(parents=True)
        for name in (*recipe.FILES, recipe.RTDS):
            (self.images / name).write_text(f"{name} of a build\n")

    def program(self, name: str, text: str) -> None:
        (self._programs / name).write_text(text)
        (self._programs / name).chmod(0o755)

    def is_version(self, text: str) -> None:
        (self._folder / "version").write_text(text)

    def cannot(self, *what: str) -> None:
        (self._folder / "cannot").write_text("\n".join(what))

    @property
    def starts(self) -> list[str]:
        """Return `boots` or `waits`, the scheduler, and the disks, by start of an emulator."""
        return self._lines("starts")

    @property
    def told(self) -> list[str]:
        """Return the commands that emulators were told."""
        return self._lines("told")

    @property
    def states(self) -> list[Path]:
        """Return whatever is where states are kept."""
        return sorted(path for path in self.images.glob("states/*") if path.is_dir())

    def end(self) -> None:
        """End the lab's emulator, as a crash would."""
        LabEmulator(folders.running_dir()).end()

    def _lines(self, name: str) -> list[str]:
        path = self._folder / name
        return path.read_text().splitlines() if path.exists() else []
