"""A plot of what one study alone finds, in the place of rates; made when the first such study is shown."""

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QHBoxLayout

from app.background import Background
from app.live.marks_plot import MarksPlot
from app.theme.theme import Theme
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import Table
from scheduler.model.findings import Finding

Found = TypeVar("Found")
Plot = TypeVar("Plot", bound=MarksPlot)


class OwnPlot(Generic[Found, Plot]):
    """A plot in its frame, which stands first in a row that is there; subclasses say which, and of what.

    Args:
        theme: Colours.
        background: Writes what is saved.
        row: Where it goes.
    """

    of: type[Found]

    def __init__(self, theme: Theme, background: Background, row: QHBoxLayout) -> None:
        self._theme, self._background, self._row = theme, background, row
        self._height_px = 0
        self.finding: Found | None = None
        self.plot: Plot | None = None
        self.frame: PlotFrame | None = None

    def showing(self, finding: Finding | None, *, simulated: bool) -> list[tuple[str, Callable[[], None]]]:
        """Return names and pieces of the work of showing a study; none for a study of another kind."""
        if not isinstance(finding, self.of):
            return []
        made = [] if self.frame is not None else [("own plot", self._make), ("own frame", self._frame)]
        return [*made, ("own points", lambda: self._fill(finding, simulated=simulated))]

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
        self.plot = self._new_plot()

    def _frame(self) -> None:
        if self.plot is None:
            return
        self.frame = PlotFrame(self._background, "", self.plot, self._table)
        self.frame.heading.setWordWrap(True)
        self._dress(self.frame, self.plot)
        self.frame.hide()
        self.frame.setFixedHeight(self._height_px)
        self._row.insertWidget(0, self.frame, 4)

    def _fill(self, finding: Found, *, simulated: bool) -> None:
        if self.plot is None or self.frame is None:
            return
        self.finding = finding
        self._show(self.plot, finding)
        self.frame.set_simulated(simulated)
        self.frame.refresh_table()
        self.frame.show()

    def _table(self) -> Table:
        return self._table_of(self.finding) if self.finding is not None else Table(())

    def _new_plot(self) -> Plot:
        raise NotImplementedError

    def _dress(self, frame: PlotFrame, plot: Plot) -> None:
        raise NotImplementedError

    def _show(self, plot: Plot, finding: Found) -> None:
        raise NotImplementedError

    def _table_of(self, finding: Found) -> Table:
        raise NotImplementedError
