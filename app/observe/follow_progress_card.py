"""Progress of following: activity, time, measured gain, and the button to stop."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.display_texts import capitalise_first, format_duration, typeset_text
from app.observe.follow_texts import FOLLOWING, account_words, state_words
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_XS
from app.widgets.announcer import Announcer
from app.widgets.buttons import danger_button, set_busy
from app.widgets.card import Card
from app.widgets.labels import make_label, make_selectable
from app.widgets.side_by_side import SideBySide
from app.widgets.split_bar import SplitTag
from scheduler.model.observation_documents import (
    FollowGain,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowPeriod,
    FollowStarted,
    ObservationWindow,
)
from scheduler.model.terminal_text import replace_controls

_BESIDE_PX = 640
_BIG_PX = 40
_LEAST_PX = 112


class FollowProgressCard(Card):
    """Card with the progress of following; hidden while nothing runs.

    Args:
        theme: Colours.

    Signals:
        stop: The user wants to stop and restore the host.
    """

    stop = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._began: FollowStarted | None = None
        self._hold: FollowHold | None = None
        self._gains: tuple[FollowGain, ...] = ()
        self._arm, self._t_s, self._moves = FOLLOWING, 0.0, 0
        self.announcer = Announcer(self)
        self.state = make_label("", "title", wrap=True)
        self.host = make_label("", "dim", wrap=True)
        self.stop_button = danger_button(theme, "", "stop")
        self.stop_button.setMinimumHeight(_BIG_PX)
        self.stop_button.clicked.connect(self.stop)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("How much of the time is over"))
        self.left = make_label("", "dim", wrap=True)
        self.trouble = make_label("", "warn", wrap=True)
        self.now, self.found, self.wish = (SplitTag(theme) for _ in range(3))
        self.brought = make_selectable(make_label("", wrap=True))
        self._facts = self._lay_out()
        self.hide()

    def look_at(self, host: str) -> None:
        """Show that DomTune reads a host before it asks for consent."""
        self._began = self._hold = None
        self.state.setText(self.tr("Looking at {host}\N{HORIZONTAL ELLIPSIS}").format(host=host))
        self.host.setText(self.tr("Half a minute of its counters. Nothing is written before you agree."))
        self.stop_button.setText(self.tr("Stop"))
        set_busy(self.stop_button, on=False)
        for part in (self.bar, self.left, self._facts, self.trouble):
            part.hide()
        self.show()

    def begin(self, began: FollowStarted) -> None:
        """Show the followed host after the consent."""
        self._began, self._hold, self._gains = began, None, ()
        self._arm, self._t_s, self._moves = FOLLOWING, 0.0, 0
        self.host.setText(replace_controls(began.title))
        self.stop_button.setText(self.tr("Stop and give back"))
        self.found.set_split(began.split)
        self.now.set_split(began.split)
        self.wish.set_split(began.split)
        self.bar.setValue(0)
        for part in (self.bar, self.left, self._facts):
            part.show()
        self.refresh()

    def take(self, line: FollowLine) -> None:
        """Add a line; `refresh` shows it."""
        match line:
            case ObservationWindow():
                self._t_s, self._arm = line.t_s, line.arm
                words = self.tr("The last window is left out: {why}").format(why=typeset_text(line.trouble))
                self.trouble.setText(words if line.trouble else "")
                if line.wish:
                    self.wish.set_split(line.wish)
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

    def refresh(self) -> None:
        """Show the lines so far."""
        began = self._began
        if began is None:
            return
        if self.stop_button.isEnabled():
            self.state.setText(state_words(self._hold, self._arm, self._t_s))
            self.announcer.say(self.state.text())
        self.trouble.setVisible(bool(self.trouble.text()))
        self.bar.setValue(min(100, round(100 * self._t_s / began.for_s)))
        moves = self.tr("1 move") if self._moves == 1 else self.tr("{n} moves").format(n=self._moves)
        words = self.tr("{left} left of {time}; {moves}")
        left = format_duration(max(0.0, began.for_s - self._t_s))
        self.left.setText(words.format(left=left, time=format_duration(began.for_s), moves=moves))
        self.brought.setText("\n".join(account_words(began, self._gains)))

    def end(self, words: str = "") -> None:
        """Show that the host is being restored; `words` explains a failure."""
        set_busy(self.stop_button, on=True)
        ending = self.tr("Giving the host back\N{HORIZONTAL ELLIPSIS}")
        self.state.setText(ending if self._began else self.tr("Ending\N{HORIZONTAL ELLIPSIS}"))
        if words:
            self.trouble.setText(capitalise_first(words))
            self.trouble.show()
        self.announcer.say(self.state.text())

    def _lay_out(self) -> QWidget:
        words = QVBoxLayout()
        words.setSpacing(SPACE_XS)
        words.addWidget(self.state)
        words.addWidget(self.host)
        top = QHBoxLayout()
        top.setSpacing(SPACE_M)
        top.addLayout(words, 1)
        top.addWidget(self.stop_button)
        facts = SideBySide(_BESIDE_PX)
        for name, part, wide in (
            (self.tr("Split now"), self.now, 0),
            (self.tr("Original settings"), self.found, 0),
            (self.tr("Target split"), self.wish, 0),
            (self.tr("What it has brought"), self.brought, 1),
        ):
            facts.add(_add_caption(name, part), wide, top=True)
        self.body.addLayout(top)
        for part in (self.bar, self.left, facts, self.trouble):
            self.body.addWidget(part)
        return facts


def _add_caption(name: str, part: QWidget) -> QWidget:
    made = QWidget()
    made.setMinimumWidth(_LEAST_PX)
    box = QVBoxLayout(made)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(SPACE_XS)
    box.addWidget(make_label(name, "dim"))
    box.addWidget(part)
    return made
