"""Message inside a page: event, remedy and foldable details."""

from collections.abc import Callable
from functools import cached_property

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from app.widgets.buttons import link_button, tool_button
from app.widgets.labels import make_label, make_selectable, set_role
from scheduler.errors import SchedulerError
from scheduler.model.sentence_texts import join_sentences
from scheduler.translation import _

_ICONS = {"error": "error", "warning": "warning", "info": "info", "good": "check"}
_LOOKS = {"error": "bar-danger", "warning": "bar-warn", "info": "bar-info", "good": "bar-good"}
_COLOURS = {"error": "danger_text", "warning": "warn_text", "info": "accent_text", "good": "good_text"}


class MessageBar(QFrame):
    """Bar with one message; hidden until `say`.

    Levels are `error`, `warning`, `info`, `good` (as `scheduler.model.host_properties.Severity`).

    Signals:
        dismissed: The user closed the message.
    """

    dismissed = Signal()

    def __init__(self, theme: Theme, *, closable: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._level = "info"
        outer = QVBoxLayout(self)
        outer.setContentsMargins(SPACE_L, SPACE_M, SPACE_M, SPACE_M)
        outer.setSpacing(SPACE_S)
        top = QHBoxLayout()
        top.setSpacing(SPACE_M)
        self._icon = QLabel()
        top.addWidget(self._icon)
        words = QVBoxLayout()
        words.setSpacing(SPACE_XS)
        self.text = make_selectable(make_label("", "strong", wrap=True))
        self.hint = make_selectable(make_label("", "", wrap=True))
        words.addWidget(self.text)
        words.addWidget(self.hint)
        top.addLayout(words, 1)
        self._offers: list[QPushButton] = []
        self._fold: QToolButton | None = None
        self._close: QToolButton | None = None
        if closable:
            self._close = tool_button(theme, _("Dismiss"), "close")
            self._close.clicked.connect(self._dismiss_message)
            top.addWidget(self._close)
        outer.addLayout(top)
        self._outer, self._top, self._words = outer, top, words
        self.hide()
        theme.follow(self, self._tint_icon)

    @cached_property
    def details(self) -> QPlainTextEdit:
        """The text of the details, created with its fold button on first use.

        Most messages have no details.
        """
        self._fold = fold = tool_button(self._theme, _("Details"), "chevron-down", show_text=True, checkable=True)
        self._top.insertWidget(self._top.indexOf(self._words) + 1, fold)
        made = QPlainTextEdit(self)
        made.hide()
        made.setReadOnly(True)
        made.setAccessibleName(_("Details"))
        made.setFont(self._theme.mono_font())
        made.setFixedHeight(120)
        self._outer.addWidget(made)
        fold.toggled.connect(made.setVisible)
        QWidget.setTabOrder(self.hint, fold)
        QWidget.setTabOrder(self._close or fold, made)
        return made

    def say(self, level: str, text: str, hint: str = "", details: str = "") -> None:
        """Show a message.

        Args:
            level: `error`, `warning`, `info` or `good`.
            text: One sentence about the event.
            hint: Remedy; empty for none.
            details: Text behind the fold; empty for none.
        """
        self._level = level if level in _LOOKS else "info"
        self.text.setText(text)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        if details or self._fold is not None:
            self.details.setPlainText(details)
        if self._fold is not None:
            self._fold.setChecked(False)
            self._fold.setVisible(bool(details))
        for button in self._offers:
            button.deleteLater()
        self._offers = []
        self.setAccessibleName(join_sentences(text, hint))
        set_role(self, _LOOKS[self._level], "look")
        self._tint_icon()
        self.show()

    def offer(self, words: str, then: Callable[[], object]) -> QPushButton:
        """Add a button to the shown message; the next message removes it.

        Args:
            words: Label of the button.
            then: Called when the button is pressed.
        """
        button = link_button(self._theme, words)
        button.clicked.connect(lambda _checked: then())
        self._top.insertWidget(self._top.indexOf(self._words) + 1 + len(self._offers), button)
        self._offers.append(button)
        return button

    def show_error(self, error: Exception, details: str = "") -> None:
        """Show an error with its hint.

        Args:
            error: Error to show.
            details: Text behind the fold; empty for the error's notes or its cause.
        """
        hint = error.hint if isinstance(error, SchedulerError) else ""
        cause = "" if error.__cause__ is None else f"{type(error.__cause__).__name__}: {error.__cause__}"
        notes = "\n".join(getattr(error, "__notes__", ()))
        self.say("error", str(error) or type(error).__name__, hint, details or notes or cause)

    def clear(self) -> None:
        """Hide the message."""
        self.hide()

    def _dismiss_message(self) -> None:
        self.hide()
        self.dismissed.emit()

    def _tint_icon(self) -> None:
        colour = getattr(self._theme.palette, _COLOURS[self._level])
        self._icon.setPixmap(render_icon(_ICONS[self._level], colour, 20, self.devicePixelRatioF()))
