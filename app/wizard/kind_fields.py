"""The fields of a kind of host: what its URL is made of, without having to know how one is written."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import secondary_button
from app.widgets.dialog_layout import show_dialog
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FormField
from app.wizard.host_url_parts import DEFAULTS, FIELDS, HERE, SSH, fields_of
from app.wizard.plan_texts import tr
from scheduler.sim.noise import NOISES
from scheduler.sim.scheduler_params import DIALECTS

_ROWS = (("runs", "where"), ("host", "user", "port"), ("scheduler", "noise", "seed"), ("file",))
_WIDE = {"host": 3, "user": 2, "noise": 2}
_LETTERS = {"port": 8, "seed": 10}


class KindFields(QWidget):
    """Every field that any kind has; those of the chosen kind are shown.

    Args:
        theme: Colours.
        settings: Remember the folder of files.
        parent: Qt's parent.

    Signals:
        typed: Something was typed.
        chosen: Something was chosen from a list.
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
        for names in _ROWS:
            self._rows[names] = row = SideBySide(480)
            box.addWidget(row)
            for name in names:
                row.add(self._make_part(name), _WIDE.get(name, 1), top=True)
        self.texts["port"].edit.setPlaceholderText(tr("usual"))
        self.texts["seed"].edit.setPlaceholderText(tr("its own"))
        self.texts["file"].edit.setPlaceholderText(tr("none: the machine that comes with DomTune"))
        self.browse = secondary_button(theme, tr("Choose\N{HORIZONTAL ELLIPSIS}"), "folder")
        self.browse.setAccessibleName(tr("Choose a machine file"))
        self.texts["file"].row.addWidget(self.browse)
        self.browse.clicked.connect(self._ask_file)
        self.show_kind("", {})

    def _make_part(self, name: str) -> QWidget:
        if name in _list_choices():
            self.lists[name] = choice = ChoiceField(*_list_choices()[name])
            choice.chosen.connect(self._handle_choice)
            return choice
        names = {
            "host": tr("Na&me or address"),
            "user": tr("User"),
            "port": tr("Port"),
            "seed": tr("Seed"),
            "file": tr("Machine file"),
        }
        self.texts[name] = field = FormField(names[name], letters=_LETTERS.get(name, 0))
        field.typed.connect(lambda _: self.typed.emit())
        return field

    @property
    def values(self) -> dict[str, str]:
        """What stands in the fields of the chosen kind."""
        return {name: self._field_value(name) for name in FIELDS.get(self._kind, ())}

    @property
    def host(self) -> FormField | None:
        """The field of the host's name; None while the kind has none."""
        return self.texts["host"] if "host" in fields_of(self._kind, self.values) else None

    def show_kind(self, kind: str, values: Mapping[str, str]) -> None:
        """Show a kind's fields with these values; an empty kind hides them all."""
        self._kind = kind
        for name in FIELDS.get(kind, ()):
            if name in values and name in self.lists:
                self.lists[name].set_value(values[name])
            elif name in values:
                self.texts[name].set_text(values[name])
        self._arrange_fields()

    def begin(self, kind: str) -> dict[str, str]:
        """Return what a kind begins with: a host that was named already stays named."""
        named = self.texts["host"].edit.text()
        defaults = {**DEFAULTS, "user": "" if kind == "xapi" else DEFAULTS["user"], "host": named}
        return {name: defaults.get(name, "") for name in FIELDS[kind]}

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
        dialog = QFileDialog(self, tr("Choose a machine file"), folder, tr("Machine files (*.json)"))
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._take_file)
        show_dialog(dialog)

    def _take_file(self, path: str) -> None:
        self._settings.export_dir = Path(path).parent
        self.texts["file"].set_text(path)
        self.chosen.emit()


def _list_choices() -> dict[str, tuple[str, dict[str, str]]]:
    own = {"": tr("the machine's own")}
    names = {"credit": "Credit", "credit2": "Credit2", "rtds": "RTDS", "sedf": "SEDF", "sedf-xm": tr("SEDF, set by xm")}
    noises = {
        "lab": tr("lab: a machine and a network of its own"),
        "shared": tr("shared: neighbours, slow drift"),
        "hetero": tr("hetero: starved splits vary more"),
        "noisytop": tr("noisytop: so does one of the best"),
        "all25": tr("all25: 25 % everywhere"),
        "drift": tr("drift: a badly shared host"),
        "epoch": tr("epoch: each start differs a little"),
        "none": tr("none: nothing disturbs it"),
    }
    return {
        "runs": (tr("What runs there"), {"qemu": tr("QEMU and KVM"), "lxc": "LXC", "xen": "Xen"}),
        "where": (tr("Where"), {SSH: tr("Another computer, over ssh"), HERE: tr("This computer")}),
        "scheduler": (tr("Scheduler"), own | {key: names.get(key, key) for key in DIALECTS}),
        "noise": (tr("Noise"), own | {key: noises.get(key, key) for key in NOISES}),
    }
