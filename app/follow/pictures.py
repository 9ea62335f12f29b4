"""What is seen while a host is followed: the split over time, the CPU that both domains received, the moves."""

from collections.abc import Iterator

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.background import Background
from app.follow.history import History
from app.follow.split_plot import SplitPlot
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L
from app.watch.use_plot import UsePlot
from app.widgets.card import Card
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableView
from scheduler.model.following import FollowBegan, FollowLine, FollowWindow
from scheduler.model.watching import WatchWindow

_DRAW_MS = 100  # a simulated day comes in seconds
_PLOT_PX, _TABLE_PX = 190, 160


class Pictures(QWidget):
    """Two plots on one time, each with its table, and a row for each move.

    Empty until what `make` returns is exhausted.

    Args:
        theme: Colours.
        background: Writes what is saved.

    Attributes:
        drawn: Runs out when what was taken is to be shown.
    """

    def __init__(self, theme: Theme, background: Background) -> None:
        super().__init__()
        self._theme, self._background = theme, background
        self.history, self._listed = History(), 0
        self.drawn = QTimer(self)
        self.drawn.setSingleShot(True)
        self.drawn.setInterval(_DRAW_MS)
        self.drawn.timeout.connect(self.draw)

    def make(self) -> Iterator[None]:
        """Make plots, frames and table, a piece at each `next`."""
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_L)
        self.split = SplitPlot(self._theme)
        self.split.setMinimumHeight(_PLOT_PX)
        yield
        self.split_frame = PlotFrame(self._background, self.tr("Split"), self.split, self.split.table)
        box.addWidget(self.split_frame, 1)
        yield
        self.use = UsePlot(self._theme)
        self.use.setMinimumHeight(_PLOT_PX)
        yield
        about = self.tr("Of the CPUs that they contend for, in each window of 10 s")
        received = self.tr("CPU that both domains received")
        self.use_frame = PlotFrame(self._background, received, self.use, self.use.table, about)
        box.addWidget(self.use_frame, 1)
        yield
        self.moves = TableView(self.tr("Moves and why"))
        self.moves.setMinimumHeight(_TABLE_PX)
        self.moves.horizontalHeader().setStretchLastSection(True)
        card = Card(self.tr("Moves and why"))
        card.body.addWidget(self.moves)
        box.addWidget(card)

    def begin(self, began: FollowBegan) -> None:
        """Forget what was drawn."""
        self.history, self._listed = History(), -1
        self.split.begin(began)
        self.use.begin(began.cpus, simulated=began.simulated)
        for frame in (self.split_frame, self.use_frame):
            frame.set_simulated(began.simulated)
        self.draw()

    def take(self, told: FollowLine) -> None:
        """Remember a line; it is drawn soon."""
        self.history.take(told)
        self.split.take(told)
        if isinstance(told, FollowWindow):
            self.use.take(_watched(told))
        if not self.drawn.isActive():
            self.drawn.start()

    def draw(self) -> None:
        """Draw everything that was taken."""
        self.drawn.stop()
        self.split.draw()
        self.use.draw()
        for frame in (self.split_frame, self.use_frame):
            frame.refresh_table()
        if self._listed != len(self.history):
            self._listed = len(self.history)
            self.moves.set_table(self.history.table())


def _watched(told: FollowWindow) -> WatchWindow:
    """Return a window as the plot of the page that watches takes it."""
    return WatchWindow(
        watched_s=told.t_s,
        io_cpus=told.io_cpus,
        guest_cpus=told.guest_cpus,
        io_allowed_cpus=told.io_allowed_cpus,
        guest_allowed_cpus=told.guest_allowed_cpus,
        others_frac=told.others_frac,
        trouble=told.trouble,
    )
