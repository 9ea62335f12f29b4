"""Plots while following: split, CPU used by both domains, database rate and moves."""

from PySide6.QtCore import QCoreApplication

from app.background import BackgroundWorker
from app.observe.follow_texts import FOLLOWING, as_sentence, observed_gain_words
from app.observe.split_history_plot import SplitHistoryPlot
from app.observe.watch_plots import UsageAndRatePlots
from app.plots.time_axis import time_text
from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.draw_queue import Draw
from app.widgets.plot_frame import PlotFrame
from app.widgets.table import TableData, TableView
from scheduler.model.observation_documents import (
    FollowAudit,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowStarted,
    ObservationWindow,
)

LONG_S = 300.0  # a longer hold has a row of its own
_MOST = 500  # rows; older moves are in the plot and its table


def _tr(text: str) -> str:
    return QCoreApplication.translate("history", text)


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

    def take(self, told: FollowLine) -> None:
        """Add a row for a move, or the result to its row; ignore other lines."""
        match told:
            case FollowMove():
                self._hold, self._moved[told.t_s] = None, len(self._rows)
                self._append_row(
                    (time_text(told.t_s), f"{told.before.label} \N{RIGHTWARDS ARROW} {told.after.label}", told.text)
                )
            case FollowAudit() if told.moved_s in self._moved:
                row = self._moved[told.moved_s]
                when, what, why = self._rows[row]
                self._rows[row] = (when, what, f"{why} {observed_gain_words(told)}")
                self.changes += 1
            case FollowHold():
                self._hold = None if told.reason == "turn" else told
            case ObservationWindow() if self._hold is not None and told.t_s - self._hold.t_s >= LONG_S:
                self._append_row((time_text(self._hold.t_s), _tr("no move since"), self._hold.text))
                self._hold = None
            case _:
                pass

    def _append_row(self, row: tuple[str, str, str]) -> None:
        self._rows.append(row)
        self.changes += 1

    def table(self) -> TableData:
        """Return the latest rows."""
        rows = [(when, what, as_sentence(why)) for when, what, why in reversed(self._rows[-_MOST:])]
        return TableData((_tr("After"), _tr("What"), _tr("Why")), rows)


_PLOT_PX, _TABLE_PX = 190, 160


class FollowPlots(UsageAndRatePlots):
    """Plots with a common time axis, each with its table, and a table of moves.

    Args:
        theme: Colours.
        background: Worker that writes exported files.
    """

    def __init__(self, theme: Theme, background: BackgroundWorker) -> None:
        super().__init__(theme, background, _PLOT_PX)
        self.history, self._listed = MoveHistory(), 0
        self.split = SplitHistoryPlot(theme)
        self.split.setMinimumHeight(_PLOT_PX)
        self.split_frame = PlotFrame(background, self.tr("Split"), self.split, self.split.table)
        self._box.insertWidget(0, self.split_frame, 1)
        self.moves = TableView(self.tr("Moves and why"))
        self.moves.setMinimumHeight(_TABLE_PX)
        self.moves.horizontalHeader().setStretchLastSection(True)
        self.moves_card = Card(self.tr("Moves and why"))
        self.moves_card.body.addWidget(self.moves)
        self._box.addWidget(self.moves_card)

    def begin(self, began: FollowStarted) -> None:
        """Clear the plots."""
        self.history, self._listed = MoveHistory(), -1
        self.split.begin(began)
        self.split_frame.set_simulated(began.simulated)
        self.begin_plots(began.cpus, simulated=began.simulated, counts=began.database, follows=True)
        self.draw()

    def take(self, told: FollowLine) -> None:
        """Add a line and draw it soon."""
        self.history.take(told)
        self.split.take(told)
        if isinstance(told, ObservationWindow):
            self.use.take(told)
            self.rate.take(told.t_s, told.rate_tps, turn=told.arm != FOLLOWING)
        elif isinstance(told, FollowMove) and told.io_used_frac is not None:  # else a change of the comparison period
            self.rate.take_move(told.t_s, f"{told.before.label} \N{RIGHTWARDS ARROW} {told.after.label}")
        self._draw_soon()

    def _all_works(self) -> list[Draw]:
        moves = [self._show_moves] if self._listed != self.history.changes else []
        return [self._draw_split, *super()._all_works(), *moves]

    def _draw_split(self) -> None:
        self.split.draw()
        self.split_frame.refresh_table()

    def _show_moves(self) -> None:
        self._listed = self.history.changes
        self.moves.set_table(self.history.table())
