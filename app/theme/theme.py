"""The appearance of the whole application: follows the system live, or is forced to light or dark."""

import contextlib
import enum
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyle

from app.theme.style_sheet import build_style_sheet
from app.theme.tokens import ANIMATION_MS, DARK, LIGHT, SIZE_BODY_PT, Palette


class Appearance(enum.StrEnum):
    """Which palette to use."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """Palette, fonts and style sheet of the application.

    Widgets take the theme in their constructor, read `palette` when they paint and connect `changed` to
    whatever does not repaint by itself (pens of plots, tinted icons).

    Args:
        app: The application; its style, font, palette and style sheet are set.
        appearance: Follow the system, or force one.
    """

    changed = Signal()

    def __init__(self, app: QApplication, appearance: Appearance = Appearance.SYSTEM) -> None:
        super().__init__(app)
        self._app = app
        self._appearance = Appearance(appearance)
        # Platforms without a colour scheme of their own answer Unknown; their palette tells. Read before ours is set.
        self._dark_before = app.palette().window().color().lightness() < 128
        self._hints = app.styleHints()
        app.setStyle("Fusion")
        app.setFont(self.font())
        self._palette = self._choose_palette()
        self._apply_palette()
        self._hints.colorSchemeChanged.connect(self._follow_system)

    @property
    def palette(self) -> Palette:
        """The colours in use now."""
        return self._palette

    def set_appearance(self, appearance: Appearance) -> None:
        """Follow the system or force one; everything changes at once."""
        self._appearance = Appearance(appearance)
        self._follow_system()

    def font(self, size_pt: float = SIZE_BODY_PT, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the system's UI font in `size_pt` points, with tabular figures where PySide6 can ask for them."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        font.setPointSizeF(size_pt)
        font.setWeight(weight)
        with contextlib.suppress(TypeError):  # PySide6 before 6.8.3 makes no tag; figures then have unequal widths
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def mono_font(self, size_pt: float = SIZE_BODY_PT) -> QFont:
        """Return the system's fixed font, for commands and logs."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(size_pt)
        return font

    def follow(self, owner: QObject, restyle: Callable[[], None]) -> None:
        """Call `restyle` now and at every change of the palette, for as long as `owner` lives."""
        restyle()
        self.changed.connect(_PaletteFollower(owner, restyle).go)

    @property
    def animation_ms(self) -> int:
        """Length of an animation in ms; 0 when the system asks for none."""
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
        """Put palette and sheet on; with the old sheet off first it takes a third of the time, 0.3 s for 1300."""
        self._app.setStyleSheet("")
        self._app.setPalette(qt_palette(self._palette))
        self._app.setStyleSheet(build_style_sheet(self._palette))


class _PaletteFollower(QObject):
    """Dies with its owner and is disconnected by Qt then; a bare closure would outlive it."""

    def __init__(self, owner: QObject, restyle: Callable[[], None]) -> None:
        super().__init__(owner)
        self._restyle = restyle

    def go(self) -> None:
        self._restyle()


def qt_palette(palette: Palette) -> QPalette:
    """Return Qt's palette for what the style draws by itself."""
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
