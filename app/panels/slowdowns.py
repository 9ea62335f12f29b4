"""The slowdowns that an overhead study found, in the place of rates; made when the first such study is shown."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout

from app.background import Background
from app.live.slowdown_plot import SlowdownPlot
from app.panels.finding_table import slowdowns_table
from app.theme.theme import Theme
from app.widgets.buttons import tool
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import Table
from app.widgets.text import tip
from scheduler.model.findings import OverheadFinding


class Slowdowns:
    """A plot in its frame, which stands first in a row that is there.

    Args:
        theme: Colours.
        background: Writes what is saved.
        row: Where it goes.
    """

    def __init__(self, theme: Theme, background: Background, row: QHBoxLayout) -> None:
        self._theme, self._background, self._row = theme, background, row
        self._finding: OverheadFinding | None = None
        self._height_px = 0
        self.plot: SlowdownPlot | None = None
        self.frame: PlotFrame | None = None

    def showing(self, finding: OverheadFinding, *, simulated: bool) -> list[tuple[str, Callable[[], None]]]:
        """Return names and pieces of the work of showing a study."""
        made = [] if self.frame is not None else [("slow plot", self._make), ("slow frame", self._make_frame)]
        return [*made, ("slow points", lambda: self._fill(finding, simulated=simulated))]

    def hide(self) -> None:
        """Give the place back to the rates."""
        if self.frame is not None:
            self.frame.hide()

    def set_height(self, height_px: int) -> None:
        """Be so high, now or when it is made."""
        self._height_px = height_px
        if self.frame is not None:
            self.frame.setFixedHeight(height_px)

    def _make(self) -> None:
        self.plot = SlowdownPlot(self._theme)

    def _make_frame(self) -> None:
        if self.plot is None:
            return
        frame = PlotFrame(self._background, "", self.plot, self._table)
        frame.set_title(frame.tr("How much longer it takes"))
        self.ms = tool(self._theme, frame.tr("In ms"), "clock", show_text=True, checkable=True)
        self.ms.setToolTip(tip(frame.tr("Show milliseconds in place of percent")))
        self.ms.toggled.connect(self.plot.show_ms)
        frame.corner.insertWidget(0, self.ms)
        frame.hide()
        frame.setFixedHeight(self._height_px)
        self._row.insertWidget(0, frame, 4)
        self.frame = frame

    def _fill(self, finding: OverheadFinding, *, simulated: bool) -> None:
        if self.plot is None or self.frame is None:
            return
        self._finding = finding
        self.plot.show_finding(finding)
        self.frame.set_simulated(simulated)
        self.frame.refresh_table()
        self.frame.show()

    def _table(self) -> Table:
        return slowdowns_table(self._finding) if self._finding is not None else Table(())
