"""DomTune's icons: SVG with 1.5 px strokes in the colours of the palette.

The icons are sharp at scales of 100, 200 and 300 %.
"""

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton

from app.theme.style_sheet import ICONS
from app.theme.theme import Theme

SIZE_PX = 20
GAP_PX = 4  # between an icon and its text, in addition to Qt's own gap
_SCALES = (1.0, 2.0, 3.0)


def icon_names() -> list[str]:
    """Return the names of all icons, sorted."""
    return sorted(path.stem for path in ICONS.glob("*.svg") if not path.stem.startswith("control-"))


@lru_cache(maxsize=2048)  # 1 to 15 kB each; a smaller cache would render the icons of each page again
def render_icon(name: str, colour: str, size_px: int = SIZE_PX, scale: float = 1.0) -> QPixmap:
    """Return the picture of an icon.

    Args:
        name: Icon name.
        colour: Colour of the strokes, `#RRGGBB`.
        size_px: Width and height in device-independent pixels.
        scale: Device pixels per device-independent pixel, > 0.

    Raises:
        FileNotFoundError: No icon has this name.
    """
    svg = _read_svg(name).replace("currentColor", colour)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    picture = QPixmap(round(size_px * scale), round(size_px * scale))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture


@cache
def _read_svg(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8")


def make_icon(
    name: str, theme: Theme, colour: str = "text", size_px: int = SIZE_PX, *, before_px: int = 0, after_px: int = 0
) -> QIcon:
    """Return an icon for all scales in a colour of the palette.

    Args:
        name: Icon name.
        theme: Current colours.
        colour: Field of `Palette`, or `#RRGGBB`.
        size_px: Width and height in device-independent pixels.
        before_px: Space on the left, device-independent pixels.
        after_px: Space on the right, device-independent pixels.
    """
    tint = colour if colour.startswith("#") else getattr(theme.palette, colour)
    return _compose_icon(name, tint, QColor(theme.palette.edge).name(), size_px, before_px, after_px)


@lru_cache(maxsize=512)  # its pictures are 30 to 90 kB
def _compose_icon(name: str, tint: str, disabled: str, size_px: int, before_px: int, after_px: int) -> QIcon:
    """Return an icon of its pictures for all scales, normal and disabled."""
    made = QIcon()
    for scale in _SCALES:
        for shade, mode in ((tint, QIcon.Mode.Normal), (disabled, QIcon.Mode.Disabled)):
            made.addPixmap(_pad_icon(render_icon(name, shade, size_px, scale), before_px, after_px), mode)
    return made


def _pad_icon(picture: QPixmap, before_px: int, after_px: int) -> QPixmap:
    if not before_px and not after_px:
        return picture
    scale = picture.devicePixelRatio()
    wide = QPixmap(picture.width() + round((before_px + after_px) * scale), picture.height())
    wide.setDevicePixelRatio(scale)
    wide.fill(Qt.GlobalColor.transparent)
    painter = QPainter(wide)
    painter.drawPixmap(before_px, 0, picture)
    painter.end()
    return wide


def set_icon(button: QAbstractButton, name: str, theme: Theme, colour: str = "text") -> None:
    """Set a button's icon, which follows the theme during the button's lifetime.

    The function may be called again to change the icon.

    Args:
        button: Button that gets the icon.
        name: Icon name.
        theme: Current colours.
        colour: Field of `Palette`, or `#RRGGBB`.
    """
    known = button.property("icon_name") is not None
    button.setProperty("icon_name", name)
    button.setProperty("icon_colour", colour)
    gap_px = GAP_PX if _has_text(button) else 0
    if gap_px and not known:
        button.setIconSize(button.iconSize() + QSize(gap_px, 0))

    def tint() -> None:
        backwards = button.layoutDirection() == Qt.LayoutDirection.RightToLeft
        room = {"before_px": gap_px} if backwards else {"after_px": gap_px}
        size_px = button.iconSize().height()
        button.setIcon(make_icon(button.property("icon_name"), theme, button.property("icon_colour"), size_px, **room))

    tint() if known else theme.follow(button, tint)


def _has_text(button: QAbstractButton) -> bool:
    right = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    return isinstance(button, QPushButton) or (isinstance(button, QToolButton) and button.toolButtonStyle() == right)
