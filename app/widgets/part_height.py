"""How high a widget will be, before it is laid out."""

from PySide6.QtWidgets import QWidget


def height_at(part: QWidget, width_px: int) -> int:
    """Return the height that a part takes at a width: its size hint is a guess that takes wrapped words for narrow."""
    layout = part.layout()
    if layout is None:
        return part.sizeHint().height()
    layout.activate()
    return layout.totalHeightForWidth(width_px) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
