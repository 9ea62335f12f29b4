"""What preflight saw: one line each with its level, the worst first, and what to do about it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.theme.icons import pixmap
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.text import label, selectable, tip
from scheduler.model.facts import Finding, Level

_ORDER = {Level.ERROR: 0, Level.WARNING: 1, Level.INFO: 2}
_ICONS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "info"}
_COLOURS = {Level.ERROR: "danger_text", Level.WARNING: "warn_text", Level.INFO: "accent_text"}


def _tr(text: str) -> str:
    return QCoreApplication.translate("findings", text)


def count_findings(findings: Iterable[Finding]) -> str:
    """Return how many errors and warnings there are, for example `1 error, 2 warnings`; empty for none."""
    levels = Counter(finding.level for finding in findings)
    errors, warnings = levels[Level.ERROR], levels[Level.WARNING]
    parts = (
        _tr("1 error") if errors == 1 else _tr("{n} errors").format(n=errors) if errors else "",
        _tr("1 warning") if warnings == 1 else _tr("{n} warnings").format(n=warnings) if warnings else "",
    )
    return ", ".join(filter(None, parts))


def show_count(button: QPushButton, findings: Iterable[Finding]) -> None:
    """Show the number of errors and warnings on a button; hide it where there are none."""
    text = count_findings(findings)
    button.setText(text)
    button.setToolTip(tip(_tr("Show what preflight found")))
    button.setAccessibleName(_tr("{count} of preflight").format(count=text))
    button.setVisible(bool(text))


def level_name(level: Level) -> str:
    """Return what people call a level."""
    return {Level.ERROR: _tr("Error"), Level.WARNING: _tr("Warning"), Level.INFO: _tr("Note")}[level]


class FindingsList(QWidget):
    """Hidden while there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._findings: tuple[Finding, ...] = ()
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_S)
        self._rows: list[QWidget] = []
        self._icons: list[tuple[QLabel, Level]] = []
        self.hide()
        theme.follow(self, self._tint)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show these instead."""
        if tuple(findings) == self._findings:
            return
        self._findings = tuple(findings)
        for row in self._rows:
            self._box.removeWidget(row)
            row.deleteLater()
        self._icons = []
        self._rows = [self._row(finding) for finding in sorted(findings, key=lambda finding: _ORDER[finding.level])]
        for row in self._rows:
            self._box.addWidget(row)
        self.setVisible(bool(self._rows))
        self._tint()

    def _row(self, finding: Finding) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        picture = QLabel()
        picture.setAccessibleName(level_name(finding.level))
        picture.setToolTip(tip(level_name(finding.level)))
        picture.setFixedWidth(20)
        self._icons.append((picture, finding.level))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(selectable(label(f"{finding.text[:1].upper()}{finding.text[1:]}", wrap=True)))
        if finding.evidence:
            words.addWidget(selectable(label(finding.evidence, "dim", wrap=True)))
        if finding.hint:
            words.addWidget(selectable(label(finding.hint, "dim", wrap=True)))
        box.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        box.addLayout(words, 1)
        return row

    def _tint(self) -> None:
        for picture, level in self._icons:
            colour = getattr(self._theme.palette, _COLOURS[level])
            picture.setPixmap(pixmap(_ICONS[level], colour, 20, self.devicePixelRatioF()))
