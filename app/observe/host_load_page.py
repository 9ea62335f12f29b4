"""Layout of the pages that watch or follow the load of a host."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XL
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import SimulatedRibbon


class HostLoadPage(QWidget):
    """Column with ribbon, heading, introduction and messages; subclasses add parts.

    Args:
        theme: Colours.
        heading: Heading of the page.
        words: Purpose of the page.
    """

    def __init__(self, theme: Theme, heading: QWidget, words: str) -> None:
        super().__init__()
        self.ribbon = SimulatedRibbon(theme)
        self.heading, self.what = heading, make_label(words, "dim", wrap=True)
        self.message = MessageBar(theme)
        self._below = QWidget()  # fills the space of hidden plots
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        self._column.setSpacing(SPACE_L)
        for part in (self.ribbon, self.heading, self.what, self.message):
            self._column.addWidget(part)
        self._column.addWidget(self._below, 1)

    def _add(self, part: QWidget, stretch: int = 0) -> None:
        """Append a part below the others."""
        self._column.insertWidget(self._column.count() - 1, part, stretch)
