"""Tooltips show the names of hosts and guests as they are, whatever looks like HTML in them."""

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget

from app.widgets.confirm_question import ConfirmQuestion, ask_question
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import tooltip_text
from app.widgets.table import TableData, TableModel

pytestmark = pytest.mark.ui

ROOT = Path(__file__).resolve().parents[2]
EVIL = "<img src='file:///etc/passwd'><b>guest</b> &amp; <a href='x'>y</a>"


def test_html_in_a_name_is_shown_and_not_obeyed(qtbot):
    label = ElidedLabel(EVIL)
    qtbot.addWidget(label)
    document = QTextDocument()
    document.setHtml(label.toolTip())
    assert document.toPlainText() == EVIL


def shown(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText()


def test_html_in_a_tables_cell_is_shown_and_not_obeyed():
    model = TableModel(TableData((EVIL,), ((EVIL,),)))
    cell = model.data(model.index(0, 0), int(Qt.ItemDataRole.ToolTipRole))
    header = model.headerData(0, Qt.Orientation.Horizontal, int(Qt.ItemDataRole.ToolTipRole))
    assert [shown(text) for text in (cell, header)] == [EVIL, EVIL]


def test_html_in_a_question_is_shown_and_not_obeyed(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    asking = ask_question(window, ConfirmQuestion("Title", EVIL, EVIL, "Yes", "No"), lambda: None)
    assert [shown(text) for text in (asking.text(), asking.informativeText())] == [EVIL, EVIL]
    asking.close()


def test_every_question_is_asked_in_one_way():
    found = {path.name for path in (ROOT / "app").rglob("*.py") if "QMessageBox(" in path.read_text("utf-8")}
    assert found == {"confirm_question.py"}


def test_ordinary_name_is_left_alone():
    assert tooltip_text("web & db, 5 %") == "web & db, 5 %"


def test_every_tooltip_of_a_name_is_made_so():
    """Constants, messages without anything put in, and lists of our own may go straight in."""
    found = []
    for path in sorted((ROOT / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".setToolTip"):
                text = ast.unparse(node.args[0])
                ours = (
                    "tooltip_text(",
                    "_(",
                    "', '.join(PRESETS",
                    "', '.join(preset_dedicated_splits(",
                    "names[finding.level]",
                    "words.replace(",
                    "kind.template",
                    "tips.get(name",
                )
                ours += ("text if self._compact", "button.text()", "''")  # the rail's own names
                ours += ("f'<p><b>{escape(word",)  # the glossary escapes
                if not text.startswith(ours):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno} {text}")
    assert found == []
