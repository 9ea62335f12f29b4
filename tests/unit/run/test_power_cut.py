"""Laws of the journal when the power goes, or the disk is full: what was promised is on disk, under its name."""

import errno
import os
from pathlib import Path

import pytest

from scheduler.errors import JournalError
from scheduler.run.journal import UndoJournal, UndoRecord
from tests.unit.run.conftest import FOUND

UNDO = UndoRecord(host_url="fake:", host_id="h", context={}, originals=FOUND, armed_unix_s=1.0, pid=1)


class Disk:
    """What a power cut leaves: contents as they were synced, under the names that their folder had when it was."""

    def __init__(self) -> None:
        self._contents: dict[int, bytes] = {}
        self._names: dict[Path, dict[str, int]] = {}

    def sync(self, fd: int) -> None:
        path = Path(f"/proc/self/fd/{fd}").readlink()
        if path.is_dir():
            self._names[path] = {entry.name: entry.stat().st_ino for entry in path.iterdir()}
        else:
            self._contents[path.stat().st_ino] = path.read_bytes()

    def left(self, path: Path) -> bytes | None:
        """Return what a file holds after the power cut, None when it has no such name or nothing reached the disk."""
        return self._contents.get(self._names.get(path.parent, {}).get(path.name, 0))


@pytest.fixture
def disk(monkeypatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(os, "fsync", disk.sync)
    return disk


def test_armed_record_outlives_a_power_cut(disk, tmp_path):
    journal = UndoJournal(tmp_path, "h")
    journal.arm(UNDO)
    assert disk.left(journal.path) == journal.path.read_bytes()
    assert journal.read() == UNDO


def test_dropped_record_does_not_come_back_with_the_power(disk, tmp_path):
    journal = UndoJournal(tmp_path, "h")
    journal.arm(UNDO)
    journal.disarm()
    assert disk.left(journal.path) is None


def test_record_that_does_not_reach_the_disk_is_none(monkeypatch, tmp_path):
    def full(_fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    journal = UndoJournal(tmp_path, "h")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JournalError, match="nothing was changed"):
        journal.arm(UNDO)
    assert journal.read() is None
