"""Laws of writing an export: whole or not at all, and never through what somebody laid in the way."""

import os

import pytest

from scheduler.export.files import write_text


def test_link_with_the_name_of_our_temporary_file_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("somebody's")
    (tmp_path / f".out.csv.{os.getpid()}.tmp").symlink_to(victim)
    assert write_text(tmp_path / "out.csv", "ours\n").read_text() == "ours\n"
    assert victim.read_text() == "somebody's"


def test_export_is_for_whom_the_umask_lets_read_it_and_leaves_nothing_next_to_it(tmp_path):
    before = os.umask(0o027)
    try:
        text = write_text(tmp_path / "out.csv", "ours\n")
        script = write_text(tmp_path / "apply.sh", "exit 0\n", executable=True)
    finally:
        os.umask(before)
    assert (text.stat().st_mode & 0o777, script.stat().st_mode & 0o777) == (0o640, 0o755)
    assert {path.name for path in tmp_path.iterdir()} == {"out.csv", "apply.sh"}


def test_write_that_fails_leaves_what_was_there(tmp_path):
    (tmp_path / "out.csv").write_text("earlier")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "out.csv", "\udcff")
    assert (tmp_path / "out.csv").read_text() == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
