"""Without a display the window says what to do instead, and ends with 2; Qt alone would abort."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app import platforms
from app.display_check import no_display_reason
from app.platforms import no_window_reason, platforms_of


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY"),
        ({"DISPLAY": ":987"}, "the display :987 does not answer"),
        ({"DISPLAY": "no host here:0"}, "does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-9", "XDG_RUNTIME_DIR": "/nowhere"}, "neither DISPLAY nor"),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":987"}, "the display :987 does not answer"),
        ({"QT_QPA_PLATFORM": "wayland;xcb", "DISPLAY": ":987"}, "xcb: the display :987 does not answer"),
    ],
)
def test_start_without_a_display_reports_what_to_do_and_ends_with_2(home: Path, more: dict[str, str], why: str):
    unset = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in unset} | more
    done = subprocess.run(
        [sys.executable, "-m", "app"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done
    assert why in done.stderr
    for words in ("ssh -X", "domtune run PLAN", "domtune --help"):
        assert words in done.stderr
    assert "Aborted" not in done.stderr
    assert not any(home.iterdir()), "nothing was begun"


def test_platforms_without_a_display_need_none():
    assert no_display_reason({"QT_QPA_PLATFORM": "offscreen"}) == ""
    assert no_display_reason({"QT_QPA_PLATFORM": "vnc:size=800x600"}) == ""


def test_wayland_socket_that_is_listened_to_is_a_display(tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "w"))
        listening.listen(1)
        assert no_display_reason({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)}) == ""
        assert no_display_reason({"WAYLAND_DISPLAY": str(tmp_path / "w")}) == ""
    assert no_display_reason({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        (";", []),
        ("xcb", ["xcb"]),
        ("wayland;xcb", ["wayland", "xcb"]),
        ("eglfs:a=b;;vnc", ["eglfs:a=b", "vnc"]),
    ],
)
def test_platforms_of_takes_the_list_apart_as_qt_does(text: str, names: list[str]):
    assert platforms_of(text) == names


@pytest.mark.parametrize(
    "asked", ["wayland", "wayland-egl", "Wayland", "wayland;xcb", "eglfs", "linuxfb;vkkhrdisplay", ";"]
)
def test_why_no_window_without_any_screen_gives_a_reason(asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(platforms, "_DEVICES", tmp_path)
    assert no_window_reason({"QT_QPA_PLATFORM": asked, "XDG_RUNTIME_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    ("device", "asked"), [("dri/card0", "eglfs"), ("fb0", "linuxfb:fb=/dev/fb0"), ("fb0", "xcb;eglfs")]
)
def test_why_no_window_with_a_screen_device_is_empty(
    device: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(platforms, "_DEVICES", tmp_path)
    (tmp_path / "dri").mkdir()
    (tmp_path / device).touch()
    assert no_window_reason({"QT_QPA_PLATFORM": asked}) == ""


@pytest.mark.parametrize("asked", ["wayland", "xcb;wayland", "wayland;xcb"])
def test_why_no_window_with_a_compositor_behind_the_default_name_is_empty(asked: str, tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "wayland-0"))
        listening.listen(1)
        assert no_window_reason({"QT_QPA_PLATFORM": asked, "XDG_RUNTIME_DIR": str(tmp_path)}) == ""
    assert no_window_reason({"QT_QPA_PLATFORM": "wayland", "WAYLAND_SOCKET": "3"}) == ""


def test_why_no_window_with_any_platform_that_needs_no_screen_is_empty():
    assert no_window_reason({"QT_QPA_PLATFORM": "wayland;offscreen"}) == ""
