"""Dialog to try a command's pattern on pasted text; no program is run."""

import msgspec
from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from app.core_process import CommandRunner
from app.display_texts import format_rate, format_short
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import primary_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row
from app.widgets.labels import make_label, set_role
from app.wizard.command_query import CommandQuery
from app.wizard.field import FormField
from scheduler.errors import SchedulerError
from scheduler.model.pattern_preview import ParsedLine, PatternPreview, PatternRequest
from scheduler.model.sentence_texts import join_sentences
from scheduler.translation import _

MOST_LETTERS = 12_000
"""Longest pasted text, in characters: fits into an unread pipe in any alphabet."""

_WIDTH_PX = 640
_TEXT_PX = 130
_QUIET_MS = 250  # pause in typing after which the pattern is tried
_LIMIT_S = 15.0


class PasteEdit(QPlainTextEdit):
    """Text box that limits pasted text: a whole log would block the window."""

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste the beginning of a text, as plain text."""
        room = MOST_LETTERS - self.document().characterCount()
        self.insertPlainText(source.text()[: max(0, room)])


class PatternDialog(QDialog):
    """Dialog to try a pattern; accepted to use the pattern.

    Args:
        theme: Colours.
        runner: Starts the command that matches, because some patterns would block the window.
        pattern: Pattern of the load's card.
        unit: Unit of the load's rates.
        parent: Qt's parent.

    Signals:
        chosen: The pattern to use.
    """

    chosen = Signal(str)

    def __init__(
        self, theme: Theme, runner: CommandRunner, pattern: str, unit: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._unit = unit
        self.setWindowTitle(_("Try the pattern"))
        self.pattern = FormField(_("&Pattern"))
        self.pattern.set_text(pattern)
        self.text = _set_up_box(PasteEdit(), _("Output of the program"))
        self.text.setPlaceholderText(_("Paste some lines of your program's output."))
        self.found = _set_up_box(QPlainTextEdit(), _("Rates found"))
        self.found.setReadOnly(True)
        self.verdict = make_label("", "dim", wrap=True)
        caption = make_label(_("&Output of the program (nothing is run here)"), "dim")
        caption.setBuddy(self.text)
        box = add_dialog_column(self, SPACE_S, wide_px=_WIDTH_PX)
        for part in (
            make_label(self.windowTitle(), "title"),
            self.pattern,
            caption,
            self.text,
            self.verdict,
            self.found,
        ):
            box.addWidget(part)
        self.use = primary_button(theme, _("Use this pattern"))
        self.cancel = secondary_button(theme, _("Cancel"))
        add_dialog_buttons(self, buttons_row(self.cancel, self.use))
        self.cancel.clicked.connect(self.reject)
        self.use.clicked.connect(self._use_pattern)
        self._question = CommandQuery(runner, PatternPreview, _LIMIT_S, self)
        self._question.answered.connect(self._show_preview)
        self._question.failed.connect(self._show_failure)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._ask_core)
        self.pattern.typed.connect(self._ask_later)
        self.text.textChanged.connect(self._ask_later)
        self.finished.connect(self._question.cancel)
        self.text.setFocus()
        self._show_verdict(_("Each line will be shown with the rate found in it."), "dim")

    def _ask_later(self) -> None:
        self._question.cancel()
        self._quiet.start()

    def _ask_core(self) -> None:
        text = "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in self.text.toPlainText())
        asked = PatternRequest(pattern=self.pattern.edit.text(), text=text[:MOST_LETTERS], unit=self._unit)
        self._question.ask("understand", stdin=msgspec.json.encode(asked))

    def _show_preview(self, answer: PatternPreview) -> None:
        if answer.error:
            self._show_verdict(join_sentences(answer.error, answer.hint), "danger")
            self.found.clear()
            return
        self.found.setPlainText(
            "\n".join(f"{self._figures_text(line)}  \N{MIDDLE DOT}  {line.text}" for line in answer.lines)
        )
        words = _("{n} of {all} lines contain a rate.").format(n=len(answer.counted), all=len(answer.lines))
        if answer.problem:
            self._show_verdict(join_sentences(words, _("A sweep would reject this output"), answer.problem), "danger")
            return
        self._show_verdict(words, "good" if answer.counted else "warn")

    def _show_failure(self, error: SchedulerError) -> None:
        self._show_verdict(join_sentences(str(error), error.hint), "danger")
        self.found.clear()

    def _show_verdict(self, words: str, role: str) -> None:
        self.verdict.setText(words)
        set_role(self.verdict, role)

    def _figures_text(self, line: ParsedLine) -> str:
        if line.figure is None:
            return _("ignored: {problem}").format(problem=line.problem) if line.problem else _("ignored")
        counted = _("{n} since the line before")
        figure = counted.format(n=format_short(line.figure)) if line.counts else format_rate(line.figure, self._unit)
        times = [_("{name} {ms} ms").format(name=name, ms=format_short(ms)) for name, ms in line.times_ms.items()]
        errors = [_("{n} errors").format(n=line.errors)] if line.errors else []
        return ", ".join([figure, *times, *errors])

    def _use_pattern(self) -> None:
        self.chosen.emit(self.pattern.edit.text())
        self.accept()


def _set_up_box(made: QPlainTextEdit, name: str) -> QPlainTextEdit:
    made.setTabChangesFocus(True)
    made.setMinimumHeight(_TEXT_PX)
    made.setAccessibleName(name)
    return made
