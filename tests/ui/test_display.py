"""Without a display the window says what to do instead, and ends with 2; Qt alone would abort."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app.display import why_none


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY"),
        ({"DISPLAY": ":987"}, "the display :987 does not answer"),
        ({"DISPLAY": "no host here:0"}, "does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-9", "XDG_RUNTIME_DIR": "/nowhere"}, "neither DISPLAY nor"),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":987"}, "the display :987 does not answer"),
    ],
)
def test_that_a_start_without_a_display_says_what_to_do_and_ends_with_2(home: Path, more: dict[str, str], why: str):
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


def test_that_platforms_without_a_display_need_none():
    assert why_none({"QT_QPA_PLATFORM": "offscreen"}) == ""
    assert why_none({"QT_QPA_PLATFORM": "vnc:size=800x600"}) == ""


def test_that_a_wayland_socket_that_is_listened_to_is_a_display(tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "w"))
        listening.listen(1)
        assert why_none({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)}) == ""
        assert why_none({"WAYLAND_DISPLAY": str(tmp_path / "w")}) == ""
    assert why_none({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)})
