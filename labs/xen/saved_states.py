"""Saved states: machines that have booted once, stored with their images.

images/FINGERPRINT/states/SCHEDULER-KEY/
    memory           memory, processor and devices, as the emulator writes them
    dom0.qcow2       Dom0's changes to its image before the saving
    guest.qcow2      the guest's changes
    guest-2.qcow2    a second guest's changes to the same image; then the folder is SCHEDULER+2-KEY

With several CPUs, for example 4, the folder is SCHEDULERx4-KEY.

A state is never written again: any number of labs may run from it, each with its own changes.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

from labs.xen.emulator import (
    PROGRAM,
    LabDisks,
    emulator_command,
    hypervisor_file,
    image_name,
    not_installed_error,
)
from scheduler.children import run_and_capture
from scheduler.errors import HostNotUsable

MEMORY = "memory"
_NEED_MB = 700  # 467 of memory and 10 of writes were seen; under RTDS as much
_NEW = ".new-"
# They are made with the images, and no two builds make the same: each holds a key that was made then.
_IDENTITY = ("dom0.host-key", "guest.host-key", "vmlinuz", "initrd.img")


def state_folder(images: Path, scheduler: str, guests: int = 1, cpus: int = 1) -> Path:
    """Return the folder for the state of these images under this scheduler.

    Its name changes with all that must be the same when it is loaded: the emulator, the machine that it emulates, the
    contents of the disks, and this computer's processor, since Xen has measured its clock.

    Args:
        images: Folder of the images.
        scheduler: Xen's scheduler.
        guests: Number of guests, 1 or 2.
        cpus: Number of the machine's CPUs.

    Raises:
        HostNotUsable: There is no emulator.
    """
    digest = hashlib.sha256(f"{_emulator_version()}\0{_processor_model()}\0".encode())
    # The names of folders and the ports may differ.
    words = emulator_command(Path("images"), Path("run"), scheduler, {}, state_disks(Path("state"), guests), cpus)
    digest.update("\0".join(words).encode())
    for name in (*_IDENTITY, hypervisor_file(scheduler)):
        digest.update(hashlib.sha256((images / name).read_bytes()).digest())
    kind = f"{scheduler}{'' if guests == 1 else f'+{guests}'}{'' if cpus == 1 else f'x{cpus}'}"
    return images / "states" / f"{kind}-{digest.hexdigest()[:16]}"


def state_disks(state: Path, guests: int = 1) -> LabDisks:
    """Return the disks of a lab that runs from a state.

    Args:
        state: Folder of the state.
        guests: Number of guests, 1 or 2.
    """
    return LabDisks(state, "qcow2", guests=guests)


def is_complete(state: Path, guests: int = 1) -> bool:
    """Return True when all files of a state are there.

    Args:
        state: Folder of the state.
        guests: Number of guests, 1 or 2.
    """
    disks = state_disks(state, guests)
    return all(file.is_file() for file in (state / MEMORY, *map(disks.file, disks.names)))


@contextlib.contextmanager
def hold_creation(state: Path) -> Generator[None, None, None]:
    """Lock the creation of a state; another lab waits rather than boot the same again."""
    with contextlib.ExitStack() as stack:
        try:
            state.parent.mkdir(mode=0o700, exist_ok=True)
            path = state.parent / f".lock-{state.name.rpartition('-')[0]}"
            file = stack.enter_context(path.open("a"))
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            raise HostNotUsable(f"no state can be saved: {error}") from error
        yield


@contextlib.contextmanager
def hold_state(state: Path) -> Generator[None, None, None]:
    """Lock a state against changes while it is loaded.

    Memory of one state with disks of another would be no machine.

    Raises:
        HostNotUsable: It was removed or replaced just now.
    """
    with contextlib.ExitStack() as stack:
        try:
            holder = _lock_folder(state, fcntl.LOCK_SH, stack)
            is_it = os.path.samestat(os.fstat(holder), state.stat())
        except OSError as error:
            raise HostNotUsable(f"the saved state cannot be held: {error}") from error
        if not is_it:
            raise HostNotUsable("the saved state was replaced just now")
        yield


def drop_state(state: Path) -> None:
    """Remove a state that no lab loads; a lab that runs from it keeps its open files."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            _lock_folder(state, fcntl.LOCK_EX, stack)
        shutil.rmtree(state, ignore_errors=True)


@contextlib.contextmanager
def draft_state(state: Path, guests: int = 1) -> Generator[LabDisks, None, None]:
    """Yield disks to boot from, in a new folder that `publish_state` makes the state.

    Without `publish_state` the folder is removed. States of the same scheduler that cannot be loaded any more, and
    drafts of killed processes, are removed before.

    Args:
        state: Folder of the state.
        guests: Number of guests, 1 or 2.

    Raises:
        HostNotUsable: The disk is full, or qemu-img is not installed.
    """
    with contextlib.ExitStack() as stack:
        try:
            _drop_stale(state)
            folder = _new_folder(state, stack)
        except OSError as error:
            raise HostNotUsable(f"no state can be saved: {error}") from error
        disks = LabDisks(folder, "qcow2", kept=True, guests=guests)
        for name in disks.names:
            _create_overlay(folder, name)
        yield disks


def publish_state(disks: LabDisks, state: Path) -> None:
    """Make the draft the state, in place of an older one; raises HostNotUsable.

    Args:
        disks: The draft's disks.
        state: Folder of the state.
    """
    drop_state(state)
    try:
        disks.folder.rename(state)
    except OSError as error:
        raise HostNotUsable(f"the saved state does not become {state}: {error}") from error


def _new_folder(state: Path, stack: contextlib.ExitStack) -> Path:
    """Create the draft's folder, locked while this process lives.

    Raises OSError, HostNotUsable.
    """
    free_mb = shutil.disk_usage(state.parent).free // 2**20
    if free_mb < _NEED_MB:
        raise HostNotUsable(f"no state is saved: it needs {_NEED_MB} MB in {state.parent}, {free_mb} MB are free")
    folder = Path(tempfile.mkdtemp(prefix=f"{state.name}{_NEW}", dir=state.parent))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    _lock_folder(folder, fcntl.LOCK_SH, stack)
    return folder


def _create_overlay(folder: Path, name: str) -> None:
    """Create a disk for changes to an image, by relative name so that both can move."""
    words = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", f"../../{image_name(name)}.img"]
    words += ["-F", "raw", f"{name}.qcow2"]
    try:
        done = run_and_capture(words, 60, folder)
    except FileNotFoundError as error:
        hint = "apt-get install --no-install-recommends qemu-utils"
        raise HostNotUsable("no state is saved: qemu-img is not installed", hint=hint) from error
    if done.returncode:
        raise HostNotUsable(f"no state is saved: qemu-img ended with {done.returncode}: {done.stderr.strip()}")


def _drop_stale(state: Path) -> None:
    scheduler = state.name.rpartition("-")[0]
    for other in state.parent.glob(f"{scheduler}-*"):
        if other.name != state.name and not (_NEW in other.name and _is_held(other)):
            drop_state(other)


def _is_held(folder: Path) -> bool:
    with contextlib.ExitStack() as stack:
        try:
            _lock_folder(folder, fcntl.LOCK_EX | fcntl.LOCK_NB, stack)
        except BlockingIOError:
            return True
        except OSError:
            pass
    return False


def _lock_folder(folder: Path, how: int, stack: contextlib.ExitStack) -> int:
    """Lock a folder until the stack unwinds; return the descriptor.

    Raises OSError.
    """
    holder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    stack.callback(os.close, holder)
    fcntl.flock(holder, how)
    return holder


def _emulator_version() -> str:
    """Return the version that the emulator prints."""
    try:
        return run_and_capture([PROGRAM, "--version"], 60).stdout
    except FileNotFoundError as error:
        raise not_installed_error() from error


def _processor_model() -> str:
    """Return the kernel's name of this computer's processor; empty for none."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line for line in lines if line.startswith("model name")), "")
