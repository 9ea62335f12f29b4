"""Dialog that asks for passwords and keeps them in memory only."""

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_XS
from app.widgets.buttons import primary_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row
from app.widgets.labels import make_label
from scheduler.model.urls import redact_url
from scheduler.translation import _

_WIDTH_PX = 460


class PasswordDialog(QDialog):
    """Dialog with one field per password; an empty password is a valid answer.

    Args:
        theme: Colours.
        title: Request, as a question or an instruction.
        why: Reason for the request.
        urls: URL that each password belongs to.
        go_on: Label of the button that continues.
        parent: Qt's parent.
    """

    def __init__(
        self, theme: Theme, title: str, why: str, urls: Sequence[str], go_on: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        box = add_dialog_column(self, wide_px=_WIDTH_PX)
        box.addWidget(make_label(title, "title", wrap=True))
        box.addWidget(make_label(why, wrap=True))
        self.edits: dict[str, QLineEdit] = {}
        for url in urls:
            edit = QLineEdit()
            edit.setEchoMode(QLineEdit.EchoMode.Password)
            edit.setAccessibleName(_("Password for {url}").format(url=redact_url(url)))
            name = make_label(_("Password for {url}").format(url=redact_url(url)), "dim", wrap=True)
            name.setBuddy(edit)
            box.addWidget(name)
            box.addWidget(edit)
            box.setSpacing(SPACE_XS * 3)
            self.edits[url] = edit
        box.addWidget(make_label(_("Kept in memory only, until DomTune closes."), "dim", wrap=True))
        self.go_on = primary_button(theme, go_on)
        self.cancel = secondary_button(theme, _("Cancel"))
        add_dialog_buttons(self, buttons_row(self.cancel, self.go_on))
        self.go_on.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)

    def secrets(self) -> dict[str, str]:
        """Return the non-empty passwords by URL."""
        return {url: edit.text() for url, edit in self.edits.items() if edit.text()}
