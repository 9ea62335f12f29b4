"""Dialog for a sweep's name, tags and note."""

from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import primary_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row
from app.widgets.labels import make_label
from scheduler.errors import SpecError
from scheduler.model.run_labels import RunLabels
from scheduler.model.sentence_texts import join_sentences
from scheduler.translation import _

_WIDTH_PX = 460
_NOTE_PX = 110


class LabelsDialog(QDialog):
    """Dialog for a sweep's name, tags and note; accepts only valid input.

    Args:
        theme: Colours.
        labels: Current name, tags and note.
        unnamed: Default name of the sweep.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, labels: RunLabels, unnamed: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Name, tags and note"))
        self.name = QLineEdit(labels.title)
        self.name.setPlaceholderText(unnamed)
        self.tags = QLineEdit(", ".join(labels.tags))
        self.tags.setPlaceholderText(_("separated by commas"))
        self.note = QPlainTextEdit(labels.note)
        self.note.setTabChangesFocus(True)
        self.note.setMinimumHeight(_NOTE_PX)
        self.wrong = make_label("", "danger", wrap=True)
        self.wrong.hide()
        box = add_dialog_column(self, SPACE_S, wide_px=_WIDTH_PX)
        box.addWidget(make_label(self.windowTitle(), "title"))
        for words, field in (
            (_("&Name"), self.name),
            (_("&Tags"), self.tags),
            (_("N&ote"), self.note),
        ):
            caption = make_label(words, "dim")
            caption.setBuddy(field)
            field.setAccessibleName(words.replace("&", ""))
            box.addWidget(caption)
            box.addWidget(field)
        box.addWidget(
            make_label(_("Reports and exported results show them. They change no results."), "dim", wrap=True)
        )
        box.addWidget(self.wrong)
        self.save = primary_button(theme, _("Save"))
        self.cancel = secondary_button(theme, _("Cancel"))
        add_dialog_buttons(self, buttons_row(self.cancel, self.save))
        self.save.clicked.connect(self._save_labels)
        self.cancel.clicked.connect(self.reject)
        self.name.setFocus()
        self.name.selectAll()

    def labels(self) -> RunLabels:
        """Return the typed name, tags and note.

        Raises:
            SpecError: A text is too long or has invalid characters.
        """
        tags = dict.fromkeys(tag.strip() for tag in self.tags.text().split(","))
        return RunLabels(
            title=self.name.text().strip(),
            tags=tuple(tag for tag in tags if tag),
            note=self.note.toPlainText().strip(),
        )

    def _save_labels(self) -> None:
        try:
            self.labels()
        except SpecError as error:
            self.wrong.setText(join_sentences(str(error), error.hint))
            self.wrong.show()
            return
        self.accept()
