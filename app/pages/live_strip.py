"""Top strip of the live page: state, remaining time and buttons."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.display_texts import format_clock, format_duration, format_rough_duration, typeset_text
from app.plots.live_texts import detail_words, state_name, state_words
from app.plots.progress_strip import ProgressStrip
from app.plots.run_board import RunBoard
from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.announcer import Announcer
from app.widgets.buttons import danger_button, primary_button, secondary_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import make_label, set_role, tooltip_text
from app.widgets.lines_label import LinesLabel
from app.widgets.split_bar import SplitBar
from scheduler.model.documents import RunOutcome, RunState
from scheduler.model.setting import split_of
from scheduler.plans.study_plan import simulation_time_s
from scheduler.translation import _

_WHOLE_LINES = 50  # more than any reason has


class LiveStrip(QFrame):
    """Top strip of the live page; its signals are the user's requests.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    pause_wanted = Signal()
    resume_wanted = Signal()
    stop_wanted = Signal()
    result_wanted = Signal()
    continue_wanted = Signal()
    restore_wanted = Signal()
    log_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._asked = ""
        self._controls = True
        self.setProperty("look", "strip")
        self.bar = SplitBar(theme)
        self.state = ElidedLabel("", "title")
        self.detail = LinesLabel("", "dim", lines=1)
        self.so_far = LinesLabel("", "large", fixed=True)
        self.left = make_label("", "title")
        self.ends = make_label("", "dim")
        self.pause = secondary_button(theme, _("Pause"), "pause")
        self.stop = danger_button(theme, _("Stop\N{HORIZONTAL ELLIPSIS}"), "stop")
        self.restore = danger_button(theme, _("Restore now"), "restore")
        self.go_on = secondary_button(theme, _("Continue"), "play")
        self.go_on.setToolTip(tooltip_text(_("Continue where the sweep stopped. Measured trials are kept.")))
        self.result = primary_button(theme, _("Show result"), "result")
        self.log = tool_button(theme, _("Log"), "log", show_text=True, checkable=True)
        self.log.setToolTip(_("Events, and the commands sent to the host"))
        self.progress = ProgressStrip(theme)
        self.announcer = Announcer(self)
        self._lay_out()
        self.pause.clicked.connect(self._pause_or_resume)
        self.stop.clicked.connect(self.stop_wanted)
        self.result.clicked.connect(self.result_wanted)
        self.restore.clicked.connect(self.restore_wanted)
        self.go_on.clicked.connect(self.continue_wanted)
        self.log.toggled.connect(self.log_toggled)
        for button in (self.restore, self.go_on, self.result):
            button.hide()

    def set_controls(self, shown: bool) -> None:  # noqa: FBT001 - a property's setter, as in Qt
        """Show or hide pause and stop; a stored run has neither."""
        self._controls = shown
        self._asked = ""

    def show_board(self, board: RunBoard) -> None:
        """Show the board's current state."""
        over = board.stopped is not None
        self._announce_state(board)
        self.so_far.setText(typeset_text(board.so_far.text) if board.so_far is not None else "")
        self.state.setText(state_words(board))
        self.detail.set_lines(_WHOLE_LINES if over else 1)  # the state of the host is never cut off
        self.detail.setText(detail_words(board))
        changed = board.stopped is not None and not (board.stopped.restored or board.stopped.busy)
        set_role(self.detail, "danger" if changed else "dim")
        split = split_of(board.span.setting) if board.span is not None else None
        self.bar.setVisible(split is not None)
        self.bar.set_split(split)
        self._show_left(board)
        self._show_buttons(board, over=over)
        one, more = _("Log, 1 warning"), _("Log, {n} warnings").format(n=board.warnings)
        self.log.setText((one if board.warnings == 1 else more) if board.warnings else _("Log"))
        self.progress.show_board(board)

    def _announce_state(self, board: RunBoard) -> None:
        """Announce the run's state and its end, but not each trial, to screen readers."""
        if not self._controls:
            return
        if board.stopped is not None:
            decided = board.so_far.text if board.so_far is not None and board.so_far.ended else ""
            self.announcer.say(f"{state_words(board)}. {detail_words(board)} {decided}".strip())
        elif board.state is not None:
            self.announcer.say(state_name(board.state))

    def take_focus(self) -> None:
        """Focus the most likely button: pause during a run, result at the end, never stop."""
        wanted = next((button for button in (self.pause, self.result) if button.isVisible()), self)
        (wanted if wanted.isEnabled() else self).setFocus(Qt.FocusReason.OtherFocusReason)

    def ask_stop(self) -> None:
        """Disable pause and stop after the user confirmed the stop."""
        self._asked = "stop"
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.stop.setEnabled(False)
        self.pause.setEnabled(False)

    def _show_left(self, board: RunBoard) -> None:
        left_s = board.left_s
        known = (
            left_s is not None and board.stopped is None and board.state not in (RunState.RESTORING, RunState.CLOSED)
        )
        self.left.setVisible(known)
        self.ends.setVisible(known)
        if left_s is None or board.run is None:
            return
        adapts = board.run.spec.adapts
        text = _("{time} left at most") if adapts else _("{time} left")
        if board.run.facts.simulated:
            self.left.setText(text.format(time=format_duration(simulation_time_s(left_s))))
            self.ends.setText(_("{time} simulated").format(time=format_rough_duration(left_s)))
            return
        self.left.setText(text.format(time=format_duration(left_s)))
        paused = board.state is RunState.PAUSED
        end = format_clock(board.run.wall_unix_s + board.now_s + left_s)
        until = _("sooner if the best is known") if adapts else _("until about {clock}").format(clock=end)
        self.ends.setText(_("after you resume") if paused else until)

    def _show_buttons(self, board: RunBoard, *, over: bool) -> None:
        held = next((part for part in (self, self.pause, self.stop, self.result) if part.hasFocus()), None)
        going = self._controls and not over
        self._update_buttons(board, going=going)
        if held is not None and not (held is self.stop and going and self.stop.isEnabled()):
            self.take_focus()  # Qt would focus the next enabled widget

    def _update_buttons(self, board: RunBoard, *, going: bool) -> None:
        self.pause.setVisible(going)
        self.stop.setVisible(going)
        self._show_ways_on(board)
        if not going or self._asked == "stop":
            return
        paused = board.state is RunState.PAUSED
        if (self._asked, paused) in (("pause", True), ("resume", False)):
            self._asked = ""
        waiting = self._waiting_text()
        self.pause.setText(waiting or (_("Resume") if paused else _("Pause")))
        # A pending request ignores presses but keeps the button enabled, so that the focus stays here.
        self.pause.setEnabled(board.state in (RunState.RUNNING, RunState.PAUSED))
        self.stop.setEnabled(board.state is not RunState.RESTORING)
        set_icon(self.pause, "play" if paused else "pause", self._theme)

    def _waiting_text(self) -> str:
        """Return the text for a requested pause or resume; empty for no request."""
        words = {
            "pause": _("Pausing\N{HORIZONTAL ELLIPSIS}"),
            "resume": _("Resuming\N{HORIZONTAL ELLIPSIS}"),
        }
        return words.get(self._asked, "")

    def _show_ways_on(self, board: RunBoard) -> None:
        """Show the buttons of an ended sweep: result, continue, restore."""
        stopped = board.stopped
        kept = board.run is not None and not (stopped is not None and stopped.busy)  # a refused sweep leaves no run
        self.result.setVisible(kept and (stopped is not None or not self._controls))
        ended = stopped if self._controls and kept else None
        unfinished = ended is not None and ended.restored and ended.outcome is not RunOutcome.COMPLETED
        self.restore.setVisible(ended is not None and not ended.restored)
        self.go_on.setVisible(unfinished)

    def _pause_or_resume(self) -> None:
        if self._asked:
            return
        resume = self.pause.text() == _("Resume")
        self._asked = "resume" if resume else "pause"
        self.pause.setText(self._waiting_text())
        (self.resume_wanted if resume else self.pause_wanted).emit()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        first = QHBoxLayout()
        first.setSpacing(SPACE_M)
        first.addWidget(self.bar)
        first.addWidget(self.state, 1)
        words.addLayout(first)
        words.addWidget(self.detail)
        time = QVBoxLayout()
        time.setSpacing(2)
        time.addWidget(self.left)
        time.addWidget(self.ends)
        row = QHBoxLayout()
        row.setSpacing(SPACE_L)
        row.addLayout(words, 1)
        row.addLayout(time)
        for button in (self.pause, self.stop, self.restore, self.go_on, self.result, self.log):
            row.addWidget(button)
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        box.setSpacing(SPACE_S)
        box.addLayout(row)
        box.addWidget(self.so_far)
        box.addWidget(self.progress)
