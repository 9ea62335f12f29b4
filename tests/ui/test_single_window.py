"""A second start raises the open window and hands over its files; what is not a run file's path is dropped."""

import socket
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from app.single_window import SingleWindow, hand_over, read_message, socket_path

pytestmark = pytest.mark.ui


@pytest.fixture
def single(qtbot):
    parent = QObject()
    made = SingleWindow(parent)
    yield made
    made.close()


def start(files: list[str]) -> tuple[threading.Thread, list[bool]]:
    """Act as another start of the program, which waits for the window's answer."""
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(hand_over(files)))
    thread.start()
    return thread, answers


@pytest.mark.parametrize("files", [[], ["/tmp/a run.domtune", "/tmp/é.json"]])
def test_open_window_takes_the_files_of_a_second_start(single, qtbot, files):
    with qtbot.waitSignal(single.asked) as asked:
        thread, answers = start(files)
    thread.join()
    assert asked.args == [[Path(file) for file in files]]
    assert answers == [True]
    assert socket_path().stat().st_mode & 0o777 == 0o600
    assert socket_path().parent.stat().st_mode & 0o777 == 0o700


def test_without_a_window_and_after_a_killed_one_a_window_opens(qtbot):
    assert not hand_over([])
    parent = QObject()
    killed = SingleWindow(parent)
    assert killed._listening is not None
    killed._listening.close()  # its process ended without cleaning up
    assert not hand_over([])
    fresh = SingleWindow(parent)
    with qtbot.waitSignal(fresh.asked):
        thread, answers = start([])
    thread.join()
    assert answers == [True]
    fresh.close()
    assert not socket_path().exists()


def test_second_window_leaves_the_socket_of_the_first(single):
    parent = QObject()
    second = SingleWindow(parent)
    assert second._listening is None
    second.close()
    assert socket_path().exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"/tmp/a.domtune", b"/tmp/a.domtune\nmore", b"relative.domtune\n\n", b"/etc/passwd\n\n", b"\xff\n\n",
     b"/tmp/\x1b[2J.domtune\n\n", b"--option.domtune\n\n"],
)  # fmt: skip
def test_message_of_another_form_is_dropped(data):
    assert read_message(data) is None


def test_endless_message_is_cut_off(single, qtbot):
    asked: list[object] = []
    single.asked.connect(asked.append)
    with socket.socket(socket.AF_UNIX) as foreign:
        foreign.connect(str(socket_path()))
        foreign.setblocking(False)
        sent = 0

        def is_closed() -> bool:
            nonlocal sent
            try:
                sent += foreign.send(b"/tmp/a" * 5_000)
            except BlockingIOError:
                return False
            except OSError:
                return True
            return False

        qtbot.waitUntil(is_closed)
    assert asked == []
    assert sent < 1_000_000
