import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication

from app.theme.theme import Appearance, Theme


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A DomTune of its own for each test; never the user's results, settings or undo records."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)
    monkeypatch.setenv("DOMTUNE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def _theme(qapp: QApplication) -> Theme:
    return Theme(qapp, Appearance.LIGHT)


@pytest.fixture
def theme(_theme: Theme):
    """The application's theme, light at the start of each test."""
    _theme.set_appearance(Appearance.LIGHT)
    yield _theme
    _theme.set_appearance(Appearance.LIGHT)
