"""Choosing a host: its kind as a card, its parts as fields, its URL kept in step below; or one that was used before."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from app.display_texts import escape_mnemonics, shorten_name
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.card_columns import CardColumns
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label, tooltip_text
from app.wizard.choice_card import ChoiceCard
from app.wizard.field import FormField
from app.wizard.host_kinds import explain_url, list_host_kinds
from app.wizard.host_url_parts import host_kind_of, url_of, values_of
from app.wizard.input_parsing import HOST_PLACEHOLDER
from app.wizard.kind_fields import KindFields
from scheduler.model.urls import redact_url

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
        self._theme = theme
        self.cards: dict[str, ChoiceCard] = {}
        self._group = QButtonGroup(self)
        columns = CardColumns(_CARD_PX)
        self.body.addWidget(columns)
        for kind in list_host_kinds():
            self.cards[kind.key] = card = ChoiceCard(theme, kind.name, kind.does, compact=True)
            self._group.addButton(card)
            card.clicked.connect(lambda _, key=kind.key: self._begin_kind(key))
            columns.add(card)
        self.fields = KindFields(theme, settings)
        self.body.addWidget(self.fields)
        self.url = FormField(self.tr("Host UR&L"))
        self.url.edit.setPlaceholderText(_HERE)
        self.test = secondary_button(theme, self.tr("&Test"), "refresh")
        self.url.row.addWidget(self.test)
        self.meaning = make_label("", "dim", wrap=True)
        for part in (self.url, self.meaning, self._make_recent_row(settings)):
            self.body.addWidget(part)
        self.fields.typed.connect(lambda: self._update_url(chosen=False))
        self.fields.chosen.connect(lambda: self._update_url(chosen=True))
        self.url.typed.connect(self._store_input)

    @property
    def empty_host_field(self) -> FormField | None:
        """The field of the host's name where it is still empty; None where a host is named, or needs no name."""
        host = self.fields.host
        return host if host is not None and not host.edit.text().strip() else None

    def show_url(self, url: str) -> None:
        """Show a URL: its kind's card is chosen, its fields are filled. Tells nobody."""
        self.url.set_text(url)
        values = values_of(url)
        kind = host_kind_of(url)
        self._group.setExclusive(False)  # else the last one could not be let go
        for key, card in self.cards.items():
            card.setChecked(key == kind)
        self._group.setExclusive(True)
        self.fields.show_kind(kind if values is not None else "", values or {})
        self._explain_url(url)

    def take_focus(self) -> None:
        """Begin where something is missing, else with the URL."""
        field = self.empty_host_field or self.url
        field.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _store_input(self, text: str) -> None:
        self.show_url(text)
        self.typed.emit(text)

    def _begin_kind(self, kind: str) -> None:
        """Start a URL of this kind, unless it is of this kind already; what is to be typed next has the keyboard."""
        url = self.url.edit.text()
        self._use_url(url if host_kind_of(url) == kind else url_of(kind, self.fields.begin(kind)))

    def _use_url(self, url: str) -> None:
        self._store_input(url)
        if self.empty_host_field:
            self.empty_host_field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        elif HOST_PLACEHOLDER not in url:
            self.picked.emit(url)

    def _update_url(self, *, chosen: bool) -> None:
        """Bring the URL in step with the fields, which stay as they were typed."""
        kind = host_kind_of(self.url.edit.text())
        url = url_of(kind, self.fields.values)
        self.url.set_text(url)
        self._explain_url(url)
        self.typed.emit(url)
        if chosen and HOST_PLACEHOLDER not in url:
            self.picked.emit(url)

    def _explain_url(self, url: str) -> None:
        text = explain_url(url)
        if host_kind_of(url) and values_of(url) is None:
            text = f"{text} {self.tr('It says more than there are fields for; change it in its own line.')}".strip()
        self.meaning.setText(text)
        self.meaning.setVisible(bool(text))

    def _make_recent_row(self, settings: Settings) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(make_label(self.tr("Used before"), "dim"), 0, Qt.AlignmentFlag.AlignTop)
        known = [url for url in settings.recent_hosts if url != _HERE][:4]
        row.setVisible(bool(known))
        buttons = QWidget()
        flow = FlowLayout(buttons)
        for url in known:
            button = secondary_button(self._theme, escape_mnemonics(shorten_name(url)), "host")
            button.setToolTip(tooltip_text(url))
            button.setAccessibleName(self.tr("Use {url}").format(url=redact_url(url)))
            button.clicked.connect(lambda _, url=url: self._use_url(url))
            flow.addWidget(button)
        box.addWidget(buttons, 1)
        return row
