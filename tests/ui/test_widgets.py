import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtSvg import QSvgRenderer

from app.background import BackgroundWorker
from app.theme.theme import Appearance, Theme
from app.widgets.card import BigCard
from app.widgets.glossary_tips import GlossaryDialog, set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.plot_frame import PlotFrame
from app.widgets.split_bar import SplitBar, SplitTag
from app.widgets.table import TableData, TableModel, TableView
from app.widgets.themed_plot import ThemedPlot
from scheduler.errors import HostBusy
from scheduler.model.split import parse_split

TABLE = TableData(("Split", "Throughput (tuples/s)"), [("1:2", 12_345.678), ("2:1", None), ("1:1", 7.0)])


@pytest.fixture
def frame(theme: Theme, background: BackgroundWorker, qtbot) -> PlotFrame:
    plot = ThemedPlot(theme, "Throughput per split")
    plot.plot([1, 2, 3], [1, 5, 3])
    made = PlotFrame(background, "Throughput per split", plot, lambda: TABLE)
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


def test_closed_plot_ignores_change_of_theme(theme: Theme, qtbot):
    plot = ThemedPlot(theme, "Throughput per split")
    qtbot.addWidget(plot)
    plot.close()
    theme.changed.emit()  # an exception in a slot fails the test


def test_plot_has_a_table_twin_that_the_keyboard_reaches(frame: PlotFrame, qtbot):
    frame.table_button.setFocus()
    qtbot.keyClick(frame.table_button, Qt.Key.Key_Space)
    assert frame.table.isVisible()
    assert frame.table.source.table is TABLE
    qtbot.keyClick(frame.table_button, Qt.Key.Key_Space)
    assert frame.plot.isVisible()


@pytest.mark.parametrize("simulated", [False, True])
def test_plots_are_saved_as_pictures_and_as_figures(frame: PlotFrame, tmp_path: Path, simulated: bool, qtbot):
    frame.set_simulated(simulated)
    for suffix in ("svg", "png", "csv"):
        path = tmp_path / f"plot.{suffix}"
        frame.save(path)
        qtbot.waitUntil(lambda path=path: frame.message.text.text() == f"Saved as {path}")
    assert not QImage(str(tmp_path / "plot.png")).isNull()
    assert QSvgRenderer(str(tmp_path / "plot.svg")).isValid()
    text = (tmp_path / "plot.csv").read_text(encoding="utf-8")
    assert "12345.678" in text
    assert ("Simulated" in text) == simulated
    assert ("Simulated" in (tmp_path / "plot.svg").read_text(encoding="utf-8")) == simulated


def test_plot_is_not_saved_where_it_cannot_be(frame: PlotFrame, tmp_path: Path, qtbot):
    for suffix in ("svg", "png", "csv"):
        path = tmp_path / "nowhere" / f"plot.{suffix}"
        frame.save(path)
        told = f"{path} could not be written: No such file or directory"
        qtbot.waitUntil(lambda told=told: frame.message.text.text() == told)
        assert frame.message.property("look") == "bar-danger"
    with pytest.raises(ValueError, match=r"\.pdf"):
        frame.save(tmp_path / "plot.pdf")


def test_file_is_written_off_the_windows_thread(frame: PlotFrame, background: BackgroundWorker, tmp_path: Path, qtbot):
    held, begun = threading.Event(), threading.Event()
    background.submit(lambda _: (begun.set(), held.wait(10)), lambda _: None, lambda _: None)
    assert begun.wait(5)
    path = tmp_path / "plot.png"
    frame.save(path)  # returns while the one worker is busy
    assert not path.exists()
    held.set()
    qtbot.waitUntil(path.exists)


def test_frame_that_is_closed_still_saves(theme: Theme, background: BackgroundWorker, tmp_path: Path, qtbot):
    made = PlotFrame(background, "Throughput", ThemedPlot(theme, "Throughput"), lambda: TABLE)
    held = threading.Event()
    background.submit(lambda _: held.wait(10), lambda _: None, lambda _: None)
    made.save(tmp_path / "plot.csv")
    gone: list[object] = []
    made.destroyed.connect(lambda *_: gone.append(True))
    made.deleteLater()
    qtbot.waitUntil(lambda: bool(gone))
    held.set()
    qtbot.waitUntil((tmp_path / "plot.csv").exists)
    qtbot.wait(50)  # the answer finds nobody


def test_plot_is_copied_as_image_and_as_values_by_its_keys(frame: PlotFrame, qtbot):
    frame.set_simulated(True)
    frame.plot.setFocus()
    qtbot.keyClick(frame.plot, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().image().width() >= 2 * frame.plot.width()
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(frame.plot, Qt.Key.Key_C, keys)
    head, *lines = QGuiApplication.clipboard().text().splitlines()
    assert head == "# Simulated"
    assert lines == ["Split\tThroughput (tuples/s)", "1:2\t12345.678", "2:1\t", "1:1\t7.0"]
    assert [action.text() for action in frame._menu.actions() if action.text()][:2] == ["Copy &image", "Copy &values"]


def test_plot_summarises_its_values_and_reads_them_by_arrow_keys(frame: PlotFrame, qtbot):
    qtbot.waitExposed(frame)
    frame.activateWindow()
    frame.plot.setFocus()
    qtbot.waitUntil(lambda: "3 values." in frame.plot.accessibleDescription())
    assert "Throughput (tuples/s): 7.000 to 12,346." in frame.plot.accessibleDescription()
    said: list[str] = []
    frame.reader.announcer.announced.connect(said.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Left):
        qtbot.keyClick(frame.plot, key)
    assert said == [
        "Split: 1:2, Throughput (tuples/s): 12,346",
        "Split: 2:1",
        "Split: 1:1, Throughput (tuples/s): 7.000",
        "Split: 1:2, Throughput (tuples/s): 12,346",
    ]


def test_plot_follows_the_palette(frame: PlotFrame, theme: Theme):
    before = frame.plot.grab().toImage().pixelColor(2, 2)
    theme.set_appearance(Appearance.DARK)
    after = frame.plot.grab().toImage().pixelColor(2, 2)
    assert before.lightness() > 200
    assert after.lightness() < 60


def test_table_copies_what_is_selected_and_sorts_by_number(qtbot):
    view = TableView("Points", TABLE)
    qtbot.addWidget(view)
    view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    view.selectRow(0)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Split\tThroughput (tuples/s)\n1:2\t12,346\n"


def test_new_figures_are_sorted_and_what_is_selected_stays(qtbot):
    view = TableView("Points", TABLE)
    qtbot.addWidget(view)
    view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    view.selectRow(0)
    view.set_table(TableData(TABLE.headers, [("1:2", 1.0), ("2:1", 3.0), ("1:1", 2.0)]))
    shown = [view.model().index(row, 0).data() for row in range(3)]
    assert shown == ["2:1", "1:1", "1:2"]
    assert [row.data() for row in view.selectionModel().selectedRows()] == ["1:2"]


def test_table_asks_for_a_cell_once_to_draw_it(qtbot, monkeypatch):
    asked = []
    data = TableModel.data

    def counted(model, index, role=Qt.ItemDataRole.DisplayRole):
        asked.append(role)
        return data(model, index, role)

    monkeypatch.setattr(TableModel, "data", counted)
    view = TableView("Points", TABLE)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.grab()  # laid out once
    asked.clear()
    view.viewport().grab()
    assert 1 <= len(asked) <= 6


def test_split_bar_shows_its_shares_in_pixels(theme: Theme, qtbot):
    bar = SplitBar(theme, parse_split("1:3"), QSize(100, 12))
    qtbot.addWidget(bar)
    bar.resize(100, 12)
    image = bar.grab().toImage()
    colours = [image.pixelColor(x, 6).name().upper() for x in range(100)]
    assert 22 <= colours.count(theme.palette.io) <= 27
    assert 72 <= colours.count(theme.palette.guest) <= 77
    assert "25\N{NO-BREAK SPACE}%" in bar.accessibleName()


def test_split_tag_setting_without_split_has_only_its_name(theme: Theme, qtbot):
    tag = SplitTag(theme)
    qtbot.addWidget(tag)
    tag.show_setting("baseline", None, room=True)
    assert tag.words.text() == "baseline"
    assert tag.bar.split is None


def test_message_reports_what_happened_and_what_to_do(theme: Theme, qtbot):
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    bar.show_error(HostBusy("local: is held by another sweep", hint="Wait for its end."))
    assert bar.isVisible()
    assert bar.text.text() == "local: is held by another sweep"
    assert bar.hint.text() == "Wait for its end."
    bar.say("info", "plain")
    assert not bar.hint.isVisible()


def test_big_card_is_pressed_by_the_keyboard(theme: Theme, qtbot):
    card = BigCard(theme, "computer", "Sweep this computer", "A real PostgreSQL.", strong=True)
    qtbot.addWidget(card)
    card.show()
    with qtbot.waitSignal(card.clicked, timeout=10_000):
        qtbot.keyClick(card, Qt.Key.Key_Space)


def test_word_explains_itself(qtbot):
    made = make_label("Regret")
    qtbot.addWidget(made)
    set_glossary_tip(made, "regret")
    assert "loses" in made.toolTip()
    with pytest.raises(KeyError):
        set_glossary_tip(made, "no such word")


def test_help_finds_words(theme: Theme, qtbot):
    dialog = GlossaryDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.search.setText("quota")
    shown = [words for words, row in dialog._entries if row.isVisible()]
    assert shown
    assert all("quota" in words for words in shown)
