"""Puts a page into a window of 1280x800, the smallest that it must fit."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtWidgets import QMainWindow, QWidget


@contextmanager
def shown(page: QWidget, qtbot) -> Iterator[None]:
    window = QMainWindow()
    window.setCentralWidget(page)
    window.resize(1280, 800)
    qtbot.addWidget(window)
    window.show()
    yield
    window.close()
