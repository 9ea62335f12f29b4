"""Height of a widget before its layout runs."""

from PySide6.QtWidgets import QWidget


def height_at(part: QWidget, width_px: int) -> int:
    """Return the height of a widget at a width, pixels.

    The size hint alone assumes a narrow widget when texts wrap.

    Args:
        part: Widget to measure.
        width_px: Available width, pixels.
    """
    layout = part.layout()
    if layout is None:
        return part.sizeHint().height()
    layout.activate()
    return layout.totalHeightForWidth(width_px) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
