"""Show the hosts next to the sweeps, or one of both at a time in a narrow window."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from app.panels.host_column import HostColumn
from app.panels.sweeps_column import SweepsColumn
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XXL
from app.widgets.buttons import tool_button

_ROOMY_PX = 712
"""Least width for both: below it the list of sweeps would not show a whole row."""


class HomeColumns(QWidget):
    """Two columns, and a switch between them where there is room for one only.

    Args:
        theme: Colours.
        hosts: The left column.
        sweeps: The right column, which a narrow window shows first.
    """

    def __init__(self, theme: Theme, hosts: HostColumn, sweeps: SweepsColumn) -> None:
        super().__init__()
        self._hosts, self._sweeps = hosts, sweeps
        self.sweeps_button = tool_button(theme, self.tr("Sweeps"), "sweep", show_text=True, checkable=True)
        self.hosts_button = tool_button(theme, self.tr("Hosts"), "host", show_text=True, checkable=True)
        self._switch = QWidget()
        buttons = QHBoxLayout(self._switch)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.setSpacing(SPACE_S)
        group = QButtonGroup(self)
        for button in (self.sweeps_button, self.hosts_button):
            group.addButton(button)
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.sweeps_button.setChecked(True)
        group.buttonToggled.connect(self._arrange_columns)
        columns = QHBoxLayout()
        columns.setSpacing(SPACE_XXL)
        columns.addWidget(hosts)
        columns.addWidget(sweeps, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._switch)
        box.addLayout(columns, 1)
        self._arrange_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show both columns where there is room."""
        super().resizeEvent(event)
        self._arrange_columns()

    def _arrange_columns(self) -> None:
        roomy = self.width() >= _ROOMY_PX
        self._switch.setVisible(not roomy)
        self._hosts.fill_width(on=not roomy)
        self._hosts.setVisible(roomy or self.hosts_button.isChecked())
        self._sweeps.setVisible(roomy or self.sweeps_button.isChecked())
