"""What the kernel has in memory of a server's files, on a real disk and a real kernel."""

import os
import tempfile
from pathlib import Path

import pytest

from scheduler.databases import page_cache
from scheduler.errors import HostNotUsable

_SIZE = 3 << 20
_IN_MEMORY_ONLY = Path("/dev/shm")  # a tmpfs: its files are nowhere else


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(_SIZE))
    return path


def in_memory_bytes(path: Path) -> int:
    with path.open("rb") as file:
        return page_cache.measure_cached_bytes(file.fileno())


@pytest.fixture
def folder():
    """On a disk; pytest's own may be in memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)


def test_files_just_written_are_on_the_disk_and_not_in_memory_any_more(folder):
    paths = [written(folder / "a"), written(folder / "below" / "b"), folder / "empty"]
    paths[-1].touch()
    before = [path.read_bytes() for path in paths]
    assert [in_memory_bytes(path) for path in paths] == [_SIZE, _SIZE, 0]
    assert page_cache.drop_pages(folder) == 0
    assert [in_memory_bytes(path) for path in paths] == [0, 0, 0]
    assert [path.read_bytes() for path in paths] == before


def test_what_cannot_be_forgotten_is_reported():
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY_ONLY) as name:
        written(Path(name) / "a")
        assert page_cache.drop_pages(Path(name)) == _SIZE


def test_no_link_is_followed_and_a_pipe_holds_no_one_up(folder):
    strangers = written(folder / "strangers" / "kept")
    data = folder / "data"
    data.mkdir()
    (data / "link").symlink_to(strangers)
    (data / "folder").symlink_to(strangers.parent)
    os.mkfifo(data / "pipe")
    assert page_cache.drop_pages(data) == 0
    assert in_memory_bytes(strangers) == _SIZE
    (folder / "instead").symlink_to(data)
    with pytest.raises(HostNotUsable, match="instead could not be dropped from memory"):
        page_cache.drop_pages(folder / "instead")
