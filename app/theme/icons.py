"""Our own icons: SVG with 1.5 px strokes, tinted from the palette, sharp at 100, 200 and 300 % scale."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from app.theme.sheet import ICONS
from app.theme.theme import Theme

SIZE_PX = 20
_SCALES = (1.0, 2.0, 3.0)


def icon_names() -> list[str]:
    """Return the names of all icons, sorted."""
    return sorted(path.stem for path in ICONS.glob("*.svg") if not path.stem.startswith("control-"))


@lru_cache(maxsize=256)
def pixmap(name: str, colour: str, size_px: int = SIZE_PX, scale: float = 1.0) -> QPixmap:
    """Return one icon, `size_px` device-independent pixels wide; raises FileNotFoundError for an unknown name."""
    svg = (ICONS / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    picture = QPixmap(round(size_px * scale), round(size_px * scale))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture


def icon(name: str, theme: Theme, colour: str = "text", size_px: int = SIZE_PX) -> QIcon:
    """Return an icon in a colour of the palette (a field of `Palette`, or `#RRGGBB`)."""
    tint = colour if colour.startswith("#") else getattr(theme.palette, colour)
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(pixmap(name, tint, size_px, scale), QIcon.Mode.Normal)
        made.addPixmap(pixmap(name, QColor(theme.palette.edge).name(), size_px, scale), QIcon.Mode.Disabled)
    return made


def set_icon(button: QAbstractButton, name: str, theme: Theme, colour: str = "text") -> None:
    """Give a button an icon that follows the theme for as long as the button lives; may be called again."""
    known = button.property("icon_name") is not None
    button.setProperty("icon_name", name)
    button.setProperty("icon_colour", colour)

    def tint() -> None:
        button.setIcon(icon(button.property("icon_name"), theme, button.property("icon_colour")))

    tint() if known else theme.follow(button, tint)
