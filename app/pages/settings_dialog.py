"""Settings dialog; changes apply at once."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QWidget,
)

from app.settings import Settings
from app.theme.theme import Appearance, Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XL
from app.widgets.buttons import secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row
from app.widgets.elided_label import ElidedLabel
from app.widgets.inputs import StillComboBox, StillSpinBox
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.open_path import open_path
from scheduler import places
from scheduler.model.load import USERS_RANGE
from scheduler.translation import LANGUAGES, _

_TEXT_PX = (6, 0, 0, 0)  # a style sheet's padding does not reach the text of a spin box


class SettingsDialog(QDialog):
    """Dialog for appearance, language, folder of results and defaults of the wizard."""

    def __init__(self, theme: Theme, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._settings = settings
        self.setWindowTitle(_("Settings"))
        box = add_dialog_column(self, wide_px=600)
        box.addWidget(make_label(_("Settings"), "title"))
        form = QFormLayout()
        form.setHorizontalSpacing(SPACE_XL)
        form.setVerticalSpacing(SPACE_M)
        form.addRow(_("&Appearance"), self._make_appearance())
        form.addRow(_("&Language"), self._make_language())
        form.addRow(_("Results"), self._make_folder())
        form.addRow(make_label(_("Defaults of new sweeps"), "lead"))
        form.addRow(_("&Users per load"), self._make_users())
        form.addRow(_("&Seconds per trial (Adaptive)"), self._make_window())
        box.addLayout(form)
        self.message = MessageBar(theme)
        box.addWidget(self.message)
        words = _("Passwords are never stored. The wizard asks for them, or they come from ~/.pgpass.")
        box.addWidget(make_label(words, "dim", wrap=True))
        add_dialog_buttons(self, close_row(self))

    def _make_appearance(self) -> QWidget:
        self.appearance = StillComboBox()
        self.appearance.setAccessibleName(_("Appearance"))
        names = {
            Appearance.SYSTEM: _("System"),
            Appearance.LIGHT: _("Light"),
            Appearance.DARK: _("Dark"),
        }
        for value, name in names.items():
            self.appearance.addItem(name, value.value)
        self.appearance.setCurrentIndex(self.appearance.findData(self._settings.appearance))
        self.appearance.currentIndexChanged.connect(self._set_appearance)
        return self.appearance

    def _make_language(self) -> QWidget:
        self.language = StillComboBox()
        self.language.setAccessibleName(_("Language"))
        self.language.addItem(_("System"), "")
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        self.language.setCurrentIndex(self.language.findData(self._settings.language))
        self.language.setToolTip(_("DomTune uses the language from its next start on."))
        self.language.currentIndexChanged.connect(self._set_language)
        return self.language

    def _make_users(self) -> QWidget:
        self.users = StillSpinBox()
        self.users.setAccessibleName(_("Users per load of a new sweep"))
        self.users.setRange(0, USERS_RANGE[1])
        self.users.setSpecialValueText(_("by the number of CPUs"))
        self.users.lineEdit().setTextMargins(*_TEXT_PX)
        self.users.setValue(self._settings.users)
        self.users.valueChanged.connect(self._set_users)
        return self.users

    def _make_window(self) -> QWidget:
        self.window_s = StillSpinBox()
        self.window_s.setAccessibleName(_("Measured seconds per trial of a new sweep"))
        self.window_s.setRange(0, 3600)
        self.window_s.lineEdit().setTextMargins(*_TEXT_PX)
        #: Abbreviation of seconds, after a number
        self.window_s.setSuffix(f" {_('s')}")
        self.window_s.setSpecialValueText(_("from the protocol"))
        self.window_s.setValue(self._settings.measure_s)
        self.window_s.valueChanged.connect(self._set_window)
        return self.window_s

    def _make_folder(self) -> QWidget:
        folder = places.state_dir()
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(ElidedLabel(str(folder), mode=Qt.TextElideMode.ElideMiddle), 1)
        button = secondary_button(self._theme, _("Open folder"), "folder")
        button.clicked.connect(lambda: open_path(folder, self.message))
        box.addWidget(button)
        row.setToolTip(_("To use another folder, set the environment variable DOMTUNE_HOME."))
        return row

    def _set_appearance(self) -> None:
        value = str(self.appearance.currentData())
        self._settings.appearance = value
        self._theme.set_appearance(Appearance(value))

    def _set_language(self) -> None:
        self._settings.language = str(self.language.currentData())
        self.message.say("info", _("DomTune uses the language from its next start on."))

    def _set_users(self, value: int) -> None:
        self._settings.users = value

    def _set_window(self, value: int) -> None:
        self._settings.measure_s = value
