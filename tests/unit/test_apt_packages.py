"""`packaging/apt-packages` installs what a purpose needs and no more, by libraries and not by names."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "packaging/apt-packages"
TABLE = "resources/qt-libraries.tsv"
SERVICES = {"openssh-server", "libvirt-daemon", "sasl2-bin", "mariadb-server-core"}


def call(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [folder / SCRIPT, *words],
        env=os.environ | {"PYTHON": sys.executable} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def listed(*purposes: str) -> set[str]:
    return set(call(ROOT, "--list", *purposes).stdout.split())


def test_window_and_python_bring_no_service_and_nothing_of_the_tests():
    assert not listed("python", "window") & (SERVICES | listed("tests"))
    assert listed("tests") >= SERVICES | listed("lab-lxc")
    rows = [line.split("\t") for line in (ROOT / TABLE).read_text("utf-8").splitlines()]
    assert {len(row) for row in rows} == {5}
    assert listed("window") >= {row[1] for row in rows[1:]}


def test_make_run_asks_for_python_and_window_only():
    dry = ["make", "--dry-run", "--always-make", "--no-print-directory", "run", "SHELL=/bin/sh"]
    printed = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    asked = [line.partition(SCRIPT)[2].split() for line in printed.splitlines() if SCRIPT in line]
    assert asked == [["python", "window"], ["python"]]
    assert "-r requirements.lock" in printed
    assert "-r requirements-dev.lock" not in printed


@pytest.fixture
def elsewhere(tmp_path: Path):
    """Return a maker of a tree whose script runs as a user, on a distribution, with rows of libraries."""

    def make(release: str, *rows: str) -> Path:
        for name in (SCRIPT, TABLE):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
        (tmp_path / "os-release").write_text(release)
        script = (tmp_path / SCRIPT).read_text("utf-8").replace("/etc/os-release", str(tmp_path / "os-release"))
        (tmp_path / SCRIPT).write_text(script)
        header = (ROOT / TABLE).read_text("utf-8").splitlines()[0]
        (tmp_path / TABLE).write_text("\n".join([header, *("\t".join(row.split()) for row in rows)]) + "\n")
        (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
        (tmp_path / "id").chmod(0o755)
        return tmp_path

    return make


def as_user(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return call(folder, *words, PATH=f"{folder}:{os.environ['PATH']}", **environment)


def test_library_of_a_renamed_package_is_not_missing(elsewhere):
    """Debian 13 calls libglib2.0-0 libglib2.0-0t64: each set-up reported the old name as missing."""
    done = as_user(elsewhere("ID=debian\n", "libc.so.6 libc6-of-another-release x x x"), "window")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=ubuntu\nID_LIKE=debian\n", "apt-get install --no-install-recommends of-debian"),
        ("ID=rocky\nID_LIKE='rhel centos fedora'\n", "dnf install of-fedora"),
        ("ID=arch\n", "pacman -S of-arch"),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "zypper install of-suse"),
        ("ID=void\n", "packages that contain or are called: libnone.so.9"),
    ],
)
def test_missing_library_stops_and_names_package_of_the_distribution(elsewhere, release, command):
    done = as_user(elsewhere(release, "libnone.so.9 of-debian of-fedora of-arch of-suse"), "python", "window")
    assert done.returncode == 1
    assert f"install as root:  {command}" in done.stderr


def test_python_that_makes_no_environment_stops(elsewhere):
    done = as_user(elsewhere("ID=debian\n"), "python", PYTHON="/bin/false")
    assert done.returncode == 1
    assert "apt-get install --no-install-recommends python3-venv" in done.stderr


@pytest.mark.parametrize("words", [(), ("everything",), ("--list",)])
def test_unknown_purpose_is_refused(words):
    assert call(ROOT, *words).returncode == 2
