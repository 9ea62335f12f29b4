"""Written files are offered for opening, printed reports have a page, and a missing launcher is reported."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QFileDialog, QLineEdit

from app.main_window import MainWindow
from app.pages.result_data import result_data_of
from app.settings import Settings
from app.widgets.message_bar import MessageBar
from app.widgets.open_path import open_path, show_written
from tests.data_maker import make_documents

pytestmark = pytest.mark.ui


class Desktop:
    """Programs of a desktop: takes the place of all launchers for the scheme `file`."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def open(self, url: QUrl) -> bool:
        self.opened.append(url.toLocalFile())
        return True


@pytest.fixture
def desktop(monkeypatch):
    made = Desktop()
    monkeypatch.setattr(QDesktopServices, "openUrl", made.open)
    return made


@pytest.fixture
def result(theme, qtbot):
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    window.show()
    page = window._result.provide()
    page.show_finding(result_data_of(make_documents(samples=False)))
    window.go("result")
    return window


def test_saved_file_can_be_opened_and_shown_in_its_folder(theme, qtbot, desktop, tmp_path):
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    path = tmp_path / "report.html"
    show_written(bar, f"Saved: {path}", (path,))
    for button in bar._offers:
        button.click()
    assert desktop.opened == [str(path), str(tmp_path)]
    bar.say("info", "Another message.")
    assert bar._offers == []


def test_desktop_without_launcher_is_reported(theme, qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: False)
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    open_path(tmp_path, bar)
    assert str(tmp_path) in bar.text.text()
    assert "no program" in bar.text.text()


def test_report_is_saved_as_the_chosen_format(result, qtbot, tmp_path):
    page = result.result
    page.footer.report.click()
    asking = page.findChild(QFileDialog)
    assert asking.nameFilters() == ["Web page (*.html)", "PDF for print and sign-off (*.pdf)"]
    asking.fileSelected.emit(str(tmp_path / "report.pdf"))
    asking.reject()
    qtbot.waitUntil(page.message.isVisible)
    assert page.message.text.text() == f"Saved: {tmp_path / 'report.pdf'}"
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_print_without_printer_writes_a_file_and_a_page_without_report_says_so(result, qtbot, tmp_path):
    result.menu._does.print()
    dialog = result.findChild(QPrintDialog)
    dialog.findChild(QLineEdit, "filename").setText(str(tmp_path / "printed.pdf"))
    dialog.accept()
    qtbot.waitUntil(lambda: "printed.pdf" in result.message.text.text())
    assert (tmp_path / "printed.pdf").read_bytes().startswith(b"%PDF-")
    result.go("home")
    result.menu._does.print()
    assert "no report on this page" in result.message.text.text()
