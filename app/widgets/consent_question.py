"""Consent to code from a Dask scheduler, asked before the window connects."""

import os
from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.confirm_question import ConfirmQuestion, ask_question
from scheduler.model.clients import is_encrypted
from scheduler.translation import _

_CONTEXT = "consent"


def ask_consent(parent: QWidget, address: str, then: Callable[[], None]) -> QMessageBox:
    """Ask for permission to let a Dask scheduler and its workers run code here.

    Args:
        parent: Window that asks.
        address: Address of the scheduler.
        then: Called after a yes.
    """
    text = _("Trust the Dask scheduler {address} and its workers?").format(address=address)
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    more = _("They can run code on this computer with your rights, and they get the password of the database.")
    if as_root:
        more = _(
            "They can run code on this computer in an unprivileged process, and they get the password of the database."
        )
    if not is_encrypted(address):
        open_network = _("The connection is not encrypted. Anyone who can listen on that network can do the same.")
        more = f"{more} {open_network}"
    question = ConfirmQuestion(_("Trust a Dask cluster"), text, more, _("Trust and connect"), _("Cancel"))
    return ask_question(parent, question, then)
