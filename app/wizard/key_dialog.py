"""A host's key at first contact, to be compared and accepted; and a changed one, which stops everything."""

from urllib.parse import urlsplit

from PySide6.QtWidgets import QDialog, QWidget

from app.theme.theme import Theme
from app.widgets.buttons import danger, secondary
from app.widgets.dialog import buttons_row, column, foot
from app.widgets.text import label, selectable
from scheduler.model.urls import shown

_WIDTH_PX = 560
_SSH_KEYS = 'for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$key"; done'  # one of them is shown here
_CERTIFICATE = "openssl x509 -noout -fingerprint -sha256 -in /etc/xensource/xapi-ssl.pem"


class KeyDialog(QDialog):
    """Accepted when the person has compared the fingerprint and trusts it.

    Args:
        theme: Colours.
        url: The host.
        fingerprint: What it shows.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, url: str, fingerprint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Is this the right host?"))
        box = column(self, wide_px=_WIDTH_PX)
        box.addWidget(label(self.windowTitle(), "title"))
        words = self.tr("{host} is new to DomTune. It shows a key with this fingerprint (SHA256):")
        box.addWidget(label(words.format(host=_name(url)), wrap=True))
        box.addWidget(label(shown(url), "dim", wrap=True))
        self.fingerprint = selectable(label(_in_lines(fingerprint), "lead", wrap=True))
        self.fingerprint.setFont(theme.mono_font())
        self.fingerprint.setAccessibleName(self.tr("Fingerprint"))
        box.addWidget(self.fingerprint)
        box.addWidget(label(self.tr("Compare it with what the host itself says, at its console:"), wrap=True))
        own = selectable(label(_CERTIFICATE if url.startswith("xapi:") else _SSH_KEYS, "dim", wrap=True))
        own.setFont(theme.mono_font())
        box.addWidget(own)
        box.addWidget(
            label(self.tr("Nothing has been sent to it yet, and nothing will be until you accept."), "dim", wrap=True)
        )
        self.accept_key = secondary(theme, self.tr("Accept this key"), "lock")
        self.cancel = secondary(theme, self.tr("Cancel"))
        foot(self, buttons_row(self.cancel, self.accept_key))
        self.accept_key.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self.cancel.setFocus()  # Enter alone must not trust a stranger
        self.accept_key.setDefault(False)
        self.cancel.setDefault(True)


class KeyChangedDialog(QDialog):
    """Explains; there is nothing to accept here.

    Args:
        theme: Colours.
        text: What the host shows.
        hint: What to do.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, text: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("This is not the host that it was"))
        box = column(self, wide_px=_WIDTH_PX)
        box.addWidget(label(self.windowTitle(), "title"))
        box.addWidget(selectable(label(f"{text[:1].upper()}{text[1:]}.", "danger", wrap=True)))
        box.addWidget(selectable(label(hint, wrap=True)))
        stays = self.tr(
            "DomTune stopped before it sent anything, a password included, and accepts no new key by itself."
        )
        box.addWidget(label(stays, "dim", wrap=True))
        self.close_button = danger(theme, self.tr("Stay away from it"))
        foot(self, buttons_row(self.close_button))
        self.close_button.clicked.connect(self.reject)
        self.close_button.setDefault(True)


def _name(url: str) -> str:
    """Return the host's own name of a URL that may be shown."""
    return urlsplit(shown(url)).hostname or shown(url)


def _in_lines(fingerprint: str) -> str:
    """Return a fingerprint that can be broken into lines: a certificate's has 95 letters and no blank."""
    pairs = fingerprint.split(":")
    if len(pairs) < 16:
        return fingerprint
    half = len(pairs) // 2
    return ":".join(pairs[:half]) + ":\n" + ":".join(pairs[half:])
