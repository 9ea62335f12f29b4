"""Plots of an observation: split, CPU, database rate; and the table of moves."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.observe.cpu_usage_plot import CpuUsagePlot
from app.observe.follow_texts import FOLLOWING, as_sentence, observed_gain_words
from app.observe.rate_plot import RatePlot, rate_words
from app.observe.split_history_plot import SplitHistoryPlot
from app.plots.time_axis import time_text
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L
from app.widgets.card import Card
from app.widgets.draw_queue import Draw, DrawQueue
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData, TableView
from scheduler.model.observation_documents import (
    FollowAudit,
    FollowHold,
    FollowMove,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    ObservationWindow,
)
from scheduler.translation import _

LONG_S = 300.0  # a longer hold has a row of its own
_MOST = 500  # rows; older moves are in the plot and its table


class MoveHistory:
    """Table of moves and long holds, the newest first.

    Attributes:
        changes: Number of changes to the table.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._rows: list[tuple[str, str, str]] = []
        self._moved: dict[float, int] = {}  # number of the row by time of the move
        self._hold: FollowHold | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, line: ObservationLine) -> None:
        """Add a row for a move, or the result to its row; ignore other lines."""
        match line:
            case FollowMove():
                self._hold, self._moved[line.t_s] = None, len(self._rows)
                self._append_row(
                    (time_text(line.t_s), f"{line.before.label} \N{RIGHTWARDS ARROW} {line.after.label}", line.text)
                )
            case FollowAudit() if line.moved_s in self._moved:
                row = self._moved[line.moved_s]
                when, what, why = self._rows[row]
                self._rows[row] = (when, what, f"{why} {observed_gain_words(line)}")
                self.changes += 1
            case FollowHold():
                self._hold = None if line.reason == "turn" else line
            case ObservationWindow() if self._hold is not None and line.t_s - self._hold.t_s >= LONG_S:
                self._append_row((time_text(self._hold.t_s), _("no change since"), self._hold.text))
                self._hold = None
            case _:
                pass

    def _append_row(self, row: tuple[str, str, str]) -> None:
        self._rows.append(row)
        self.changes += 1

    def table(self) -> TableData:
        """Return the latest rows."""
        rows = [(when, what, as_sentence(why)) for when, what, why in reversed(self._rows[-_MOST:])]
        return TableData((_("Time"), _("Change"), _("Reason")), rows)


_DRAW_MS = 100  # a simulated day takes seconds
_PLOT_PX, _RATE_PX, _TABLE_PX = 190, 210, 160


class ObservationPlots(QWidget):
    """Plots of a watched or followed host, each with its table, and a table of moves.

    The split and the moves are shown while following only.

    Args:
        theme: Colours.
        background: Worker that writes exported files.

    Attributes:
        drawn: Timer that fires when new lines must be drawn.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker) -> None:
        super().__init__()
        self._queue = DrawQueue(self)
        self.history, self._listed = MoveHistory(), 0
        self.drawn = QTimer(self)
        self.drawn.setSingleShot(True)
        self.drawn.setInterval(_DRAW_MS)
        self.drawn.timeout.connect(lambda: self._queue.add(*self._all_works()))
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_L)
        self.split, self.use, self.rate = SplitHistoryPlot(theme), CpuUsagePlot(theme), RatePlot(theme)
        about = _("CPU used and allotted, in each window of 10 s")
        received = _("CPU used by both domains")
        rate = _("Database throughput")
        self.split_frame = PlotFrame(background, _("Split"), self.split, self.split.table)
        self.use_frame = PlotFrame(background, received, self.use, self.use.table, about)
        self.rate_frame = PlotFrame(background, rate, self.rate, self.rate.table, rate_words())
        frames = ((self.split, self.split_frame), (self.use, self.use_frame), (self.rate, self.rate_frame))
        for plot, frame in frames:
            plot.setMinimumHeight(_RATE_PX if plot is self.rate else _PLOT_PX)
            self._box.addWidget(frame, 1)
        self.moves = TableView(_("Changes and reasons"))
        self.moves.setMinimumHeight(_TABLE_PX)
        self.moves.horizontalHeader().setStretchLastSection(True)
        self.moves_card = Card(_("Changes and reasons"))
        self.moves_card.body.addWidget(self.moves)
        self._box.addWidget(self.moves_card)
        for part in (self.split_frame, self.rate_frame, self.moves_card):
            part.hide()

    def begin(self, began: ObservationStarted) -> None:
        """Clear the plots."""
        follows = isinstance(began, FollowStarted)
        self.history, self._listed = MoveHistory(), -1
        if isinstance(began, FollowStarted):
            self.split.begin(began)
        self.use.begin(began.cpus, simulated=began.simulated)
        self.rate.begin(simulated=began.simulated, follows=follows)
        self.rate_frame.setVisible(began.database)
        for part in (self.split_frame, self.moves_card):
            part.setVisible(follows)
        for frame in (self.split_frame, self.use_frame, self.rate_frame):
            frame.set_simulated(began.simulated)
        self.draw()

    def take(self, line: ObservationLine) -> None:
        """Add a line and draw it soon."""
        self.history.take(line)
        self.split.take(line)
        if isinstance(line, ObservationWindow):
            self.use.take(line)
            self.rate.take(line.t_s, line.rate_tps, turn=line.arm not in ("", FOLLOWING))
        elif isinstance(line, FollowMove) and line.io_used_frac is not None:  # else a change of the comparison period
            self.rate.take_move(line.t_s, f"{line.before.label} \N{RIGHTWARDS ARROW} {line.after.label}")
        if not self.drawn.isActive():
            self.drawn.start()

    def draw(self) -> None:
        """Draw all lines now."""
        self.drawn.stop()
        self._queue.clear()
        for work in self._all_works():
            work()

    def _all_works(self) -> list[Draw]:
        """Return the functions that draw what is shown, top to bottom."""
        works = [
            (self.split_frame, self._draw_split),
            (self.use_frame, self._draw_use),
            (self.rate_frame, self._draw_rate),
        ]
        shown = [work for frame, work in works if not frame.isHidden()]
        return [*shown, self._show_moves] if self._listed != self.history.changes else shown

    def _draw_split(self) -> None:
        self.split.draw()
        self.split_frame.refresh_table()

    def _draw_use(self) -> None:
        self.use.draw()
        self.use_frame.refresh_table()

    def _draw_rate(self) -> None:
        self.rate.draw()
        self.rate_frame.refresh_table()

    def _show_moves(self) -> None:
        self._listed = self.history.changes
        self.moves.set_table(self.history.table())
