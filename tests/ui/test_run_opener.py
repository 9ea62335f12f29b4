"""Run files are opened in the window: message, mark on Home, origin on the result page."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtWidgets import QLabel, QWidget

from app.main_window import MainWindow
from app.pages.run_opener import dropped_files
from app.settings import Settings
from scheduler.export.run_file_export import export_run_file
from scheduler.model.documents import Notice
from scheduler.model.host_properties import Severity
from scheduler.model.run_labels import RunLabels
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents

pytestmark = pytest.mark.ui
MARKUP = "<b>bold</b>"


@pytest.fixture
def main_window(theme, home, qtbot):
    made = MainWindow(theme, Settings())
    yield made
    made.close()
    qtbot.waitUntil(lambda: made.runner.idle)
    made.deleteLater()


def write_file(folder: Path) -> Path:
    """Return a run file of a sweep of a host that this computer does not know."""
    started, *others = make_documents(repeats=1, seconds_per_trial=1, run_id="one", host_url="xl+ssh://root@elsewhere")
    with RunStore(folder / "there.sqlite3") as store:
        facts = msgspec.structs.replace(started.facts, title=f"{MARKUP} host")
        warning = Notice(t_s=0.1, level=Severity.WARNING, text=f"{MARKUP} notice", hint="")
        for document in (msgspec.structs.replace(started, wall_unix_s=1.7e9, facts=facts), warning, *others):
            store.append("one", document)
        store.set_labels("one", RunLabels(title=MARKUP, note=f"{MARKUP} note"))
        weights = {"osdb-ir": 0.5, "osdb-oltp": 0.5}, {"osdb-ir": 0.8, "osdb-oltp": 0.2}
        (path,) = export_run_file(store, "one", folder / "one", planned_weights=weights[0], shown_weights=weights[1])
    return path


def test_opened_run_file_is_shown_and_marked_and_its_host_is_left_alone(main_window, tmp_path, qtbot):
    path = write_file(tmp_path)
    broken = tmp_path / "broken.domtune"
    broken.write_bytes(path.read_bytes()[:-9])
    with qtbot.waitSignal(main_window.home.loaded):
        main_window.show()
    main_window.opener.open([path, broken])
    qtbot.waitUntil(lambda: main_window.result is not None and main_window.result.complete, timeout=20_000)
    message = main_window.message
    assert message.text.text() == "1 files were opened, 1 were not: broken.domtune."
    assert "its end is missing" in message.details.toPlainText()
    (row,) = main_window.home.list.source.rows
    assert (row.name, row.imported, row.unfinished) == (MARKUP, True, False)
    assert row.marks.endswith("from elsewhere")
    assert "xl+ssh://root@elsewhere" not in [card.url for card in main_window.home.hosts.cards]
    page = main_window.result
    assert page.state.text.text().startswith("From elsewhere: imported from one.domtune, written on ")
    assert "80\N{NO-BREAK SPACE}%" in page.state.hint.text()
    assert page.footer.go_on.isHidden()
    shown = [each for each in main_window.findChildren(QLabel) if MARKUP in each.text()]
    assert {"host", "note"} <= {word for each in shown for word in each.text().split()}
    assert {each.textFormat() for each in shown} == {Qt.TextFormat.PlainText}
    tips = [each.toolTip() for each in main_window.findChildren(QWidget)]
    assert [tip for tip in tips if MARKUP in tip and Qt.mightBeRichText(tip)] == []


def test_drop_takes_run_files_and_results_only():
    data = QMimeData()
    data.setUrls([QUrl(url) for url in ("file:///a.domtune", "file:///b.txt", "http://x/c.domtune", "file:///d.json")])
    assert dropped_files(data) == [Path("/a.domtune"), Path("/d.json")]
    assert dropped_files(QMimeData()) == []
