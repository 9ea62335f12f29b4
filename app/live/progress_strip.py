"""The thin progress bar: one segment per visit, coloured by its split, hatched when it does not count."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.live.board import Board
from app.live.phrases import setting_name
from app.live.time_axis import paint_stack
from app.load_words import load_name, unit_of
from app.theme.theme import Theme
from app.widgets.split_bar import as_split
from app.words import rate
from scheduler.model.documents import VisitDone
from scheduler.model.setting import label_of
from scheduler.model.spec import RunSpec
from scheduler.plans.duration import visits_of

_HEIGHT_PX = 14


class Segment(NamedTuple):
    """One visit: the label of its setting, the kind of its load."""

    label: str
    load: str


class ProgressStrip(QWidget):
    """Shows what is done, what goes on (framed) and what is to come (pale).

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._planned: list[Segment] = []
        self._done: dict[int, VisitDone] = {}
        self._taken = 0
        self._current: int | None = None
        self._picture: QPixmap | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        theme.changed.connect(self._forget)

    @property
    def done(self) -> int:
        """Number of visits drawn as done."""
        return len(self._done)

    def show_board(self, board: Board) -> None:
        """Draw what the board knows; costs nothing while no visit begins or ends."""
        if board.run is not None and not self._planned:
            self._planned = _segments(board.run.spec)
            self._forget()
        current = board.span.visit if board.span is not None else None
        self._extend(board, current)
        if self._taken == len(board.visits) and current == self._current:
            return
        new = board.visits[self._taken :]
        self._done.update((visit.visit, visit) for visit in new)
        stale = {visit.visit for visit in new} | {self._current, current}
        self._taken, self._current = len(board.visits), current
        words = self.tr("{done} of {all} visits done").format(done=len(self._done), all=len(self._planned))
        if board.run is not None and board.run.spec.adapts:
            words = self.tr("{done} visits done; it goes on until it is decided").format(done=len(self._done))
        self.setAccessibleName(words)
        self._paint_some(sorted(number for number in stale if number is not None))

    def _extend(self, board: Board, current: int | None) -> None:
        """Make room for the visits of a plan that decides as it goes."""
        known = len(self._planned)
        beyond = [done for done in board.visits[self._taken :] if done.visit >= known]
        self._planned += [Segment(label_of(done.setting), done.load) for done in beyond]
        if current is not None and current >= len(self._planned) and board.span is not None:
            self._planned.append(Segment(board.span.label, board.span.load))
        if len(self._planned) != known:
            self._forget()

    def clear(self) -> None:
        """Forget the run."""
        self._planned, self._taken, self._current = [], 0, None
        self._done.clear()
        self._forget()

    def sizeHint(self) -> QSize:
        """Return a thin line."""
        return QSize(400, _HEIGHT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw anew at another width."""
        super().resizeEvent(event)
        self._forget()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar; the picture is kept until something changes."""
        del event
        if self._picture is None:
            scale = self.devicePixelRatioF()
            self._picture = QPixmap(round(self.width() * scale), round(self.height() * scale))
            self._picture.setDevicePixelRatio(scale)
            self._picture.fill(QColor(self._theme.palette.line))
            self._paint_some(range(len(self._planned)))
        QPainter(self).drawPixmap(0, 0, self._picture)

    def event(self, event: object) -> bool:
        """Name the visit under the pointer."""
        if isinstance(event, QHelpEvent) and self._planned:
            number = min(len(self._planned) - 1, int(event.pos().x() / self.width() * len(self._planned)))
            QToolTip.showText(event.globalPos(), self.words_for(max(0, number)), self)
            return True
        return super().event(event)  # pyright: ignore[reportArgumentType]

    def words_for(self, number: int) -> str:
        """Return what is known of one visit."""
        visit, done = self._planned[number], self._done.get(number)
        where = self.tr("visit {n}: {setting}, {load}").format(
            n=number + 1, setting=setting_name(visit.label), load=load_name(visit.load)
        )
        if done is None:
            return where
        return f"{where}, {rate(done.mean_tps, unit_of([done.load]))}" if done.valid else f"{where}, {done.reason}"

    def _forget(self) -> None:
        self._picture = None
        self.update()

    def _paint_some(self, numbers: Sequence[int]) -> None:
        """Paint these segments into the kept picture: two per visit, however many there are."""
        if self._picture is None:
            return
        painter = QPainter(self._picture)
        wide = self.width() / max(1, len(self._planned))
        gap = 1.0 if wide > 4 else 0.0
        for number in numbers:
            if number < len(self._planned):
                self._paint_segment(painter, number, QRectF(number * wide, 0, wide - gap, self.height()))
        painter.end()
        self.update()

    def _paint_segment(self, painter: QPainter, number: int, box: QRectF) -> None:
        palette, visit, done = self._theme.palette, self._planned[number], self._done.get(number)
        painter.setOpacity(1.0)
        painter.fillRect(box, QColor(palette.raised))
        painter.setOpacity(1.0 if done is not None or number == self._current else 0.28)
        if done is None or done.valid:
            split = as_split(visit.label)
            paint_stack(painter, box, None if split is None else split.io_frac, self._theme)
        else:
            painter.fillRect(box, QBrush(QColor(palette.danger), Qt.BrushStyle.BDiagPattern))
        if number == self._current:
            painter.setPen(QColor(palette.text))
            painter.drawRect(box.adjusted(0, 0, -1, -1))


def _segments(spec: RunSpec) -> list[Segment]:
    """Return the visits that are certain; the last ones of a plan that adapts come later than planned."""
    visits = visits_of(spec)
    certain = visits[: -len(spec.loads)] if spec.adapts else visits
    return [Segment(label_of(visit.setting), visit.load) for visit in certain]
