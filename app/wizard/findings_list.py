"""List of preflight findings, the worst first, with level, evidence and hint."""

from collections import Counter
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.labels import make_label, make_selectable, tooltip_text
from scheduler.model.host_properties import PreflightFinding, Severity
from scheduler.translation import _

_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_ICONS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
_COLOURS = {Severity.ERROR: "danger_text", Severity.WARNING: "warn_text", Severity.INFO: "accent_text"}


def count_findings(findings: Iterable[PreflightFinding]) -> str:
    """Return the number of errors and warnings, `1 error, 2 warnings`; empty for none."""
    levels = Counter(finding.level for finding in findings)
    errors, warnings = levels[Severity.ERROR], levels[Severity.WARNING]
    parts = (
        _("1 error") if errors == 1 else _("{n} errors").format(n=errors) if errors else "",
        _("1 warning") if warnings == 1 else _("{n} warnings").format(n=warnings) if warnings else "",
    )
    return ", ".join(filter(None, parts))


def show_count(button: QPushButton, findings: Iterable[PreflightFinding]) -> None:
    """Show the number of errors and warnings on a button; hide the button for none.

    Args:
        button: Button to label.
        findings: Preflight findings.
    """
    text = count_findings(findings)
    button.setText(text)
    button.setToolTip(tooltip_text(_("Show the findings of preflight")))
    button.setAccessibleName(_("{count} of preflight").format(count=text))
    button.setVisible(bool(text))


def level_name(level: Severity) -> str:
    """Return the displayed name of a level."""
    return {Severity.ERROR: _("Error"), Severity.WARNING: _("Warning"), Severity.INFO: _("Note")}[level]


class FindingsList(QWidget):
    """List of preflight findings; hidden while empty."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._findings: tuple[PreflightFinding, ...] = ()
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_S)
        self._rows: list[QWidget] = []
        self._icons: list[tuple[QLabel, Severity]] = []
        self.hide()
        theme.follow(self, self._tint_icons)

    def show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        """Show these findings instead of the current ones."""
        if tuple(findings) == self._findings:
            return
        self._findings = tuple(findings)
        for row in self._rows:
            self._box.removeWidget(row)
            row.deleteLater()
        self._icons = []
        self._rows = [
            self._make_row(finding) for finding in sorted(findings, key=lambda finding: _ORDER[finding.level])
        ]
        for row in self._rows:
            self._box.addWidget(row)
        self.setVisible(bool(self._rows))
        self._tint_icons()

    def _make_row(self, finding: PreflightFinding) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        picture = QLabel()
        picture.setAccessibleName(level_name(finding.level))
        picture.setToolTip(tooltip_text(level_name(finding.level)))
        picture.setFixedWidth(20)
        self._icons.append((picture, finding.level))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(make_selectable(make_label(f"{finding.text[:1].upper()}{finding.text[1:]}", wrap=True)))
        if finding.evidence:
            words.addWidget(make_selectable(make_label(finding.evidence, "dim", wrap=True)))
        if finding.hint:
            words.addWidget(make_selectable(make_label(finding.hint, "dim", wrap=True)))
        box.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        box.addLayout(words, 1)
        return row

    def _tint_icons(self) -> None:
        for picture, level in self._icons:
            colour = getattr(self._theme.palette, _COLOURS[level])
            picture.setPixmap(render_icon(_ICONS[level], colour, 20, self.devicePixelRatioF()))
