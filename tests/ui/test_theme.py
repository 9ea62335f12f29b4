import sys
import tomllib
from pathlib import Path

import pytest
import shiboken6
from packaging.requirements import Requirement
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QPushButton

from app.theme import theme as theme_module
from app.theme.icons import icon_names, render_icon, set_icon
from app.theme.theme import Appearance, Theme
from app.theme.tokens import DARK, LIGHT


def test_forced_appearance_changes_everything_at_once(theme: Theme, qapp, qtbot):
    with qtbot.waitSignal(theme.changed, timeout=10_000):
        theme.set_appearance(Appearance.DARK)
    assert theme.palette is DARK
    assert qapp.palette().window().color().name().upper() == DARK.surface
    assert DARK.surface in qapp.styleSheet()


def test_same_appearance_again_changes_nothing(theme: Theme, qtbot):
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_appearance(Appearance.LIGHT)
    assert theme.palette is LIGHT


def test_follower_ends_with_its_owner(theme: Theme):
    calls: list[bool] = []
    owner = QObject()
    theme.follow(owner, lambda: calls.append(theme.palette.dark))
    theme.set_appearance(Appearance.DARK)
    shiboken6.delete(owner)
    theme.set_appearance(Appearance.LIGHT)
    assert calls == [False, True]


def test_icon_follows_the_palette(theme: Theme, qtbot):
    button = QPushButton()
    qtbot.addWidget(button)
    set_icon(button, "home", theme)
    light = button.icon().pixmap(20, 20).toImage()
    theme.set_appearance(Appearance.DARK)
    assert button.icon().pixmap(20, 20).toImage() != light


@pytest.mark.parametrize("name", icon_names())
def test_every_icon_draws_something_and_takes_its_colour(name: str, qapp):
    image = render_icon(name, "#FF0000", 32).toImage()
    inked = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 200]
    assert inked
    assert all(colour.red() > 200 and colour.green() < 60 for colour in inked)


def test_figures_are_tabular(theme: Theme):
    font = theme.font()
    assert font.isFeatureSet(QFont.Tag("tnum"))
    assert font.featureValue(QFont.Tag("tnum")) == 1


def test_font_is_made_by_oldest_allowed_pyside(theme: Theme, monkeypatch):
    """Make a font as with PySide6 6.8.0.2, which makes no tag from a text."""

    class OldFont:
        @staticmethod
        def Tag(_text):  # noqa: N802 - its name in Qt
            raise TypeError("Supported signatures: Tag(), Tag(Tag)")

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [Requirement(text) for text in project["dependencies"] if text.startswith("PySide6")]
    assert all("6.8.0.2" in requirement.specifier for requirement in asked), (
        "a later bound needs no guard in Theme.font"
    )
    monkeypatch.setattr(theme_module, "QFont", OldFont)
    assert theme.font(12).pointSizeF() == 12


class _Sender(QObject):
    said = Signal(bool)


def test_emitting_does_not_use_up_references_to_true(qapp):
    """PySide6 6.12.0 on Python 3.11 drops a reference to True at each emit and aborts after some 560 of them."""
    sender = _Sender()
    before = sys.getrefcount(True)
    for _ in range(1000):
        sender.said.emit(True)
    assert abs(sys.getrefcount(True) - before) < 100
