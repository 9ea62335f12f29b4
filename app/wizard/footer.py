"""The strip at the bottom: plans on the left, back and the page's one main action on the right."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XL
from app.widgets.buttons import link, primary, secondary


class Footer(QFrame):
    """Buttons; the wizard connects them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("look", "footer")
        self.open_plan = link(theme, self.tr("&Open plan\N{HORIZONTAL ELLIPSIS}"), "folder")
        self.save_plan = link(theme, self.tr("Sa&ve plan\N{HORIZONTAL ELLIPSIS}"), "save")
        self.cancel = secondary(theme, self.tr("&Cancel"))
        self.back = secondary(theme, self.tr("&Back"), "chevron-left")
        self.next = primary(theme, self.tr("&Next"), "arrow-right")
        self.next.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow points away from the words
        box = QHBoxLayout(self)
        box.setContentsMargins(SPACE_M, SPACE_M, SPACE_XL, SPACE_M)
        box.setSpacing(SPACE_S)
        box.addWidget(self.open_plan)
        box.addWidget(self.save_plan)
        box.addStretch(1)
        for button in (self.cancel, self.back, self.next):
            box.addWidget(button)

    def show_state(self, *, upcoming: str, first: bool, may_go: bool, may_save: bool) -> None:
        """Name the main action after what comes next; without a next page it starts the sweep."""
        self.next.setText(self.tr("&Next: {step}").format(step=upcoming) if upcoming else self.tr("&Start sweep"))
        set_icon(self.next, "arrow-right" if upcoming else "play", self._theme, "on_accent")
        self.next.setEnabled(may_go)
        self.back.setVisible(not first)
        self.save_plan.setEnabled(may_save)
