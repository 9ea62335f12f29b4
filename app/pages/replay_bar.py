"""Bar that replays a run: a time cursor, and the answer as it was at that time."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.background import BackgroundJob, BackgroundWorker
from app.display_texts import typeset_text
from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from app.widgets.buttons import secondary_button, tool_button
from app.widgets.inputs import StillSlider
from app.widgets.labels import make_label, tooltip_text
from scheduler.model.documents import Document
from scheduler.stats.replay import RunMoment, describe_moment, list_moments_s, replay_run
from scheduler.translation import _

_STEP_MS = 350  # while playing, after the previous moment was shown
_PLAY_STEPS = 60  # a run of any length plays in about 20 s
_PAGE_STEPS = 10


class ReplayBar(QFrame):
    """Bar with a slider over the moments of a run; hidden until `start`.

    The worker computes one moment at a time. Of the moments that the slider passes meanwhile, the bar asks for the
    latest one and drops the others.

    Signals:
        moment_ready: The `RunMoment` to show.
        failed: Error of the computation.
        closed: The user wants the final answer.

    Args:
        theme: Colours.
        background: Computes the moments.
        parent: Qt's parent.
    """

    moment_ready = Signal(object)
    failed = Signal(object)
    closed = Signal()

    def __init__(self, theme: Theme, background: BackgroundWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._background = theme, background
        self._documents: Sequence[Document] = ()
        self._moments_s: list[float] = []
        self._job: BackgroundJob | None = None
        self._asked = 0  # moment that the worker computes, or that is shown
        self.setProperty("look", "bar-warn")
        self.text = make_label("", "strong", wrap=True)
        self.play = tool_button(theme, _("Play"), "play", show_text=True)
        self.slider = StillSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(_("Time of the replay"))
        self.slider.setToolTip(_("Left and Right: one trial. Page Up and Page Down: ten. Home and End."))
        self.slider.setPageStep(_PAGE_STEPS)
        self.final = secondary_button(theme, _("Show the final answer"), "result")
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.play)
        row.addWidget(self.slider, 1)
        row.addWidget(self.final)
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_L, SPACE_S, SPACE_M, SPACE_S)
        box.setSpacing(SPACE_XS)
        box.addWidget(self.text)
        box.addLayout(row)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self._play_on)
        self._playing = False
        self.slider.valueChanged.connect(self._ask_moment)
        self.slider.sliderPressed.connect(self._pause)
        self.play.clicked.connect(self._toggle_play)
        self.final.clicked.connect(self.closed)
        self.hide()

    def start(self, documents: Sequence[Document]) -> None:
        """Show the bar at the end of a run, and focus its slider.

        Args:
            documents: All documents of the run, without samples.
        """
        self._documents, self._moments_s = documents, list_moments_s(documents)
        self._asked = len(self._moments_s) - 1
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, self._asked)
            self.slider.setValue(self._asked)
        self._submit()
        self.show()
        self.slider.setFocus()

    def stop(self) -> None:
        """Hide the bar and drop its requests."""
        self._pause()
        if self._job is not None:
            self._job.cancel()
        self._job, self._documents = None, ()
        self.hide()

    def _ask_moment(self) -> None:
        """Ask for the moment under the cursor, unless the worker is busy with another one."""
        if self._job is None:
            self._asked = self.slider.value()
            self._submit()

    def _submit(self) -> None:
        documents, t_s = self._documents, self._moments_s[self._asked]
        self._job = self._background.submit(lambda _: replay_run(documents, t_s), self._show_moment, self._fail)

    def _show_moment(self, moment: RunMoment) -> None:
        self._job = None
        if self._asked != self.slider.value():
            self._ask_moment()
        words = typeset_text(describe_moment(moment))
        self.text.setText(words)
        self.slider.setAccessibleDescription(words)
        self.moment_ready.emit(moment)
        if self._playing:
            self._timer.start()

    def _fail(self, error: Exception) -> None:
        self._job = None
        self._pause()
        self.failed.emit(error)

    def _toggle_play(self) -> None:
        if self._playing:
            self._pause()
            return
        self._set_playing(playing=True)
        if self.slider.value() == self.slider.maximum():
            self.slider.setValue(0)
        else:
            self._play_on()

    def _play_on(self) -> None:
        """Move the cursor; stop at the end."""
        end = self.slider.maximum()
        self.slider.setValue(min(end, self.slider.value() + math.ceil(end / _PLAY_STEPS)))
        if self.slider.value() == end:
            self._pause()

    def _pause(self) -> None:
        self._timer.stop()
        if self._playing:
            self._set_playing(playing=False)

    def _set_playing(self, *, playing: bool) -> None:
        self._playing = playing
        words = _("Pause") if playing else _("Play")
        self.play.setText(words)
        self.play.setAccessibleName(words)
        self.play.setToolTip(tooltip_text(words))
        set_icon(self.play, "pause" if playing else "play", self._theme, "dim")
