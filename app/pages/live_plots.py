"""Body of the live page: one large plot with the logs, and three plots below."""

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.pages.study_titles import rates_title
from app.plots.cpu_plot import CpuPlot
from app.plots.cpu_tables import cpu_table, shares_table
from app.plots.line_view import LineView
from app.plots.live_texts import command_log_text, log_text
from app.plots.load_seconds import SecondKind
from app.plots.plot_tables import points_table, seconds_table
from app.plots.run_board import LoggedDocument, RunBoard
from app.plots.share_plot import SharePlot
from app.plots.split_throughput_plot import SplitThroughputPlot
from app.plots.throughput_plot import ThroughputPlot
from app.plots.time_plot import LAST_S
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.buttons import tool_button
from app.widgets.card_columns import CardColumns
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.inputs import StillTabBar
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData
from app.widgets.themed_plot import ThemedPlot
from scheduler.model.documents import HostCommand, RunStarted
from scheduler.translation import _

_SIDE_PX = 300
_MAIN_PX = 220  # minimum height of the large plot
_SMALL_PX = 190  # minimum height of the others: legend and axis take 110
_BESIDE_PX = 230  # minimum width of each of several plots side by side


class LivePlots(QWidget):
    """Plots of a board; unchanged plots are not drawn again.

    Args:
        theme: Colours.
        background: Writes saved pictures.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = RunBoard()
        self._trials = {"split": -1, "share": -1}
        self._ring: tuple[float, int] | None = None
        self._theme, self._background = theme, background
        self.split = SplitThroughputPlot(theme)
        self.split.setMinimumHeight(_MAIN_PX)
        self.throughput, self.cpu, self.share = ThroughputPlot(theme), CpuPlot(theme), SharePlot(theme)
        self._frame_all()
        self._make_side()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._make_upper_part(), 5)
        below = CardColumns(_BESIDE_PX)
        box.addWidget(below, 4)
        for frame in self.frames[1:]:
            below.add(frame)

    def _make_side(self) -> None:
        theme = self._theme
        self.log: LineView[LoggedDocument] = LineView(
            theme, _("Log"), lambda document: log_text(document, self._board.cpus), theme.font()
        )
        self.command_log: LineView[HostCommand] = LineView(theme, _("Commands"), command_log_text, theme.mono_font(9))
        self.side = QTabWidget()
        self.side.setTabBar(StillTabBar())
        self.side.setAccessibleName(_("Log and commands"))
        self.side.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the tab bar has the focus
        self.side.addTab(self.log, _("Log"))
        self.side.addTab(self.command_log, _("Commands"))
        self.side.currentChanged.connect(lambda: self._show_lines(self._board))
        self.side.setMinimumWidth(280)
        self.side.hide()

    def prepare(self, run: RunStarted) -> None:
        """Prepare axes and headings for a run."""
        self.split.prepare(run.spec)
        self.split_frame.heading.setText(rates_title(run.spec.kind.name))
        self.share.set_sweep(run.spec, run.facts)
        for frame in self.frames:
            frame.set_simulated(run.facts.simulated)
        for plot in (self.throughput, self.cpu):
            plot.set_simulated(simulated=run.facts.simulated)

    def clear(self) -> None:
        """Discard the state of the previous run."""
        self._trials = dict.fromkeys(self._trials, -1)
        self._ring = None
        self.split.hide_now()

    def show_whole_run(self) -> None:
        """Show the whole run in the plots over time."""
        self.whole.setChecked(True)

    def show_side(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        """Show or hide log and command log."""
        self.side.setVisible(shown)
        self._show_lines(self._board)

    def parts(self) -> tuple[Callable[[RunBoard], None], ...]:
        """Return the functions that draw a board.

        Call one function per turn of the event loop, because all of them together would take too long.
        """
        return (
            self._show_points,
            self._show_ring,
            self._show_shares,
            self.throughput.show_visible,
            self.cpu.show_visible,
            self._show_lines,
        )

    def _show_points(self, board: RunBoard) -> None:
        self._board = board
        if self._has_new_trials("split"):
            self.split.set_points(board.points)
            self.split_frame.refresh_table()

    def _show_shares(self, board: RunBoard) -> None:
        self._board = board
        if self._has_new_trials("share"):
            self.share.set_points(board.points)
            self.share_frame.refresh_table()

    def _has_new_trials(self, plot: str) -> bool:
        """Return True when trials have ended since the last call for a plot."""
        before, self._trials[plot] = self._trials[plot], len(self._board.trials)
        return before != self._trials[plot]

    def _show_ring(self, board: RunBoard) -> None:
        """Mark the current trial at its latest second."""
        span = board.span
        load = "" if span is None else span.mix[0]  # the ring of a mix is at its first load
        series = board.loads.get(load)
        if span is None or series is None or not len(series):
            self.split.hide_now()
            return
        if self._ring == (span.began_s, len(series)):
            return
        self._ring = (span.began_s, len(series))
        last = len(series) - 1
        if series.column("t_s", last)[0] <= span.began_s:
            self.split.hide_now()
            return
        settling = series.column("kind", last)[0] == SecondKind.SETTLING
        tps = float(series.column("tps", last)[0])
        self.split.show_now(span.setting, load, tps, settling=settling)

    def _show_lines(self, board: RunBoard) -> None:
        if not self.side.isVisible():
            return
        if self.side.currentWidget() is self.log:
            self.log.show_items(board.log)
        else:
            self.command_log.show_items(board.command_log)

    def _set_period(self, whole: bool) -> None:  # noqa: FBT001 - Qt's slot
        for plot in (self.throughput, self.cpu):
            plot.window_s = None if whole else LAST_S
            plot.show_board(self._board)
        for frame in (self.throughput_frame, self.cpu_frame):
            frame.refresh_table()

    def _frame_all(self) -> None:
        """Make a frame for each plot."""
        self.split_frame = self._make_frame(
            _("Throughput per split"), self.split, lambda: points_table(self._board.points.values())
        )
        set_glossary_tip(self.split_frame.heading, "throughput")
        self.throughput_frame = self._make_small_frame(
            _("Over time"),
            self.throughput,
            lambda: seconds_table(self._board, self.throughput.period(self._board)[0]),
        )
        self.whole = tool_button(self._theme, _("Whole run"), "clock", checkable=True)
        self.whole.setToolTip(_("Show the whole run instead of the last five minutes"))
        self.whole.toggled.connect(self._set_period)
        self.throughput_frame.corner.insertWidget(0, self.whole)
        set_glossary_tip(self.throughput_frame.heading, "throughput")
        self.cpu_frame = self._make_small_frame(
            _("CPU use"), self.cpu, lambda: cpu_table(self._board, self.cpu.period(self._board)[0])
        )
        self.share_frame = self._make_small_frame(
            _("CPU allotted and used"),
            self.share,
            lambda: shares_table(self._board.points.values(), self._board.cpus),
        )
        for frame in (self.cpu_frame, self.share_frame):
            set_glossary_tip(frame.heading, "cpu-used")
        self.frames = (self.split_frame, self.throughput_frame, self.cpu_frame, self.share_frame)

    def _make_frame(self, title: str, plot: ThemedPlot, table: Callable[[], TableData]) -> PlotFrame:
        frame = PlotFrame(self._background, title, plot, table)
        cast("QVBoxLayout", frame.layout()).setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        return frame

    def _make_small_frame(self, title: str, plot: ThemedPlot, table: Callable[[], TableData]) -> PlotFrame:
        """Return a compact frame for one of the three lower plots."""
        plot.setMinimumHeight(_SMALL_PX)
        frame = self._make_frame(title, plot, table)
        frame.set_compact(True)
        return frame

    def _make_upper_part(self) -> QSplitter:
        """Return the large plot with the logs next to it.

        The logs reduce the width of the large plot only: the three lower plots would become unreadable.
        """
        above = QSplitter(Qt.Orientation.Horizontal)
        above.addWidget(self.split_frame)
        above.addWidget(self.side)
        above.setStretchFactor(0, 1)
        above.setCollapsible(0, False)
        above.setHandleWidth(SPACE_M)
        above.setSizes([900, _SIDE_PX])
        return above
