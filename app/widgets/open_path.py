"""Opening of files, folders and web pages with the programs of the desktop."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.widgets.message_bar import MessageBar
from scheduler.translation import _


def open_url(url: QUrl) -> str:
    """Open an address with the desktop's program; return the problem, empty if none."""
    if QDesktopServices.openUrl(url):
        return ""
    name = url.toLocalFile() or url.toString()
    return _("This desktop has no program that opens {name}. Install xdg-utils, or open it yourself.").format(name=name)


def open_path(path: Path, message: MessageBar) -> None:
    """Open a file or a folder; report a desktop without a program for it.

    Args:
        path: The file or folder.
        message: Place of the report.
    """
    if problem := open_url(QUrl.fromLocalFile(str(path))):
        message.say("warning", problem)


def show_written(message: MessageBar, text: str, paths: tuple[Path, ...]) -> None:
    """Report written files, and offer to open them.

    Args:
        message: Place of the report.
        text: The report.
        paths: Written files, at least one.
    """
    message.say("good", text)
    if len(paths) == 1:
        message.offer(_("Open"), lambda: open_path(paths[0], message))
    message.offer(_("Show in folder"), lambda: open_path(paths[0].parent, message))
