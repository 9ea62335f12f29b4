"""Asks what a sweep is to be called, its tags and a note about it."""

from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import primary, secondary
from app.widgets.dialog import buttons_row, column, foot
from app.widgets.text import label
from scheduler.errors import SpecError
from scheduler.model.labels import Labels
from scheduler.model.words import sentences

_WIDTH_PX = 460
_NOTE_PX = 110


class LabelsDialog(QDialog):
    """Accepted when what was typed can be kept.

    Args:
        theme: Colours.
        labels: What it is called now.
        unnamed: What it is called without a name.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, labels: Labels, unnamed: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Name, tags and note"))
        self.name = QLineEdit(labels.title)
        self.name.setPlaceholderText(unnamed)
        self.tags = QLineEdit(", ".join(labels.tags))
        self.tags.setPlaceholderText(self.tr("separated by commas"))
        self.note = QPlainTextEdit(labels.note)
        self.note.setTabChangesFocus(True)
        self.note.setMinimumHeight(_NOTE_PX)
        self.wrong = label("", "danger", wrap=True)
        self.wrong.hide()
        box = column(self, SPACE_S, wide_px=_WIDTH_PX)
        box.addWidget(label(self.windowTitle(), "title"))
        for words, field in (
            (self.tr("&Name"), self.name),
            (self.tr("&Tags"), self.tags),
            (self.tr("N&ote"), self.note),
        ):
            caption = label(words, "dim")
            caption.setBuddy(field)
            field.setAccessibleName(words.replace("&", ""))
            box.addWidget(caption)
            box.addWidget(field)
        box.addWidget(label(self.tr("Reports and exported results carry them. No figure changes."), "dim", wrap=True))
        box.addWidget(self.wrong)
        self.save = primary(theme, self.tr("Save"))
        self.cancel = secondary(theme, self.tr("Cancel"))
        foot(self, buttons_row(self.cancel, self.save))
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self.name.setFocus()
        self.name.selectAll()

    def labels(self) -> Labels:
        """Return what was typed; raises SpecError where it cannot be kept."""
        tags = dict.fromkeys(tag.strip() for tag in self.tags.text().split(","))
        return Labels(
            title=self.name.text().strip(),
            tags=tuple(tag for tag in tags if tag),
            note=self.note.toPlainText().strip(),
        )

    def _save(self) -> None:
        try:
            self.labels()
        except SpecError as error:
            self.wrong.setText(sentences(str(error), error.hint))
            self.wrong.show()
            return
        self.accept()
