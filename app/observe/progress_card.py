"""Progress of watching or following: time, result so far, and the stop button."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.display_texts import capitalise_first, format_duration, typeset_text
from app.observe.follow_texts import FOLLOWING, account_words, state_words
from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_XS
from app.widgets.announcer import Announcer
from app.widgets.buttons import secondary_button, set_busy
from app.widgets.card import Card
from app.widgets.labels import make_label, make_selectable, set_role
from app.widgets.side_by_side import SideBySide
from app.widgets.split_bar import SplitTag
from scheduler.model.observation_documents import (
    FollowGain,
    FollowHold,
    FollowMove,
    FollowPeriod,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    ObservationWindow,
)
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_BESIDE_PX = 640
_LEAST_PX = 112


class ObservationProgressCard(Card):
    """Card with the progress of watching or following; hidden while nothing runs.

    Args:
        theme: Colours.

    Signals:
        stop: The user wants to stop; after following, the host is restored.
    """

    stop = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._began: ObservationStarted | None = None
        self._hold: FollowHold | None = None
        self._gains: tuple[FollowGain, ...] = ()
        self._arm, self._t_s, self._moves, self._lost = FOLLOWING, 0.0, 0, 0
        self.announcer = Announcer(self)
        self.state = make_label("", "title", wrap=True)
        self.host = make_label("", "dim", wrap=True)
        self.stop_button = secondary_button(theme, "", "stop")
        self.stop_button.clicked.connect(self.stop)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(_("Elapsed time"))
        self.left = make_label("", "dim", wrap=True)
        self.trouble = make_label("", "warn", wrap=True)
        self.now, self.found, self.wish, self.tag = (SplitTag(theme) for _ in range(4))
        self.brought, self.so_far = (make_selectable(make_label("", wrap=True)) for _ in range(2))
        self._splits = self._make_splits()
        self._named = SideBySide(_BESIDE_PX)
        self._named.add(self.tag, 0, top=True)
        self._named.add(self.so_far, 1, top=True)
        self._lay_out()
        self.hide()

    def look_at(self, host: str, *, follows: bool) -> None:
        """Show that DomTune checks the access to a host.

        Args:
            host: URL of the host, without secrets.
            follows: True when the user is asked for consent afterwards.
        """
        self._began = self._hold = None
        self.state.setText(_("Checking {host}\N{HORIZONTAL ELLIPSIS}").format(host=host))
        words = _("DomTune reads the counters for half a minute. Nothing is written before you agree.")
        self.host.setText(words if follows else _("Nothing is written."))
        self.stop_button.setText(_("Stop"))
        set_busy(self.stop_button, on=False)
        for part in (self.bar, self.left, self._splits, self._named, self.trouble):
            part.hide()
        self.show()

    def wait(self) -> None:
        """Show that the process reads the first counters."""
        self.state.setText(_("Reading the first counters\N{HORIZONTAL ELLIPSIS}"))

    def begin(self, began: ObservationStarted) -> None:
        """Show the observed host, in case of following after the consent."""
        self._began, self._hold, self._gains = began, None, ()
        self._arm, self._t_s, self._moves, self._lost = FOLLOWING, 0.0, 0, 0
        follows = isinstance(began, FollowStarted)
        self.host.setText(replace_controls(began.title))
        self.stop_button.setText(_("Stop and restore") if follows else _("Stop and show the result"))
        for tag in (self.found, self.now, self.wish):
            tag.set_split(began.split)
        self.so_far.setText(_("The first result is shown after one minute."))
        self.tag.hide()
        self.bar.setValue(0)
        for part in (self.bar, self.left):
            part.show()
        set_role(self.stop_button, "danger" if follows else "", "kind")
        set_icon(self.stop_button, "stop", self._theme, "danger_text" if follows else "text")
        self._splits.setVisible(follows)
        self._named.setVisible(not follows)
        if not follows:
            words = _("Watching {title} at {split}")
            self.state.setText(words.format(title=replace_controls(began.title), split=began.split.label))
            self.host.setText("")
        self.host.setVisible(follows)
        self.refresh()

    def take(self, line: ObservationLine) -> None:
        """Add a line; `refresh` shows it."""
        match line:
            case ObservationWindow():
                self._take_window(line)
            case FollowMove():
                self._hold, self._arm = None, line.arm
                self._moves += line.io_used_frac is not None
                self.now.set_split(line.after)
            case FollowHold():
                self._hold = line
            case FollowPeriod():
                self._gains = line.gains
            case _:
                pass

    def _take_window(self, line: ObservationWindow) -> None:
        self._t_s, self._arm = line.t_s, line.arm
        self._lost += bool(line.trouble)
        words = _("The last window is excluded: {why}").format(why=typeset_text(line.trouble))
        self.trouble.setText(words if line.trouble else "")
        if line.headline:
            self.so_far.setText(_("So far: {words}").format(words=typeset_text(line.headline)))
            self.tag.set_split(line.ordered_split)  # only a split to apply has a bar
            self.tag.setVisible(line.ordered_split is not None)
        elif line.wish is not None:
            self.wish.set_split(line.wish)

    def refresh(self) -> None:
        """Show the lines so far."""
        began = self._began
        if began is None:
            return
        self.trouble.setVisible(bool(self.trouble.text()))
        self.bar.setValue(min(100, round(100 * self._t_s / began.for_s)))
        if not isinstance(began, FollowStarted):
            self.left.setText(self._watched_text(began.for_s))
            return
        if self.stop_button.isEnabled():
            self.state.setText(state_words(self._hold, self._arm, self._t_s))
            self.announcer.say(self.state.text())
        # Translators: changes for the comparison periods are not counted.
        words = _("{left} left of {time}; {n} changes by the tuner")
        if self._moves == 1:
            words = _("{left} left of {time}; 1 change by the tuner")
        left = format_duration(max(0.0, began.for_s - self._t_s))
        self.left.setText(words.format(left=left, time=format_duration(began.for_s), n=self._moves))
        self.brought.setText("\n".join(account_words(began, self._gains)))

    def _watched_text(self, for_s: float) -> str:
        words = _("{time} watched, {left} left").format(
            time=format_duration(self._t_s), left=format_duration(max(0.0, for_s - self._t_s))
        )
        lost = _("{words}; excluded windows of 10 s: {n}").format(words=words, n=self._lost)
        return lost if self._lost else words

    def end(self, words: str = "") -> None:
        """Show that the process ends; `words` explains a failure.

        After following, the host is being restored.
        """
        set_busy(self.stop_button, on=True)
        ending = _("Restoring the host\N{HORIZONTAL ELLIPSIS}")
        follows = isinstance(self._began, FollowStarted)
        self.state.setText(ending if follows else _("Ending\N{HORIZONTAL ELLIPSIS}"))
        if words:
            self.trouble.setText(capitalise_first(words))
            self.trouble.show()
        self.announcer.say(self.state.text())

    def _make_splits(self) -> SideBySide:
        splits = SideBySide(_BESIDE_PX)
        for name, part, wide in (
            (_("Split now"), self.now, 0),
            (_("Original settings"), self.found, 0),
            (_("Target split"), self.wish, 0),
            (_("Measured gain"), self.brought, 1),
        ):
            splits.add(_add_caption(name, part), wide, top=True)
        return splits

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(SPACE_XS)
        words.addWidget(self.state)
        words.addWidget(self.host)
        top = QHBoxLayout()
        top.setSpacing(SPACE_M)
        top.addLayout(words, 1)
        top.addWidget(self.stop_button)
        self.body.addLayout(top)
        for part in (self.bar, self.left, self._splits, self._named, self.trouble):
            self.body.addWidget(part)


def _add_caption(name: str, part: QWidget) -> QWidget:
    made = QWidget()
    made.setMinimumWidth(_LEAST_PX)
    box = QVBoxLayout(made)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(SPACE_XS)
    box.addWidget(make_label(name, "dim"))
    box.addWidget(part)
    return made
