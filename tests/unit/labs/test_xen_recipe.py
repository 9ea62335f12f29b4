"""Laws of the recipe: an edit makes new images, and what is missing is named before anything begins."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from labs.xen import recipe
from scheduler.errors import HostNotUsable

TOOLS = ("sh", "uname", "dirname", "id", "df", "awk", "mkdir", "gunzip", "setsid")


def test_fingerprint_changes_with_content_and_name(tmp_path):
    copy = tmp_path / "recipe"
    shutil.copytree(recipe.RECIPE, copy)
    before = recipe.recipe_fingerprint(copy)
    assert before == recipe.recipe_fingerprint()
    with (copy / "in-guest").open("a") as file:
        file.write("# more\n")
    edited = recipe.recipe_fingerprint(copy)
    (copy / "in-guest").rename(copy / "in-guests")
    assert len({before, edited, recipe.recipe_fingerprint(copy)}) == 3


def test_installed_package_reports_that_it_has_no_recipe(tmp_path):
    with pytest.raises(HostNotUsable) as caught:
        recipe.recipe_fingerprint(tmp_path / "none")
    assert "checkout" in caught.value.hint


def test_only_rtds_needs_the_rebuilt_hypervisor(tmp_path):
    for name in recipe.FILES:
        (tmp_path / name).touch()
    assert recipe.missing_files(tmp_path, "credit2") == []
    assert recipe.missing_files(tmp_path, "rtds") == ["xen-rtds"]


def build(tmp_path, *arguments, have=TOOLS, as_user=False, where=recipe.RECIPE):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in have:
        (programs / name).symlink_to(shutil.which(name) or "/bin/true")
    prefix = [shutil.which("setpriv"), "--reuid", "65534", "--clear-groups"] if as_user and os.geteuid() == 0 else []
    words = [*prefix, "/bin/sh", where / "build", *arguments]
    return subprocess.run(words, env={"PATH": str(programs)}, capture_output=True, text=True, timeout=20, check=False)


@pytest.mark.parametrize("arguments", [(), ("folder", "sedf"), ("folder", "rtds", "more")])
def test_wrong_usage_is_reported(tmp_path, arguments):
    done = build(tmp_path, *arguments)
    assert (done.returncode, "usage:" in done.stderr) == (2, True)


def test_missing_tools_are_named_with_their_packages(tmp_path):
    done = build(tmp_path, str(tmp_path / "images"))
    assert done.returncode == 2
    assert "apt-get install --no-install-recommends mmdebstrap e2fsprogs openssh-client" in done.stderr
    assert not (tmp_path / "images").exists()


def test_provide_names_a_missing_qemu_img_before_the_build(tmp_path, monkeypatch):
    home, programs, said = tmp_path / "home", tmp_path / "bin", []
    programs.mkdir()
    for name in TOOLS:
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("DOMTUNE_HOME", str(home))
    with pytest.raises(HostNotUsable, match="images are not built"):  # nor is mmdebstrap there
        recipe.provide_images("credit2", said.append)
    assert "qemu-img is not installed: no state will be saved" in said[0]
    assert "packaging/apt-packages lab-xen" in said[0]


@pytest.fixture
def open_path():
    """A folder that another account can enter, as pytest's cannot be."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_account_without_root_is_reported_the_command(open_path):
    folder = open_path / "images"
    where = shutil.copytree(recipe.RECIPE, open_path / "recipe")  # the checkout may lie where no other account gets
    tools = (*TOOLS, "mmdebstrap", "mkfs.ext4", "ssh-keygen")
    done = build(open_path, str(folder), "rtds", have=tools, as_user=True, where=where)
    assert done.returncode == 2
    assert f"sudo {where}/build {folder} rtds" in done.stderr
    assert not folder.exists()


def test_nothing_secret_is_in_the_recipe():
    texts = [path.read_text() for path in Path(recipe.RECIPE).iterdir()]
    assert len(texts) >= 5
    assert not any("PRIVATE KEY" in text for text in texts)
