"""Plots of a host's own load: CPU used by both domains, and the database's rate."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.observe.cpu_usage_plot import CpuUsagePlot
from app.observe.rate_plot import RatePlot, rate_words
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L
from app.widgets.draw_queue import Draw, DrawQueue
from app.widgets.plot_frame import PlotFrame
from scheduler.model.observation_documents import WatchStarted, WatchWindow

_DRAW_MS = 100  # a simulated day takes seconds
_USE_PX, _RATE_PX = 240, 210


class UsageAndRatePlots(QWidget):
    """Plots with a common time axis, each with its table.

    Args:
        theme: Colours.
        background: Worker that writes exported files.
        use_px: Minimum height of the CPU plot, pixels.

    Attributes:
        drawn: Timer that fires when new windows must be drawn.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker, use_px: int = _USE_PX) -> None:
        super().__init__()
        self._queue = DrawQueue(self)
        self.drawn = QTimer(self)
        self.drawn.setSingleShot(True)
        self.drawn.setInterval(_DRAW_MS)
        self.drawn.timeout.connect(lambda: self._queue.add(*self._all_works()))
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_L)
        self.use = CpuUsagePlot(theme)
        self.use.setMinimumHeight(use_px)
        about = self.tr("Of the CPUs that they contend for, in each window of 10 s")
        received = self.tr("CPU that both domains received")
        self.use_frame = PlotFrame(background, received, self.use, self.use.table, about)
        self._box.addWidget(self.use_frame, 1)
        self.rate = RatePlot(theme)
        self.rate.setMinimumHeight(_RATE_PX)
        title = self.tr("Rate of the database")
        self.rate_frame = PlotFrame(background, title, self.rate, self.rate.table, rate_words())
        self.rate_frame.hide()
        self._box.addWidget(self.rate_frame, 1)

    def begin_plots(self, cpus: int, *, simulated: bool, counts: bool, follows: bool = False) -> None:
        """Clear the plots.

        Args:
            cpus: Number of shared CPUs, >= 1.
            simulated: True for a simulated machine.
            counts: True when a database is counted.
            follows: True while following, which sets splits.
        """
        self.use.begin(cpus, simulated=simulated)
        self.rate.begin(simulated=simulated, follows=follows)
        self.rate_frame.setVisible(counts)
        for frame in (self.use_frame, self.rate_frame):
            frame.set_simulated(simulated)

    def draw(self) -> None:
        """Draw all windows now."""
        self.drawn.stop()
        self._queue.clear()
        for work in self._all_works():
            work()

    def _all_works(self) -> list[Draw]:
        """Return the functions that draw the plots, top to bottom."""
        return [self._draw_use] if self.rate_frame.isHidden() else [self._draw_use, self._draw_rate]

    def _draw_use(self) -> None:
        self.use.draw()
        self.use_frame.refresh_table()

    def _draw_rate(self) -> None:
        self.rate.draw()
        self.rate_frame.refresh_table()

    def _draw_soon(self) -> None:
        if not self.drawn.isActive():
            self.drawn.start()


class WatchPlots(UsageAndRatePlots):
    """Plots of a watched host."""

    def begin(self, began: WatchStarted) -> None:
        """Clear the plots."""
        self.begin_plots(began.cpus, simulated=began.simulated, counts=began.database)
        self.draw()

    def take(self, window: WatchWindow) -> None:
        """Add a window and draw it soon."""
        self.use.take(window)
        self.rate.take(window.watched_s, window.rate_tps)
        self._draw_soon()
