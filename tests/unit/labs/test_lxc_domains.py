"""The lab's domains are defined anew, whatever an earlier start left; `virsh` is a double that keeps names in files."""

import os

import pytest

from labs.lxc.libvirt_daemon import LibvirtDaemon

# libvirt gives a description without a UUID a new one, and takes no second domain of the same name.
VIRSH = """#!/bin/sh
set -eu
cd '{state}'
shift 3
echo "$*" >>told
case "$*" in
    'list --name') ls running ;;
    'list --all --name') ls defined ;;
    define*)
        name=$(sed -n 's|.*<name>\\(.*\\)</name>.*|\\1|p' "$2")
        if [ -e "defined/$name" ]; then
            echo "error: operation failed: domain '$name' already exists with uuid 1" >&2
            exit 1
        fi
        cp "$2" "defined/$name" ;;
    destroy*) rm "running/$2" ;;
    undefine*) rm "defined/$2" ;;
    *) exit 64 ;;
esac
"""


@pytest.fixture
def state(tmp_path, monkeypatch):
    folder, programs = tmp_path / "state", tmp_path / "programs"
    for name in ("running", "defined"):
        (folder / name).mkdir(parents=True)
    programs.mkdir()
    virsh = programs / "virsh"
    virsh.write_text(VIRSH.format(state=folder))
    virsh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return folder


@pytest.mark.parametrize("left", [(), ("defined",), ("defined", "running")])
def test_domain_is_defined_again_whatever_an_earlier_start_left(state, tmp_path, left):
    for name in left:
        (state / name / "db").write_text("old")
    (state / "running" / "other").write_text("somebody else's")
    new = "<domain><name>db</name></domain>"
    LibvirtDaemon(tmp_path).define("db", new)
    assert (state / "defined" / "db").read_text() == new
    assert [path.name for path in (state / "running").iterdir()] == ["other"]
