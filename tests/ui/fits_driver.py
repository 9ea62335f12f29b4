"""Walks the real window over all of Qt's screens: `python -m tests.ui.fits_driver [FOLDER]`.

Qt takes screens and scale from the environment, once per process. Prints a line for each thing that does not fit, and
at last how many pages and dialogs were looked at; a folder takes pictures.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QScreen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Appearance, Theme
from tests.ui.fits import misfits
from tests.ui.fits_scenes import HOSTS, Scenes
from tests.ui.observe.scenes import FollowScenes

_PATIENCE = 15  # looks: rows find their heights in some turns of the event loop
_TURN_MS = 20
_LOADED_MS = 30_000


def main(folder: str = "") -> int:
    """Look at everything on every screen; a folder takes pictures."""
    app = QApplication(sys.argv[:1])
    settings = Settings()
    for url in reversed(HOSTS):
        settings.remember_host(url)
    window = MainWindow(Theme(app, Appearance.LIGHT, settings.text_percent), settings)
    window.show()
    _wait_until(lambda: window.home.ready)
    looked_at = 0
    scenes = Scenes(window)
    for name, make in (*scenes.pages(), *FollowScenes(window).pages()):
        make()
        for screen in app.screens():
            _put_on(window, screen)
            _look(name, window, folder)
            looked_at += 1
    for number in range(len(app.screens())):
        _put_on(window, app.screens()[number])  # asked anew: Python's hold on a screen goes with a dialog that had it
        for name, make in scenes.dialogs():
            dialog = make()
            dialog.hide()  # without a display, Qt forgets the size of a window that comes up on another screen
            dialog.show()
            _look(name, dialog, folder)
            looked_at += 1
            _close(dialog)
    print(f"looked at {looked_at}")
    window.close()
    return 0


def _wait_until(ready: Callable[[], bool]) -> None:
    for _ in range(_LOADED_MS // _TURN_MS):
        if ready():
            return
        QTest.qWait(_TURN_MS)
    raise TimeoutError


def _put_on(window: MainWindow, screen: QScreen) -> None:
    """Let the window fill a screen, as it does where it is maximized."""
    room = screen.availableGeometry()

    def placed() -> bool:
        window.windowHandle().setScreen(screen)
        window.move(room.topLeft())
        window.resize(room.size() - _frame(window))
        return window.frameGeometry() == room

    for _ in range(2):  # a window that comes to another screen for the first time is put back once
        _wait_until(placed)
        QTest.qWait(_TURN_MS)


def _frame(window: QWidget) -> QSize:
    return window.frameGeometry().size() - window.geometry().size()


def _look(name: str, top: QWidget, folder: str) -> None:
    """Say what does not fit, once it has had the time to find its place."""
    QTest.qWait(_TURN_MS)
    size = top.screen().size() * top.devicePixelRatioF()
    roomy = top.devicePixelRatioF() == 1
    found = misfits(top, roomy=roomy)
    for _ in range(_PATIENCE):
        if not found:
            break
        QTest.qWait(_TURN_MS)
        found = misfits(top, roomy=roomy)
    where = f"{size.width()}x{size.height()} {top.devicePixelRatioF():.0%}"
    for words in found:
        print(f"{name}, {where}: {words}", flush=True)
    if folder:
        top.grab().save(
            str(Path(folder) / f"{name.replace(', ', '-').replace(' ', '-')}-{where.replace(' ', '-')}.png")
        )


def _close(dialog: QWidget) -> None:
    if isinstance(dialog, QDialog):
        dialog.reject()
    dialog.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QTest.qWait(1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
