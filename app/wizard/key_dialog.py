"""Dialogs for a host's key: accept a new key, or reject a changed one."""

from urllib.parse import urlsplit

from PySide6.QtWidgets import QDialog, QWidget

from app.theme.theme import Theme
from app.widgets.buttons import danger_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row
from app.widgets.labels import make_label, make_selectable
from scheduler.model.host_kinds import has_certificate
from scheduler.model.urls import redact_url
from scheduler.translation import _

_WIDTH_PX = 560
_SSH_KEYS = 'for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$key"; done'  # one key is shown
_CERTIFICATE = "openssl x509 -noout -fingerprint -sha256 -in /etc/xensource/xapi-ssl.pem"


class KeyDialog(QDialog):
    """Dialog to compare and accept the fingerprint of a new host's key.

    Args:
        theme: Colours.
        url: The host's URL.
        fingerprint: Fingerprint of the key that the host shows.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, url: str, fingerprint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Is this the right host?"))
        box = add_dialog_column(self, wide_px=_WIDTH_PX)
        box.addWidget(make_label(self.windowTitle(), "title"))
        words = _("You have not used {host} before. Its key has this fingerprint (SHA256):")
        box.addWidget(make_label(words.format(host=_host_name(url)), wrap=True))
        box.addWidget(make_label(redact_url(url), "dim", wrap=True))
        self.fingerprint = make_selectable(make_label(_break_fingerprint(fingerprint), "lead", wrap=True))
        self.fingerprint.setFont(theme.mono_font())
        self.fingerprint.setAccessibleName(_("Fingerprint"))
        box.addWidget(self.fingerprint)
        box.addWidget(
            make_label(_("Compare the fingerprint with the output of this command on the host's console:"), wrap=True)
        )
        own = make_selectable(make_label(_CERTIFICATE if has_certificate(url) else _SSH_KEYS, "dim", wrap=True))
        own.setFont(theme.mono_font())
        box.addWidget(own)
        box.addWidget(make_label(_("DomTune sends nothing to the host until you accept the key."), "dim", wrap=True))
        self.accept_key = secondary_button(theme, _("Accept this key"), "lock")
        self.cancel = secondary_button(theme, _("Cancel"))
        add_dialog_buttons(self, buttons_row(self.cancel, self.accept_key))
        self.accept_key.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self.cancel.setFocus()  # Enter alone must not accept an unknown key
        self.accept_key.setDefault(False)
        self.cancel.setDefault(True)


class KeyChangedDialog(QDialog):
    """Dialog about a host whose key changed; the key cannot be accepted here.

    Args:
        theme: Colours.
        text: Description of the change.
        hint: Advice.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, text: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("The key of this host has changed"))
        box = add_dialog_column(self, wide_px=_WIDTH_PX)
        box.addWidget(make_label(self.windowTitle(), "title"))
        box.addWidget(make_selectable(make_label(f"{text[:1].upper()}{text[1:]}.", "danger", wrap=True)))
        box.addWidget(make_selectable(make_label(hint, wrap=True)))
        stays = _("DomTune sent nothing, not even a password. It never accepts a changed key by itself.")
        box.addWidget(make_label(stays, "dim", wrap=True))
        self.close_button = danger_button(theme, _("Disconnect"))
        add_dialog_buttons(self, buttons_row(self.close_button))
        self.close_button.clicked.connect(self.reject)
        self.close_button.setDefault(True)


def _host_name(url: str) -> str:
    """Return the host name in a URL, without credentials."""
    return urlsplit(redact_url(url)).hostname or redact_url(url)


def _break_fingerprint(fingerprint: str) -> str:
    """Return a long fingerprint in two lines; a certificate's has 95 characters."""
    pairs = fingerprint.split(":")
    if len(pairs) < 16:
        return fingerprint
    half = len(pairs) // 2
    return ":".join(pairs[:half]) + ":\n" + ":".join(pairs[half:])
