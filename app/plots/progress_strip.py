"""Progress bar with one segment per trial, coloured by its split.

Discarded trials are hatched.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.display_texts import format_rate
from app.load_texts import load_name, unit_of_all
from app.plots.live_texts import setting_name
from app.plots.run_board import RunBoard
from app.plots.trial_pixels import ColumnShares, Pixels, StackColours, image_of, stack_colours, stack_pixels
from app.theme.theme import Theme
from scheduler.model.documents import TrialDone
from scheduler.model.load_name import title_of
from scheduler.model.setting import split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST_2, IO
from scheduler.model.studies import Setting
from scheduler.plans.study_plan import list_certain_trials
from scheduler.translation import _

_HEIGHT_PX = 14
_PALE = 0.28
_HATCH_PX = 2
_FRAME_PX = 2
_LEAST_GAPPED_PX = 4  # narrower segments have no gap


class ProgressSegment(NamedTuple):
    """Segment of one trial.

    Attributes:
        setting: The setting; None for the original settings.
        load: Kind of the load.
        io_frac: Share of the I/O domain, 0..1; NaN without a split.
        second_frac: Share of a second guest, 0..1; 0 without a second guest.
    """

    setting: Setting | None
    load: str
    io_frac: float
    second_frac: float


class ProgressStrip(QWidget):
    """Bar of finished trials, the current trial (framed) and future trials (pale).

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._planned: list[ProgressSegment] = []
        self._done: dict[int, TrialDone] = {}
        self._taken = 0
        self._current: int | None = None
        self._picture: QImage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        theme.changed.connect(self._drop_picture)

    @property
    def done(self) -> int:
        """Number of trials drawn as finished."""
        return len(self._done)

    def show_board(self, board: RunBoard) -> None:
        """Draw the state of a run; do nothing unless a trial has begun or ended."""
        if board.run is not None and not self._planned:
            self._planned = _planned_segments(board.run.spec)
            self._drop_picture()
        current = board.span.trial if board.span is not None else None
        self._extend_plan(board, current)
        if self._taken == len(board.trials) and current == self._current:
            return
        self._done.update((trial.trial, trial) for trial in board.trials[self._taken :])
        self._taken, self._current = len(board.trials), current
        words = _("{done} of {all} trials done").format(done=len(self._done), all=len(self._planned))
        if board.run is not None and board.run.spec.adapts:
            words = _("{done} trials done, until the best is known").format(done=len(self._done))
        self.setAccessibleName(words)
        self._drop_picture()

    def _extend_plan(self, board: RunBoard, current: int | None) -> None:
        """Append the trials of an adaptive plan."""
        for done in board.trials[self._taken :]:
            if done.trial >= len(self._planned):
                self._planned.append(_make_segment(done.setting, title_of([done.load])))
        if current is not None and current >= len(self._planned) and board.span is not None:
            self._planned.append(_make_segment(board.span.setting, board.span.load))

    def clear(self) -> None:
        """Remove the run."""
        self._planned, self._taken, self._current = [], 0, None
        self._done.clear()
        self._drop_picture()

    def sizeHint(self) -> QSize:
        """Return the size of a thin bar."""
        return QSize(400, _HEIGHT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Redraw the bar for the new width."""
        super().resizeEvent(event)
        self._drop_picture()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar from the cached picture."""
        del event
        if self._picture is None:
            scale = self.devicePixelRatioF()
            self._picture = image_of(
                self._draw_pixels(round(self.width() * scale), round(self.height() * scale), scale)
            )
            self._picture.setDevicePixelRatio(scale)
        QPainter(self).drawImage(0, 0, self._picture)

    def event(self, event: object) -> bool:
        """Show the trial under the pointer as tooltip."""
        if isinstance(event, QHelpEvent) and self._planned:
            number = min(len(self._planned) - 1, int(event.pos().x() / self.width() * len(self._planned)))
            QToolTip.showText(event.globalPos(), self.words_for(max(0, number)), self)
            return True
        return super().event(event)  # pyright: ignore[reportArgumentType]

    def words_for(self, number: int) -> str:
        """Return the text about a trial by its number, >= 0."""
        trial, done = self._planned[number], self._done.get(number)
        where = _("trial {n}: {setting}, {load}").format(
            n=number + 1, setting=setting_name(trial.setting), load=load_name(trial.load)
        )
        if done is None:
            state = _("in progress") if number == self._current else _("pending")
            return f"{where}, {state}"
        return (
            f"{where}, {format_rate(done.mean_tps, unit_of_all([done]))}" if done.valid else f"{where}, {done.reason}"
        )

    def _drop_picture(self) -> None:
        self._picture = None
        self.update()

    def _draw_pixels(self, width: int, height: int, scale: float) -> Pixels:
        """Return the pixels of the whole bar."""
        palette, every, thick = self._theme.palette, len(self._planned), max(1, round(scale))
        if not every:
            return np.full((height, width), QColor(palette.line).rgba(), np.uint32)
        number = ((np.arange(width) + 0.5) * every / width).astype(int)
        if self._current is not None and self._current < every:  # stays visible among thousands of trials
            number[int((self._current + 0.5) * width / every)] = self._current
        io_frac = np.fromiter((trial.io_frac for trial in self._planned), np.float64, every)
        second_frac = np.fromiter((trial.second_frac for trial in self._planned), np.float64, every)
        pixels = stack_pixels(ColumnShares(io_frac[number], second_frac[number]), height, self._column_colours(number))
        pixels = np.where(self._discarded_mask()[number], self._hatch_pixels(width, height, thick), pixels)
        if width / every > _LEAST_GAPPED_PX * scale:
            gap = number != np.append(number[thick:], [every] * thick)
            pixels[:, gap] = QColor(palette.line).rgba()
            number[gap] = -1
        self._frame_columns(pixels, np.flatnonzero(number == self._current), thick)
        return pixels

    def _column_colours(self, number: NDArray[np.int_]) -> StackColours:
        """Return the colours of each column; future trials are pale."""
        begun = np.zeros(len(self._planned), bool)
        begun[[trial for trial in (*self._done, self._current) if trial is not None and trial < len(begun)]] = True
        palette = self._theme.palette
        pairs = zip(stack_colours(palette), stack_colours(palette, palette.raised, _PALE), strict=True)
        return StackColours(*(np.where(begun[number], full, pale).astype(np.uint32) for full, pale in pairs))

    def _discarded_mask(self) -> NDArray[np.bool_]:
        bad = [number for number, trial in self._done.items() if not trial.valid and number < len(self._planned)]
        return np.isin(np.arange(len(self._planned)), bad)

    def _hatch_pixels(self, width: int, height: int, thick: int) -> Pixels:
        step = _HATCH_PX * thick
        strokes = (np.arange(width) + np.arange(height)[:, None]) // step % 3 == 0
        danger, raised = (QColor(name).rgba() for name in (self._theme.palette.danger, self._theme.palette.raised))
        return np.where(strokes, danger, raised).astype(np.uint32)

    def _frame_columns(self, pixels: Pixels, columns: NDArray[np.int_], thick: int) -> None:
        if not len(columns):
            return
        first, beyond, ink = columns[0], columns[-1] + 1, QColor(self._theme.palette.text).rgba()
        box, edge = pixels[:, first:beyond], _FRAME_PX * thick
        box[:edge], box[-edge:], box[:, :edge], box[:, -edge:] = ink, ink, ink, ink


def _planned_segments(spec: RunSpec) -> list[ProgressSegment]:
    """Return the trials that are certain.

    An adaptive plan runs its last trials later than planned, so these are omitted.
    """
    trials = list_certain_trials(spec)
    certain = trials[: -len(spec.mixes)] if spec.adapts else trials
    return [_make_segment(trial.setting, trial.load) for trial in certain]


def _make_segment(setting: Setting | None, load: str) -> ProgressSegment:
    split = split_of(setting)
    if split is None:
        return ProgressSegment(setting, load, math.nan, 0.0)
    second = split.frac_of(GUEST_2) if GUEST_2 in split.parts else 0.0
    return ProgressSegment(setting, load, split.frac_of(IO), second)
