"""The strip at the bottom: plans on the left, back and the page's one main action on the right."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XL
from app.widgets.buttons import link_button, primary_button, secondary_button, warning_button
from app.wizard.findings_list import show_count
from scheduler.model.host_properties import PreflightFinding


class WizardFooter(QFrame):
    """Buttons; the wizard connects them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._upcoming = ""
        self._narrow = False
        self.setProperty("look", "footer")
        self._plans = {
            link_button(theme, "", "folder"): self.tr("&Open plan\N{HORIZONTAL ELLIPSIS}"),
            link_button(theme, "", "save"): self.tr("Sa&ve plan\N{HORIZONTAL ELLIPSIS}"),
        }
        self.open_plan, self.save_plan = self._plans
        self.warnings = warning_button(theme)
        self.cancel = secondary_button(theme, self.tr("&Cancel"))
        self.back = secondary_button(theme, self.tr("&Back"), "chevron-left")
        self.next = primary_button(theme, self.tr("&Next"), "arrow-right")
        self.next.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow points away from the words
        self._name_buttons()
        # What is left out when the window gets narrow must not keep it from getting narrow.
        self._may_shrink(self.next, self.next.sizeHint().width())
        for button in self._plans:
            self._may_shrink(button, button.iconSize().width() + SPACE_XL)
        box = QHBoxLayout(self)
        box.setContentsMargins(SPACE_M, SPACE_M, SPACE_XL, SPACE_M)
        box.setSpacing(SPACE_S)
        box.addWidget(self.open_plan)
        box.addWidget(self.save_plan)
        box.addStretch(1)
        for button in (self.cancel, self.back, self.warnings, self.next):
            box.addWidget(button)

    def show_state(
        self, *, upcoming: str, first: bool, may_go: bool, may_save: bool, findings: Iterable[PreflightFinding]
    ) -> None:
        """Name the main action after what comes next; without a next page it starts the sweep.

        Args:
            upcoming: Name of the next page; empty on the last one.
            first: This is the first page.
            may_go: Nothing is known to be in the way of the main action.
            may_save: There is a plan to save.
            findings: What preflight found; its errors and warnings are counted next to the main action.
        """
        show_count(self.warnings, findings)
        self._upcoming = upcoming
        set_icon(self.next, "arrow-right" if upcoming else "play", self._theme, "on_accent")
        self.next.setEnabled(may_go)
        self.back.setVisible(not first)
        self.save_plan.setEnabled(may_save)
        self._fit_buttons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave words out where there is no room for them; tooltips and shortcuts stay."""
        super().resizeEvent(event)
        self._fit_buttons()

    def _fit_buttons(self) -> None:
        self._narrow = False
        self._name_buttons()
        buttons = (*self._plans, self.cancel, self.back, self.warnings, self.next)
        shown = [button for button in buttons if not button.isHidden()]
        needs_px = sum(button.sizeHint().width() + SPACE_S for button in shown) + SPACE_M + SPACE_XL
        if self.width() < needs_px:
            self._narrow = True
            self._name_buttons()

    def _name_buttons(self) -> None:
        for button, words in self._plans.items():
            button.setText("" if self._narrow else words)
            button.setShortcut(QKeySequence.mnemonic(words))
            button.setToolTip(words.replace("&", ""))
            button.setAccessibleName(words.replace("&", ""))
        if not self._upcoming:
            self.next.setText(self.tr("S&tart sweep"))
        elif self._narrow:
            self.next.setText(self.tr("&Next"))
        else:
            self.next.setText(self.tr("&Next: {step}").format(step=self._upcoming))

    def _may_shrink(self, button: QPushButton, least_px: int) -> None:
        button.setMinimumWidth(least_px)
        button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
