"""A library that Qt lacks is named with its package before Qt aborts over it."""

from pathlib import Path

import PySide6
import pytest

from app.qt_libraries import family_of, install_advice, library_load_error, plugin_load_error

QT = Path(PySide6.__file__).parent / "Qt"


@pytest.mark.parametrize("plugin", ["xcb", "wayland", "offscreen", "no-such-plugin"])
def test_why_not_loadable_is_empty_where_nothing_is_missing(plugin: str):
    assert plugin_load_error(plugin) == ""


@pytest.mark.parametrize(
    ("plugin", "library"),
    [
        ("xcb", b"libxcb-icccm.so.4"),
        ("xcb", b"libxkbcommon-x11.so.0"),
        ("xcb", b"libGL.so.1"),
        ("wayland", b"libwayland-cursor.so.0"),
    ],
)
def test_why_not_loaded_names_the_missing_library(tmp_path: Path, plugin: str, library: bytes):
    """Load Qt's own plug-in, changed to need a library of another version."""
    folder = tmp_path / "plugins/platforms"
    folder.mkdir(parents=True)
    (tmp_path / "lib").symlink_to(QT / "lib")  # where the plug-in looks for Qt
    changed = library[:-1] + b"9"
    body = (QT / f"plugins/platforms/libq{plugin}.so").read_bytes()
    assert body.count(library + b"\0") == 1
    path = folder / f"libq{plugin}.so"
    path.write_bytes(body.replace(library + b"\0", changed + b"\0"))
    assert f"the window needs {changed.decode()} of this system; install" in library_load_error(path)


def test_why_not_loaded_repeats_the_linker_on_damaged_file(tmp_path: Path):
    (tmp_path / "libqxcb.so").write_bytes(b"no shared object")
    assert "Qt cannot load libqxcb.so: " in library_load_error(tmp_path / "libqxcb.so")


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ({"ID": "debian"}, "sudo apt-get install --no-install-recommends libxcb-cursor0 libxcb-icccm4"),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "sudo apt-get install --no-install-recommends libxcb-cursor0"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "sudo dnf install xcb-util-cursor xcb-util-wm"),
        ({"ID": "manjaro", "ID_LIKE": "arch"}, "sudo pacman -S xcb-util-cursor xcb-util-wm"),
        ({"ID": "opensuse-tumbleweed", "ID_LIKE": "opensuse suse"}, "sudo zypper install libxcb-cursor0 libxcb-icccm4"),
        ({"ID": "void"}, "install the packages of your distribution"),
    ],
)
def test_install_advice_names_packages_of_the_distribution(release: dict[str, str], command: str):
    assert command in install_advice(["libxcb-cursor.so.0", "libxcb-icccm.so.4"], family_of(release))
