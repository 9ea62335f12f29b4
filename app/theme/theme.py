"""Theme of the application: follows the system, or forces light or dark."""

import contextlib
import enum
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyle

from app.theme.style_sheet import build_style_sheet
from app.theme.tokens import ANIMATION_MS, DARK, LIGHT, SIZE_BODY_PT, Palette


class Appearance(enum.StrEnum):
    """Choice of the palette."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """Palette, fonts and style sheet of the application.

    Widgets take the theme in their constructor and read `palette` when they paint. Items that do not repaint
    themselves, such as pens of plots and tinted icons, connect to `changed`.

    Args:
        app: Application that gets the style, font, palette and style sheet.
        appearance: Follow the system, or force one palette.
        text_percent: Size of all texts, 80 to 200.
    """

    changed = Signal()

    def __init__(self, app: QApplication, appearance: Appearance = Appearance.SYSTEM, text_percent: int = 100) -> None:
        super().__init__(app)
        self._app = app
        self._appearance = Appearance(appearance)
        self._text_percent = text_percent
        # Some platforms report no colour scheme; read their palette before the window's palette replaces it.
        self._dark_before = app.palette().window().color().lightness() < 128
        self._hints = app.styleHints()
        app.setStyle("Fusion")
        app.setFont(self.font())
        self._palette = self._choose_palette()
        self._apply_palette()
        self._hints.colorSchemeChanged.connect(self._follow_system)

    @property
    def palette(self) -> Palette:
        """The current colours."""
        return self._palette

    def set_appearance(self, appearance: Appearance) -> None:
        """Follow the system or force one palette; update the window at once."""
        self._appearance = Appearance(appearance)
        self._follow_system()

    @property
    def text_percent(self) -> int:
        """Size of all texts, percent of their design."""
        return self._text_percent

    def set_text_percent(self, percent: int) -> None:
        """Set the size of all texts; update the window at once.

        Args:
            percent: Percent of their design, 80 to 200.
        """
        if percent == self._text_percent:
            return
        self._text_percent = percent
        self._app.setFont(self.font())
        self._apply_palette()
        self.changed.emit()

    def scaled(self, size: float) -> float:
        """Return a length or a font size that grows with the texts.

        Args:
            size: Size at 100 %, in any unit.
        """
        return size * self._text_percent / 100

    def font(self, size_pt: float = SIZE_BODY_PT, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the system's font for user interfaces, with tabular figures if supported.

        Args:
            size_pt: Size in points at 100 %.
            weight: Weight.
        """
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        font.setPointSizeF(self.scaled(size_pt))
        font.setWeight(weight)
        with contextlib.suppress(TypeError):  # PySide6 before 6.8.3 cannot create a tag; figures differ in width
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def mono_font(self, size_pt: float = SIZE_BODY_PT) -> QFont:
        """Return the system's fixed-width font, for commands and logs."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.scaled(size_pt))
        return font

    def follow(self, owner: QObject, restyle: Callable[[], None]) -> None:
        """Call a function now and at every change of the palette.

        Args:
            owner: Object whose deletion ends the calls.
            restyle: Function to call.
        """
        restyle()
        self.changed.connect(_PaletteFollower(owner, restyle).go)

    @property
    def animation_ms(self) -> int:
        """Length of an animation, milliseconds; 0 when the system disables animations."""
        wanted = self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
        return min(ANIMATION_MS, max(0, wanted))

    def _choose_palette(self) -> Palette:
        if self._appearance is not Appearance.SYSTEM:
            return DARK if self._appearance is Appearance.DARK else LIGHT
        scheme = self._hints.colorScheme()
        if scheme is Qt.ColorScheme.Unknown:
            return DARK if self._dark_before else LIGHT
        return DARK if scheme is Qt.ColorScheme.Dark else LIGHT

    def _follow_system(self) -> None:
        wanted = self._choose_palette()
        if wanted is self._palette:
            return
        self._palette = wanted
        self._apply_palette()
        self.changed.emit()

    def _apply_palette(self) -> None:
        """Apply the palette and the style sheet.

        Removing the old style sheet first takes a third of the time: 0.3 s for 1300 widgets.
        """
        self._app.setStyleSheet("")
        self._app.setPalette(qt_palette(self._palette))
        self._app.setStyleSheet(build_style_sheet(self._palette, self._text_percent))


class _PaletteFollower(QObject):
    """Connection that ends with its owner; a plain closure would outlive the owner."""

    def __init__(self, owner: QObject, restyle: Callable[[], None]) -> None:
        super().__init__(owner)
        self._restyle = restyle

    def go(self) -> None:
        self._restyle()


def qt_palette(palette: Palette) -> QPalette:
    """Return Qt's palette for the parts that the Fusion style draws itself."""
    roles = QPalette.ColorRole
    colours = {
        roles.Window: palette.surface,
        roles.WindowText: palette.text,
        roles.Base: palette.raised,
        roles.AlternateBase: palette.sunken,
        roles.Text: palette.text,
        roles.Button: palette.raised,
        roles.ButtonText: palette.text,
        roles.BrightText: palette.danger_text,
        roles.ToolTipBase: palette.raised,
        roles.ToolTipText: palette.text,
        roles.PlaceholderText: palette.dim,
        roles.Highlight: palette.accent,
        roles.HighlightedText: palette.on_accent,
        roles.Link: palette.accent_text,
        roles.LinkVisited: palette.accent_text,
        roles.Accent: palette.accent,
        roles.Mid: palette.line,
        roles.Dark: palette.edge,
        roles.Light: palette.raised,
        roles.Midlight: palette.hover,
        roles.Shadow: palette.line,
    }
    made = QPalette()
    for role, colour in colours.items():
        made.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(palette.edge))
    made.setColor(QPalette.ColorGroup.Disabled, roles.Highlight, QColor(palette.line))
    return made
