"""The scripts of a bundle read `split.conf` strictly; they are the same in every bundle."""

import os
import shutil
import subprocess
from importlib.resources import files

import pytest

from scheduler.errors import SpecError
from scheduler.export.bundle_files import SCRIPTS, split_conf_text
from tests.unit.export.recorders import told

SOURCES = files("resources").joinpath("bundle")


def test_scripts_pass_shellcheck():
    assert shutil.which("shellcheck"), "packaging/apt-packages tests installs it"
    command = ["shellcheck", "--shell=sh", "--external-sources", "--check-sourced", *SCRIPTS]
    found = subprocess.run(command, cwd=str(SOURCES), capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("kind", ["credit2", "qemu-emulator"])
def test_scripts_are_the_same_in_every_bundle(bundle, kind):
    made = bundle(kind)
    scripts = [path.relative_to(made.folder) for path in made.folder.rglob("*.sh")]
    assert len(scripts) == len(SCRIPTS) + 2
    for name in scripts:
        assert (made.folder / name).read_bytes() == SOURCES.joinpath(str(name)).read_bytes()


def test_scripts_never_evaluate_text():
    texts = [path.read_text() for path in SOURCES.rglob("*.sh")]
    assert len(texts) == 8
    assert not [text for text in texts if "eval " in text or '. "$conf"' in text]


CHANGES = (
    ("pcpus=2", "pcpus=2\nextra=1", "the key 'extra' is unknown"),
    ("pcpus=2", "", "the key pcpus is missing"),
    ("pcpus=2", "pcpus=2\npcpus=2", "the key pcpus is there twice"),
    ("pcpus=2", "pcpus=", "the key pcpus has no value"),
    ("pcpus=2", "pcpus=2;reboot", "the value of pcpus is not allowed"),
    ("pcpus=2", "pcpus=200000", "longer than 5 bytes"),
    ("pcpus=2", "pcpus", "is not key=value"),
    ("pcpus=2", "PATH=/tmp", "the key 'PATH' is unknown"),
    ("pcpus=2", "pcpus=2\nuri=qemu:///system", "the key uri does not belong to a bundle for xen"),
    ("tool=xl", "tool=rm", "tool is 'rm', which is none of: xl xm"),
    ("toolstack=xen", "toolstack=../../tmp", "which is none of: cgroup xen libvirt"),
    ("io_values=171 32", "io_values=171 32 $(touch x)", "the value of io_values is not allowed"),
    ("io_values=171 32", "io_values=*", "the value of io_values is not allowed"),
    ("format=1", "format=2", "format is '2', which is none of: 1"),
)
"""Line of a configuration, the line in its place, and words of the refusal."""


def test_scripts_refuse_a_changed_configuration(bundle):
    made = bundle("credit2")
    conf = made.folder / "split.conf"
    text = conf.read_text()
    for old, new, reason in CHANGES:
        assert f"\n{old}\n" in text
        conf.write_text(text.replace(f"\n{old}\n", f"\n{new}\n"))
        stopped = made.run("apply.sh")
        assert stopped.returncode == 2, new
        assert reason in stopped.stderr
    assert (told(made.tools), made.left()) == ([], [])


def test_every_script_refuses_a_missing_configuration(bundle):
    made = bundle("credit2")
    (made.folder / "split.conf").unlink()
    assert made.codes(*SCRIPTS) == [2] * 4
    assert (told(made.tools), made.left()) == ([], [])


def test_configuration_without_its_last_line_end_is_read_whole(bundle):
    made = bundle("credit2")
    conf = made.folder / "split.conf"
    conf.write_text(conf.read_text().rstrip("\n"))
    assert made.codes("apply.sh", "verify.sh") == [0, 0]


def test_scripts_take_no_value_from_the_environment(bundle):
    made = bundle("credit2")
    keys = [line.partition("=")[0] for line in (made.folder / "split.conf").read_text().splitlines()]
    environment = {key: "/nowhere" for key in keys if not key.startswith("#")}
    assert made.run("apply.sh", **environment).returncode == 0


def test_scripts_work_from_another_folder_and_through_a_relative_path(bundle, tmp_path):
    made = bundle("credit2")
    done = subprocess.run(
        ["bundle/apply.sh"],
        cwd=tmp_path,
        env={
            "PATH": f"{made.tools}:{os.environ['PATH']}",
            "DOMTUNE_STATE_DIR": str(made.state),
            "DOMTUNE_SETTLE_S": "0",
            "CDPATH": "/:/tmp",
        },
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_two_scripts_do_not_work_on_a_host_at_once(bundle):
    made = bundle("credit2")
    made.state.mkdir()
    with subprocess.Popen(["flock", str(made.state), "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdin.write(b"x\n")
        holder.stdin.flush()
        holder.stdout.readline()  # the lock is held now
        stopped = [made.run(name) for name in ("apply.sh", "rollback.sh", "persist.sh")]
        holder.stdin.close()
    assert [each.returncode for each in stopped] == [2, 2, 2]
    assert all("another script of a bundle works on this host" in each.stderr for each in stopped)
    assert (told(made.tools), made.left()) == ([], [])
    assert made.codes("apply.sh") == [0]


@pytest.mark.parametrize("value", ["two\nlines", "a\x1b[0m", "a\0b", "x" * 20_001])
def test_configuration_refuses_values_that_are_no_single_line(value):
    with pytest.raises(SpecError, match="io_group cannot be written"):
        split_conf_text({"io_group": value})
