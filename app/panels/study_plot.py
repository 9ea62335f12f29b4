"""A plot of what one study alone finds, in the place of rates; made when the first such study is shown."""

from typing import Generic, TypeVar

from PySide6.QtWidgets import QHBoxLayout

from app.background import BackgroundWorker
from app.live.marks_plot import MarksPlot
from app.theme.theme import Theme
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData
from scheduler.model.results import Results

Found = TypeVar("Found")
Plot = TypeVar("Plot", bound=MarksPlot)


class StudyPlot(Generic[Found, Plot]):
    """A plot in its frame, which stands first in a row that is there; subclasses say which, and of what.

    Args:
        theme: Colours.
        background: Writes what is saved.
        row: Where it goes.
    """

    of: type[Found]

    def __init__(self, theme: Theme, background: BackgroundWorker, row: QHBoxLayout) -> None:
        self._theme, self._background, self._row = theme, background, row
        self._height_px = 0
        self.finding: Found | None = None
        self.plot: Plot | None = None
        self.frame: PlotFrame | None = None

    def show_results(self, results: Results) -> bool:
        """Show the finding of a run; hide, and return False, if it is of another study."""
        finding = results.finding
        if not isinstance(finding, self.of):
            self._hide()
            return False
        if self.plot is None or self.frame is None:
            self.plot = self._new_plot()
            self.frame = self._make_frame(self.plot)
        self.finding = finding
        self._show(self.plot, finding)
        self.frame.set_simulated(results.simulated)
        self.frame.refresh_table()
        self.frame.show()
        return True

    def _hide(self) -> None:
        if self.frame is not None:
            self.frame.hide()

    def set_height(self, height_px: int) -> None:
        """Be so high, now or when it is made."""
        self._height_px = height_px
        if self.frame is not None:
            self.frame.setFixedHeight(height_px)

    def _make_frame(self, plot: Plot) -> PlotFrame:
        frame = PlotFrame(self._background, "", plot, self._current_table)
        frame.heading.setWordWrap(True)
        self._decorate_frame(frame, plot)
        frame.hide()
        frame.setFixedHeight(self._height_px)
        self._row.insertWidget(0, frame, 4)
        return frame

    def _current_table(self) -> TableData:
        return self._table_of(self.finding) if self.finding is not None else TableData(())

    def _new_plot(self) -> Plot:
        raise NotImplementedError

    def _decorate_frame(self, frame: PlotFrame, plot: Plot) -> None:
        raise NotImplementedError

    def _show(self, plot: Plot, finding: Found) -> None:
        raise NotImplementedError

    def _table_of(self, finding: Found) -> TableData:
        raise NotImplementedError
