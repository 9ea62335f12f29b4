"""What the pages that watch and that follow have in common: made piece by piece, what is seen at once first."""

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XL
from app.watch.request_card import RequestCard
from app.widgets.in_turn import Making
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import SimulatedRibbon


class PageInTurn(QWidget):
    """Heading and first words stand at once; what asks is painted when all of it stands where it stays, then the rest.

    Derive from it, and set `making` at the end of the constructor.

    Args:
        theme: Colours.
        heading: Its heading.
        words: What is done here.
    """

    making: Making

    def __init__(self, theme: Theme, heading: QWidget, words: str) -> None:
        super().__init__()
        self._theme = theme
        self._asks = False  # True from when it can be seen what is asked
        self._first: Callable[[], None] | None = None  # what was offered before that
        self.ribbon = SimulatedRibbon(theme)
        self.heading, self.what = heading, make_label(words, "dim", wrap=True)
        self._below = QWidget()  # where no plot takes what room there is
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        self._column.setSpacing(SPACE_L)
        for part in (self.ribbon, self.heading, self.what):
            self._column.addWidget(part)
        self._column.addWidget(self._below, 1)

    def _make_first(self, ask: RequestCard) -> Iterator[None]:
        """Make the messages' bar and what asks, and show what was offered meanwhile."""
        self.message = MessageBar(self._theme)
        self._add(self.message)
        yield
        yield from ask.make()
        yield
        ask.start.connect(lambda: self.making.after("start", self._start))
        ask.setUpdatesEnabled(False)
        self._add(ask)
        yield
        self._asks = True
        if self._first is not None:
            self._first()
        ask.setUpdatesEnabled(True)
        yield

    def _start(self) -> None:
        """Begin with what stands in what asks; called when all of the page is there."""
        raise NotImplementedError

    def _offer(self, show: Callable[[], None], first: Callable[[], None]) -> None:
        """Show what is offered: `first` where nobody has seen anything yet, else `show` when all of it is made."""
        if self._asks:
            self.making.after("offer", show)
        else:
            self._first = first

    def _add(self, part: QWidget, stretch: int = 0) -> None:
        """Put a part below the others."""
        self._column.insertWidget(self._column.count() - 1, part, stretch)
