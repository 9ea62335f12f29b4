"""The dialog that writes a split to a host says which host, that it can be taken back, and which values change."""

import msgspec
import pytest
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QLabel, QStyleOptionViewItem

from app.core_process import CommandRunner
from app.pages.apply_dialog import NEW, ApplyDialog
from app.theme.theme import Theme
from scheduler.model.command_answers import ParameterChange
from scheduler.model.split import parse_split
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents

pytestmark = pytest.mark.ui


def test_host_way_back_and_changed_values_remain_out(theme: Theme, runner: CommandRunner, qtbot):
    url = "xl+ssh://root@xen1"
    results = msgspec.structs.replace(summarise_run(make_documents()), run_id="none", host=url, host_title="Dom0 xen1")
    dialog = ApplyDialog(theme, runner, results, parse_split("1:2"))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.message.property("look") == "bar-danger")  # there is no such run
    words = " ".join(part.text() for part in dialog.findChildren(QLabel))
    assert dialog.title.text() == "Apply 1:2 to Dom0 xen1"
    assert url in words
    assert "You can revert the split at any time" in words
    dialog._show_changes((_change("weight", "512"), _change("cap", "256")))
    assert dialog.table.source.table.headers[2:4] == ("Now", "New")
    changed, same = (_drawn(dialog, row) for row in (0, 1))
    assert changed.font.weight() > same.font.weight() == QFont.Weight.Normal
    dim = same.palette.color(QPalette.ColorRole.Text).name()
    assert dim == theme.palette.dim.lower() != changed.palette.color(QPalette.ColorRole.Text).name()


def _drawn(dialog: ApplyDialog, row: int) -> QStyleOptionViewItem:
    """Return how a row's new value is drawn."""
    option = QStyleOptionViewItem()
    dialog.table.itemDelegate().initStyleOption(option, dialog.table.source.index(row, NEW))
    return option


def _change(parameter: str, after: str) -> ParameterChange:
    return ParameterChange(domain="io", parameter=parameter, before="256", after=after)


def test_dialog_with_room_to_spare_keeps_its_words_together(theme: Theme, runner: CommandRunner, qtbot):
    dialog = ApplyDialog(theme, runner, summarise_run(make_documents()), parse_split("1:2"))
    qtbot.addWidget(dialog)
    dialog.resize(dialog.width(), 900)
    dialog.show()
    qtbot.waitUntil(dialog.message.isVisible)
    assert dialog.title.height() < 2 * dialog.title.fontMetrics().lineSpacing()
    assert dialog.where.geometry().top() - dialog.title.geometry().bottom() < 20
