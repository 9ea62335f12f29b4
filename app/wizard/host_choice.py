"""Choosing a host: its kind as a card, its parts as fields, its URL kept in step below; or one that was used before."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import secondary
from app.widgets.card import Card
from app.widgets.columns import Columns
from app.widgets.flow import Flow
from app.widgets.text import label, tip
from app.wizard.choice_card import ChoiceCard
from app.wizard.field import Field
from app.wizard.host_kinds import kinds, meaning
from app.wizard.host_parts import kind_of, url_of, values_of
from app.wizard.kind_fields import KindFields
from app.wizard.reading import PLACE
from app.words import shortened, unkeyed
from scheduler.model.urls import shown

_HERE = "local:"
_CARD_PX = 140  # room for a kind's name and two words


class HostChoice(Card):
    """Says which URL is meant; asks nobody.

    Args:
        theme: Colours.
        settings: The hosts that were used before.

    Signals:
        typed: The URL as it stands now, at every change.
        picked: The same, where it was chosen rather than typed: nothing more is to come.

    Attributes:
        url: The field of the URL.
        test: The button beside it.
    """

    typed = Signal(str)
    picked = Signal(str)

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self._theme, self._settings = theme, settings
        self.cards: dict[str, ChoiceCard] = {}
        self._group = QButtonGroup(self)

    def make(self) -> Iterator[None]:
        """Make the kinds' cards, their fields, and the URL, a piece at each `next`."""
        columns = Columns(_CARD_PX)
        self.body.addWidget(columns)
        for kind in kinds():
            self.cards[kind.key] = card = ChoiceCard(self._theme, kind.name, kind.does, compact=True)
            self._group.addButton(card)
            card.clicked.connect(lambda _, key=kind.key: self._begin(key))
            columns.add(card)
            yield
        self.fields = KindFields(self._theme, self._settings)
        self.body.addWidget(self.fields)
        yield from self.fields.make()
        self.url = Field(self.tr("Host UR&L"))
        self.url.edit.setPlaceholderText(_HERE)
        self.test = secondary(self._theme, self.tr("&Test"), "refresh")
        self.url.row.addWidget(self.test)
        self.meaning = label("", "dim", wrap=True)
        for part in (self.url, self.meaning, self._recent(self._settings)):
            self.body.addWidget(part)
        self.fields.typed.connect(lambda: self._write(chosen=False))
        self.fields.chosen.connect(lambda: self._write(chosen=True))
        self.url.typed.connect(self._type)
        yield

    @property
    def unnamed(self) -> Field | None:
        """The field of the host's name where it is still empty; None where a host is named, or needs no name."""
        host = self.fields.host
        return host if host is not None and not host.edit.text().strip() else None

    def show_url(self, url: str) -> None:
        """Show a URL: its kind's card is chosen, its fields are filled. Tells nobody."""
        self.url.set_text(url)
        values = values_of(url)
        kind = kind_of(url)
        self._group.setExclusive(False)  # else the last one could not be let go
        for key, card in self.cards.items():
            card.setChecked(key == kind)
        self._group.setExclusive(True)
        self.fields.show_kind(kind if values is not None else "", values or {})
        self._explain(url)

    def take_focus(self) -> None:
        """Begin where something is missing, else with the URL."""
        field = self.unnamed or self.url
        field.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _type(self, text: str) -> None:
        self.show_url(text)
        self.typed.emit(text)

    def _begin(self, kind: str) -> None:
        """Start a URL of this kind, unless it is of this kind already; what is to be typed next has the keyboard."""
        url = self.url.edit.text()
        self._use(url if kind_of(url) == kind else url_of(kind, self.fields.begin(kind)))

    def _use(self, url: str) -> None:
        self._type(url)
        if self.unnamed:
            self.unnamed.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        elif PLACE not in url:
            self.picked.emit(url)

    def _write(self, *, chosen: bool) -> None:
        """Bring the URL in step with the fields, which stay as they were typed."""
        kind = kind_of(self.url.edit.text())
        url = url_of(kind, self.fields.values)
        self.url.set_text(url)
        self._explain(url)
        self.typed.emit(url)
        if chosen and PLACE not in url:
            self.picked.emit(url)

    def _explain(self, url: str) -> None:
        text = meaning(url)
        if kind_of(url) and values_of(url) is None:
            text = f"{text} {self.tr('It says more than there are fields for; change it in its own line.')}".strip()
        self.meaning.setText(text)
        self.meaning.setVisible(bool(text))

    def _recent(self, settings: Settings) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(label(self.tr("Used before"), "dim"), 0, Qt.AlignmentFlag.AlignTop)
        known = [url for url in settings.recent_hosts if url != _HERE][:4]
        row.setVisible(bool(known))
        buttons = QWidget()
        flow = Flow(buttons)
        for url in known:
            button = secondary(self._theme, unkeyed(shortened(url)), "host")
            button.setToolTip(tip(url))
            button.setAccessibleName(self.tr("Use {url}").format(url=shown(url)))
            button.clicked.connect(lambda _, url=url: self._use(url))
            flow.addWidget(button)
        box.addWidget(buttons, 1)
        return row
