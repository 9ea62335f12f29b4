"""Card to choose a host by kind, by fields, by URL or from recent hosts."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.display_texts import escape_mnemonics, shorten_name
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.card_columns import CardColumns
from app.widgets.dialog_layout import show_dialog
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label, tooltip_text
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_card import ChoiceCard
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FormField
from app.wizard.host_kinds import (
    HERE,
    OFFERED_KINDS,
    SSH,
    explain_url,
    fields_of,
    host_kind_of,
    list_standard_values,
    url_of,
    values_of,
)
from app.wizard.input_parsing import HOST_PLACEHOLDER
from scheduler.model.urls import redact_url
from scheduler.sim.noise import NOISES
from scheduler.sim.scheduler_params import DIALECTS
from scheduler.translation import _

_ROWS = (("runs", "where"), ("host", "user", "port"), ("scheduler", "noise", "seed"), ("file",))
_WIDE = {"host": 3, "user": 2, "noise": 2}
_OWN_FIELDS = {each.name: each for kind in OFFERED_KINDS.values() for each in kind.own_fields}
_LETTERS = {"port": 8, "seed": 10}


class KindFields(QWidget):
    """Fields of all kinds of hosts; only fields of the chosen kind are visible.

    Args:
        theme: Colours.
        settings: Stores the last folder of machine files.
        parent: Qt's parent.

    Signals:
        typed: The user typed into a field.
        chosen: The user chose a value from a list, or a file.
    """

    typed = Signal()
    chosen = Signal()

    def __init__(self, theme: Theme, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._kind = ""
        self.lists: dict[str, ChoiceField] = {}
        self.texts: dict[str, FormField] = {}
        self._rows: dict[tuple[str, ...], SideBySide] = {}
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        for names in (*_ROWS, tuple(_OWN_FIELDS)):
            self._rows[names] = row = SideBySide(480)
            box.addWidget(row)
            for name in names:
                row.add(self._make_part(name), _WIDE.get(name, 1), top=True)
        self.texts["port"].edit.setPlaceholderText(_("usual"))
        self.texts["seed"].edit.setPlaceholderText(_("default"))
        self.texts["file"].edit.setPlaceholderText(_("none: DomTune's own machine"))
        self.browse = secondary_button(theme, _("Choose\N{HORIZONTAL ELLIPSIS}"), "folder")
        self.browse.setAccessibleName(_("Choose a machine file"))
        self.texts["file"].row.addWidget(self.browse)
        self.browse.clicked.connect(self._ask_file)
        self.show_kind("", {})

    def _make_part(self, name: str) -> QWidget:
        if name in _list_choices():
            self.lists[name] = choice = ChoiceField(*_list_choices()[name])
            choice.chosen.connect(self._handle_choice)
            return choice
        names = {
            "host": _("Na&me or address"),
            "user": _("User"),
            "port": _("Port"),
            "seed": _("Seed"),
            "file": _("Machine file"),
            **{each.name: each.title for each in _OWN_FIELDS.values()},
        }
        hint = _OWN_FIELDS[name].help if name in _OWN_FIELDS else ""
        self.texts[name] = field = FormField(names[name], hint=hint, letters=_LETTERS.get(name, 0))
        field.typed.connect(lambda _: self.typed.emit())
        return field

    @property
    def values(self) -> dict[str, str]:
        """Field of the chosen kind to its text."""
        return {name: self._field_value(name) for name in fields_of(self._kind)}

    @property
    def host(self) -> FormField | None:
        """Field for the host's name; None when the host needs no name."""
        return self.texts["host"] if "host" in fields_of(self._kind, self.values) else None

    def show_kind(self, kind: str, values: Mapping[str, str]) -> None:
        """Show the fields of a kind with the given values.

        Args:
            kind: A key of `OFFERED_KINDS`; empty to hide all fields.
            values: Field to its text; other fields stay unchanged.
        """
        self._kind = kind
        for name in fields_of(kind):
            if name in values and name in self.lists:
                self.lists[name].set_value(values[name])
            elif name in values:
                self.texts[name].set_text(values[name])
        self._arrange_fields()

    def begin(self, kind: str) -> dict[str, str]:
        """Return the first values of a kind's fields; keep a typed host name."""
        return list_standard_values(kind) | {"host": self.texts["host"].edit.text()}

    def _arrange_fields(self) -> None:
        shown = fields_of(self._kind, self.values)
        for names, row in self._rows.items():
            for name in names:
                self._field_widget(name).setVisible(name in shown)
            row.setVisible(any(name in shown for name in names))
        self.setVisible(bool(shown))

    def _field_widget(self, name: str) -> QWidget:
        return self.lists[name] if name in self.lists else self.texts[name]

    def _field_value(self, name: str) -> str:
        return self.lists[name].value if name in self.lists else self.texts[name].edit.text()

    def _handle_choice(self) -> None:
        self._arrange_fields()
        self.chosen.emit()

    def _ask_file(self) -> None:
        folder = str(self._settings.export_dir)
        dialog = QFileDialog(self, _("Choose a machine file"), folder, _("Machine files (*.json)"))
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._take_file)
        show_dialog(dialog)

    def _take_file(self, path: str) -> None:
        self._settings.export_dir = Path(path).parent
        self.texts["file"].set_text(path)
        self.chosen.emit()


def _list_choices() -> dict[str, tuple[str, dict[str, str]]]:
    own = {"": _("default of the machine")}
    names = {"credit": "Credit", "credit2": "Credit2", "rtds": "RTDS", "sedf": "SEDF", "sedf-xm": _("SEDF, set by xm")}
    noises = {
        "lab": _("lab: quiet machine and network"),
        "shared": _("shared: other guests, slow drift"),
        "hetero": _("hetero: more at uneven splits"),
        "noisytop": _("noisytop: high near the optimum"),
        "all25": _("all25: 25 % everywhere"),
        "drift": _("drift: strong slow drift"),
        "epoch": _("epoch: varies by database start"),
        "none": _("none: no noise"),
    }
    return {
        "runs": (_("Type of host"), {"qemu": _("QEMU and KVM"), "lxc": "LXC", "xen": "Xen"}),
        "where": (_("Location"), {SSH: _("Another computer, over ssh"), HERE: _("This computer")}),
        "scheduler": (_("Scheduler"), own | {key: names.get(key, key) for key in DIALECTS}),
        "noise": (_("Noise"), own | {key: noises.get(key, key) for key in NOISES}),
    }


_HERE = "local:"
_CARD_PX = 140  # width for a kind's name and two words


class HostChoice(Card):
    """Card to choose the URL of a host; nothing is probed here.

    Args:
        theme: Colours.
        settings: Recent hosts, and the last folder of machine files.

    Signals:
        typed: The URL, at each change by the user.
        picked: The URL after a choice that completes it; follows `typed`.

    Attributes:
        url: Field for the URL.
        test: Button to test the host.
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
        for key, kind in OFFERED_KINDS.items():
            self.cards[key] = card = ChoiceCard(theme, kind.name, kind.summary, compact=True)
            self._group.addButton(card)
            card.clicked.connect(lambda _, key=key: self._begin_kind(key))
            columns.add(card)
        self.fields = KindFields(theme, settings)
        self.body.addWidget(self.fields)
        self.url = FormField(_("Host UR&L"))
        self.url.edit.setPlaceholderText(_HERE)
        self.test = secondary_button(theme, _("&Test"), "refresh")
        self.url.row.addWidget(self.test)
        self.meaning = make_label("", "dim", wrap=True)
        for part in (self.url, self.meaning, self._make_recent_row(settings)):
            self.body.addWidget(part)
        self.fields.typed.connect(lambda: self._update_url(chosen=False))
        self.fields.chosen.connect(lambda: self._update_url(chosen=True))
        self.url.typed.connect(self._store_input)

    @property
    def empty_host_field(self) -> FormField | None:
        """Field for the host's name while the name is required and empty; else None."""
        host = self.fields.host
        return host if host is not None and not host.edit.text().strip() else None

    def show_url(self, url: str) -> None:
        """Show a URL with its kind and fields, without emitting a signal."""
        self.url.set_text(url)
        values = values_of(url)
        kind = host_kind_of(url)
        self._group.setExclusive(False)  # an exclusive group does not allow unchecking the last card
        for key, card in self.cards.items():
            card.setChecked(key == kind)
        self._group.setExclusive(True)
        self.fields.show_kind(kind if values is not None else "", values or {})
        self._explain_url(url)

    def take_focus(self) -> None:
        """Focus a missing host name, else the URL."""
        field = self.empty_host_field or self.url
        field.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _store_input(self, text: str) -> None:
        self.show_url(text)
        self.typed.emit(text)

    def _begin_kind(self, kind: str) -> None:
        """Begin a URL of a kind; keep a URL that has this kind."""
        url = self.url.edit.text()
        self._use_url(url if host_kind_of(url) == kind else url_of(kind, self.fields.begin(kind)))

    def _use_url(self, url: str) -> None:
        self._store_input(url)
        if self.empty_host_field:
            self.empty_host_field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        elif HOST_PLACEHOLDER not in url:
            self.picked.emit(url)

    def _update_url(self, *, chosen: bool) -> None:
        """Update the URL from the fields, which keep their text."""
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
            text = " ".join((text, _("The URL has more parts than these fields. Edit the URL itself."))).strip()
        self.meaning.setText(text)
        self.meaning.setVisible(bool(text))

    def _make_recent_row(self, settings: Settings) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(make_label(_("Used before"), "dim"), 0, Qt.AlignmentFlag.AlignTop)
        known = [url for url in settings.recent_hosts if url != _HERE][:4]
        row.setVisible(bool(known))
        buttons = QWidget()
        flow = FlowLayout(buttons)
        for url in known:
            button = secondary_button(self._theme, escape_mnemonics(shorten_name(url)), "host")
            button.setToolTip(tooltip_text(url))
            button.setAccessibleName(_("Use {url}").format(url=redact_url(url)))
            button.clicked.connect(lambda _, url=url: self._use_url(url))
            flow.addWidget(button)
        box.addWidget(buttons, 1)
        return row
