"""Nothing of the person's is replaced unasked, whatever is saved, and the folder is remembered."""

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox, QWidget

from app.settings import Settings
from app.widgets.save_dialog import ask_save_path

ROOT = Path(__file__).parents[2]
KINDS = {"svg": "Vector image", "csv": "Table"}


@pytest.fixture
def parent(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize(("kind", "there"), [("Vector image (*.svg)", "mine.svg"), ("Table (*.csv)", "mine.csv")])
def test_name_without_its_suffix_is_asked_about_before_a_file_is_replaced(parent, kind, there, tmp_path, qtbot):
    (tmp_path / there).write_text("mine")
    chosen: list[Path] = []
    asking = ask_save_path(parent, "Save", "plot.svg", KINDS, chosen.append)
    asking.setDirectory(str(tmp_path))
    asking.selectNameFilter(kind)
    asking.filterSelected.emit(kind)
    asking.findChild(QLineEdit, "fileNameEdit").setText("mine")
    questions: list[str] = []

    def refuse() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            questions.append(box.text())
            box.reject()

    looking = QTimer(parent)
    looking.timeout.connect(refuse)
    looking.start(20)
    asking.accept()
    looking.stop()
    assert len(questions) == 1
    assert there in questions[0]
    assert chosen == []
    asking.reject()


def test_folder_is_remembered_for_whatever_is_saved_next(parent, home: Path, tmp_path: Path):
    chosen: list[Path] = []
    asking = ask_save_path(parent, "Save", "plot.svg", KINDS, chosen.append)
    asking.setDirectory(str(tmp_path))
    asking.findChild(QLineEdit, "fileNameEdit").setText("new")
    asking.accept()
    assert chosen == [tmp_path / "new.svg"]
    assert Settings().export_dir == tmp_path
    again = ask_save_path(parent, "Save", "other.csv", KINDS, chosen.append)
    assert Path(again.directory().absolutePath()) == tmp_path
    again.reject()


def test_window_never_waits_in_a_loop_of_a_dialogs_own():
    """`exec()` and the static functions of dialogs: whatever breaks meanwhile, the loop goes on for ever."""
    waiting = [
        f"{path.name}:{node.lineno}"
        for path in (ROOT / "app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr == "exec" or node.func.attr.startswith(("getSave", "getOpen", "getExisting", "getText")))
        and ast.unparse(node.func) != "app.exec"
    ]
    assert waiting == []
