"""Progress of watching: time, preliminary result, and the button to stop."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar

from app.display_texts import format_duration, typeset_text
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import secondary_button, set_busy
from app.widgets.card import Card
from app.widgets.labels import make_label, make_selectable
from app.widgets.side_by_side import SideBySide
from app.widgets.split_bar import SplitTag
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow
from scheduler.model.terminal_text import replace_controls

_BESIDE_PX = 560


class WatchProgressCard(Card):
    """Card with the progress of watching; hidden while nothing runs.

    Args:
        theme: Colours.

    Signals:
        stop: The user wants to stop watching.
    """

    stop = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._began: ObservationStarted | None = None
        self._lost = 0
        self.state = make_label("", "lead", wrap=True)
        self.stop_button = secondary_button(theme, "", "stop")
        self.stop_button.clicked.connect(self.stop)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("How much of the time is over"))
        self.left = make_label("", "dim", wrap=True)
        self.trouble = make_label("", "warn", wrap=True)
        self.tag = SplitTag(theme)
        self.so_far = make_selectable(make_label("", wrap=True))
        top = QHBoxLayout()
        top.setSpacing(SPACE_M)
        top.addWidget(self.state, 1)
        top.addWidget(self.stop_button)
        self._found = SideBySide(_BESIDE_PX)
        self._found.add(self.tag, 0, top=True)
        self._found.add(self.so_far, 1, top=True)
        self.body.addLayout(top)
        for part in (self.bar, self.left, self._found, self.trouble):
            self.body.addWidget(part)
        self.hide()

    def look_at(self, host: str) -> None:
        """Show that DomTune checks the access to a host."""
        self._began, self._lost = None, 0
        self.state.setText(self.tr("Looking at {host}\N{HORIZONTAL ELLIPSIS}").format(host=host))
        self.stop_button.setText(self.tr("Stop"))
        self._clear_progress()
        self.show()

    def wait(self) -> None:
        """Show that DomTune reads the first counters."""
        self.state.setText(self.tr("Reading the first counters\N{HORIZONTAL ELLIPSIS}"))

    def begin(self, began: ObservationStarted) -> None:
        """Show the watched host."""
        self._began = began
        words = self.tr("Watching {title}, where {split} is set")
        self.state.setText(words.format(title=replace_controls(began.title), split=began.split.label))
        self.stop_button.setText(self.tr("Stop and tell"))
        self.so_far.setText(self.tr("What can be said by now is told after the first minute."))
        for part in (self.bar, self.left, self._found):
            part.show()
        self._tell_left(0.0)

    def take(self, window: ObservationWindow) -> None:
        """Show the progress and the preliminary result."""
        self._lost += bool(window.trouble)
        self._tell_left(window.t_s)
        words = self.tr("The last window is left out: {why}").format(why=window.trouble)
        self.trouble.setText(words)
        self.trouble.setVisible(bool(window.trouble))
        if window.headline:
            self.so_far.setText(self.tr("So far: {words}").format(words=typeset_text(window.headline)))
            self.tag.set_split(window.ordered_split)  # only a split to apply has a bar
            self.tag.setVisible(window.ordered_split is not None)

    def end(self) -> None:
        """Show that the result is pending."""
        set_busy(self.stop_button, on=True)
        self.state.setText(self.tr("Ending\N{HORIZONTAL ELLIPSIS}"))

    def _tell_left(self, watched_s: float) -> None:
        if self._began is None:
            return
        for_s = self._began.for_s
        self.bar.setValue(min(100, round(100 * watched_s / for_s)))
        words = self.tr("{time} watched, {left} left").format(
            time=format_duration(watched_s), left=format_duration(max(0.0, for_s - watched_s))
        )
        lost = self.tr("{words}; windows of 10 s left out: {n}").format(words=words, n=self._lost)
        self.left.setText(lost if self._lost else words)

    def _clear_progress(self) -> None:
        set_busy(self.stop_button, on=False)
        self.bar.setValue(0)
        for part in (self.bar, self.left, self._found, self.tag, self.trouble):
            part.hide()
