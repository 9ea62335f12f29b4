"""The question that a sweep is to answer, as cards: one for each study."""

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QButtonGroup

from app.studies.text_registry import study_texts_of
from app.theme.theme import Theme
from app.widgets.card_columns import CardColumns
from app.wizard.choice_card import ChoiceCard
from scheduler.model.studies import SPLIT, STUDIES

_CARD_PX = 250


class QuestionChoice(CardColumns):
    """As many beside each other as the width allows.

    Args:
        theme: Colours.

    Signals:
        chosen: Name of the study whose question the person chose.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(_CARD_PX)
        self._theme = theme
        self.cards: dict[str, ChoiceCard] = {}
        self._group = QButtonGroup(self)

    def make(self) -> Iterator[None]:
        """Make the cards, one at each `next`."""
        for name, kind in STUDIES.items():
            if name != SPLIT and study_texts_of(name) is None:
                continue
            self.cards[name] = card = ChoiceCard(self._theme, _tr(kind.question), _tr(kind.does), compact=True)
            self._group.addButton(card)
            card.toggled.connect(lambda on, name=name: on and self.chosen.emit(name))
            self.add(card)
            yield

    def take_focus(self) -> None:
        """Give the keyboard focus to the chosen card."""
        chosen = next(card for card in self.cards.values() if card.isChecked())
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_study(self, study: str) -> None:
        """Show which one is asked; tells nobody."""
        self.blockSignals(True)
        self.cards[study].setChecked(True)
        self.blockSignals(False)


def _tr(text: str) -> str:
    return QCoreApplication.translate("studies", text)
