"""Card with the check of a lesson and the answer sheet."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.display_texts import typeset_text
from app.lessons.markdown_label import MarkdownLabel
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.buttons import link_button
from app.widgets.card import Card
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label, make_selectable
from app.widgets.split_bar import SplitTag
from scheduler.errors import SpecError
from scheduler.lessons.lesson_check import CheckedLesson
from scheduler.model.split import Split, parse_split
from scheduler.translation import _


class CheckCard(Card):
    """Check of a student's run; hidden until `show_check`.

    Signals:
        result_wanted: The user wants to see the result of the run.
        save_wanted: The user wants to save the answer file.
    """

    result_wanted = Signal()
    save_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.heading.setWordWrap(True)
        names = (_("Predicted"), _("Measured"), _("Truth"))
        self.values = tuple(SplitTag(theme, role="title") for _ in names)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * SPACE_L)
        grid.setVerticalSpacing(SPACE_S)
        self._heads: list[QLabel] = []
        for column, (name, value) in enumerate(zip(names, self.values, strict=True)):
            self._heads.append(make_label(name, "dim"))
            grid.addWidget(self._heads[-1], 0, column)
            grid.addWidget(value, 1, column)
        grid.setColumnStretch(len(names), 1)
        self.body.addLayout(grid)
        self.reasons = make_selectable(make_label("", wrap=True))
        self.body.addWidget(self.reasons)
        buttons = QWidget()
        row = FlowLayout(buttons)
        self.result_button = link_button(theme, _("Show result"), "result")
        self.result_button.clicked.connect(self.result_wanted)
        self.save_button = link_button(theme, _("Save answer file\N{HORIZONTAL ELLIPSIS}"), "save")
        self.save_button.clicked.connect(self.save_wanted)
        row.addWidget(self.result_button)
        row.addWidget(self.save_button)
        self.body.addWidget(buttons)
        self.sheet = MarkdownLabel()
        self.body.addWidget(self.sheet)
        self.hide()

    def show_check(self, answer: CheckedLesson) -> None:
        """Show a check with its answer sheet."""
        check = answer.check
        self.set_title(typeset_text(check.sentences[0]) if check.sentences else answer.title)
        texts = (check.predicted, check.measured or _("nothing"), check.truth or _("not known"))
        for tag, text in zip(self.values, texts, strict=True):
            tag.show_setting(text, _split_in(text), room=False)
        self.reasons.setText(typeset_text("\n".join(check.sentences[1:])))
        self.reasons.setVisible(len(check.sentences) > 1)
        self.sheet.show_text(answer.sheet)
        self.show()


def _split_in(text: str) -> Split | None:
    """Return the split of a value; None for a number or a sentence."""
    try:
        return parse_split(text) if ":" in text else None
    except SpecError:
        return None
