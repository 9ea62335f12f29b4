"""The chart of a study in the place of the plot of rates, with a switch to its alternative view."""

from PySide6.QtWidgets import QHBoxLayout, QToolButton

from app.background import BackgroundWorker
from app.display_texts import typeset_text
from app.live.chart_plot import ChartPlot
from app.theme.theme import Theme
from app.widgets.buttons import tool_button
from app.widgets.labels import tooltip_text
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData
from app.widgets.value_table import table_data
from scheduler.model.chart import Chart
from scheduler.model.results import Results
from scheduler.model.table import Table
from scheduler.studies.study_charts import study_charts, study_tables


class StudyPlot:
    """A plot in its frame, first in a row that exists; it is made when the first such study is shown.

    Args:
        theme: Colours.
        background: Writes saved pictures.
        row: Layout for the frame.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker, row: QHBoxLayout) -> None:
        self._theme, self._background, self._row = theme, background, row
        self._height_px = 0
        self._charts: tuple[Chart, ...] = ()
        self._tables: tuple[Table, ...] = ()
        self.plot: ChartPlot | None = None
        self.frame: PlotFrame | None = None
        self.view: QToolButton | None = None

    def show_results(self, results: Results) -> bool:
        """Show the first chart of a study that takes the place of the rates; else hide, and return False."""
        charts = study_charts(results)
        self._charts = charts if charts and charts[0].leads else ()
        self._tables = study_tables(results) if self._charts else ()
        if not self._charts:
            if self.frame is not None:
                self.frame.hide()
            return False
        if self.frame is None:
            self._make_frame()
        if self.frame is None or self.view is None:
            return False
        views = [chart for chart in self._charts[1:] if chart.view]
        self.view.setVisible(bool(views))
        self.view.setChecked(False)
        if views:
            self.view.setText(typeset_text(views[0].view))
            self.view.setToolTip(tooltip_text(typeset_text(views[0].y.title)))
        self._show_view()
        self.frame.set_simulated(results.simulated)
        self.frame.refresh_table()
        self.frame.show()
        return True

    def set_height(self, height_px: int) -> None:
        """Give the frame a height, now or when it is made."""
        self._height_px = height_px
        if self.frame is not None:
            self.frame.setFixedHeight(height_px)

    def _make_frame(self) -> None:
        self.plot = ChartPlot(self._theme)
        self.frame = PlotFrame(self._background, "", self.plot, self._table)
        self.frame.heading.setWordWrap(True)
        self.view = tool_button(self._theme, "", "plot", show_text=True, checkable=True)
        self.view.toggled.connect(self._show_view)
        self.frame.corner.insertWidget(0, self.view)
        self.frame.hide()
        self.frame.setFixedHeight(self._height_px)
        self._row.insertWidget(0, self.frame, 4)

    def _show_view(self) -> None:
        if self.plot is None or self.frame is None or self.view is None or not self._charts:
            return
        chart = self._charts[1 if self.view.isChecked() else 0]
        self.frame.set_title(typeset_text(chart.title))
        self.plot.show_chart(chart)

    def _table(self) -> TableData:
        """Return the figures of the chart: the study's first table."""
        return table_data(self._tables[0]) if self._tables else TableData(())
