"""The chips on their scale, by mouse and by keys."""

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.exceptions import TimeoutError as NotEmitted

from app.theme.theme import Theme
from app.wizard.split_editor import SplitEditor
from app.wizard.split_scale import PRESETS, split_position
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_state import WizardState
from scheduler.model.spec import PAPER_SPLITS
from tests.data_maker import make_facts

pytestmark = pytest.mark.ui


@pytest.fixture
def editor(theme: Theme, qtbot) -> SplitEditor:
    state = WizardState(SweepForm())
    made = SplitEditor(theme, state)
    state.setParent(made)
    made.changed.connect(state.touch)
    made.changed.connect(made.refresh)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.refresh()
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    return made


def splits(editor: SplitEditor) -> list[str]:
    return editor._state.form.splits


def middle(editor: SplitEditor, text: str) -> QPoint:
    return editor.axis.geometry_now().chip(text).center().toPoint()


def test_chips_are_in_order_and_never_cover_each_other(editor: SplitEditor):
    where = editor.axis.geometry_now()
    chips = [where.chip(text) for text in where.labels]
    assert [chip.center().x() for chip in chips] == sorted(chip.center().x() for chip in chips)
    assert not any(a.intersects(b) for i, a in enumerate(chips) for b in chips[i + 1 :])
    assert all(editor.axis.rect().contains(chip.toAlignedRect()) for chip in chips)
    assert where.at(where.x_of(0.7)) == pytest.approx(0.7)


def test_click_on_the_scale_adds_the_nearest_nice_split(editor: SplitEditor, qtbot):
    where = editor.axis.geometry_now()
    place = QPointF(where.x_of(split_position("3:10")), where.axis_y).toPoint()
    qtbot.mouseClick(editor.axis, Qt.MouseButton.LeftButton, pos=place)
    assert splits(editor) == [*PAPER_SPLITS, "3:10"]
    assert editor.axis.chosen == "3:10"


def test_dragging_moves_a_split_and_never_onto_another(editor: SplitEditor, qtbot):
    where = editor.axis.geometry_now()
    start = middle(editor, "1:1")
    qtbot.mousePress(editor.axis, Qt.MouseButton.LeftButton, pos=start)
    for target in ("5:4", "2:1"):
        place = QPoint(round(where.x_of(split_position(target))), start.y())
        qtbot.mouseMove(editor.axis, place)
        qtbot.wait(10)
    qtbot.mouseRelease(editor.axis, Qt.MouseButton.LeftButton)
    assert "1:1" not in splits(editor)
    assert len(set(splits(editor))) == len(PAPER_SPLITS)
    assert splits(editor).index(editor.axis.chosen) == PAPER_SPLITS.index("1:1")
    assert split_position(editor.axis.chosen) == pytest.approx(split_position("2:1"), abs=0.2)


def test_cross_of_a_chip_removes_it(editor: SplitEditor, qtbot):
    cross = editor.axis.geometry_now().cross("5:1").center().toPoint()

    def point() -> None:  # again where a window of another test, closing, took the pointer away
        qtbot.mouseMove(editor.axis, middle(editor, "5:1"))
        qtbot.mouseMove(editor.axis, cross)
        assert editor.axis._marked_split() == "5:1"

    qtbot.waitUntil(point, timeout=30_000)
    qtbot.mouseClick(editor.axis, Qt.MouseButton.LeftButton, pos=cross)
    assert splits(editor) == [text for text in PAPER_SPLITS if text != "5:1"]


def test_keys_choose_move_and_remove(editor: SplitEditor, qtbot):
    axis = editor.axis
    axis.setFocus()
    axis.choose("1:1")
    qtbot.keyClick(axis, Qt.Key.Key_Right)
    assert axis.chosen == "2:1"
    qtbot.keyClick(axis, Qt.Key.Key_Left)
    qtbot.keyClick(axis, Qt.Key.Key_Left)
    assert axis.chosen == "1:2"
    qtbot.keyClick(axis, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert axis.chosen == "4:9"
    assert "4:9" in splits(editor)
    assert "1:2" not in splits(editor)
    qtbot.keyClick(axis, Qt.Key.Key_Delete)
    assert "4:9" not in splits(editor)
    for _ in range(20):
        qtbot.keyClick(axis, Qt.Key.Key_Right)
    assert axis.chosen == "10:1"
    qtbot.keyClick(axis, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert axis.chosen == "10:1"


def test_digit_begins_a_split_and_enter_adds_it(editor: SplitEditor, qtbot):
    editor.axis.setFocus()
    qtbot.keyClick(editor.axis, Qt.Key.Key_7)
    assert editor.new.edit.hasFocus()
    qtbot.keyClicks(editor.new.edit, ":9")
    qtbot.keyClick(editor.new.edit, Qt.Key.Key_Return)
    assert splits(editor)[-1] == "7:9"
    assert editor.new.edit.text() == ""


def test_split_that_is_there_already_is_chosen_and_not_added_twice(editor: SplitEditor, qtbot):
    qtbot.keyClicks(editor.new.edit, "5:1")
    qtbot.mouseClick(editor.add_button, Qt.MouseButton.LeftButton)
    assert splits(editor) == list(PAPER_SPLITS)
    assert editor.axis.chosen == "5:1"


def test_presets_replace_all_splits(editor: SplitEditor, qtbot):
    button = next(button for button in editor.findChildren(type(editor.add_button)) if button.text() == "Five")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert splits(editor) == list(PRESETS["five"])


def test_splits_that_the_host_cannot_be_set_to_are_reported_and_no_longer_once_the_period_fits(editor, qtbot):
    state = editor._state
    state.store_host_answer(state.form.host, make_facts())
    for text in ("5", "20"):
        editor.period.edit.clear()
        qtbot.keyClicks(editor.period.edit, text)
        reported = editor.message.text() if editor.message.isVisible() else ""
        assert ("1:10 gives" in reported) is (text == "5")
        assert ("3 more" in reported) is (text == "5")
        assert state.messages_of("splits").keys() == ({f"splits[{i}]" for i in (2, 3, 6, 8)} if text == "5" else set())


def test_period_is_asked_for_where_the_scheduler_takes_one(editor: SplitEditor):
    state = editor._state
    for scheduler, asked in (("cgroup-v1", True), ("credit2", False), ("rtds", True)):
        state.store_host_answer(state.form.host, msgspec.structs.replace(make_facts(), scheduler=scheduler))
        editor.refresh()
        assert editor.period.isVisible() is asked


def test_axis_reports_what_it_shows_to_those_who_cannot_see_it(editor: SplitEditor):
    editor.axis.choose("1:5")
    assert "1:10" in editor.axis.accessibleName()
    assert "1:5 chosen" in editor.axis.accessibleName()
    assert "Delete" in editor.axis.accessibleDescription()


def test_no_split_at_all_is_shown_as_an_empty_scale(editor: SplitEditor, qtbot):
    editor.axis.setFocus()
    for _ in PAPER_SPLITS:
        qtbot.keyClick(editor.axis, Qt.Key.Key_Delete)
    assert splits(editor) == []
    assert editor.axis.chosen == ""
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Delete):
        with pytest.raises(NotEmitted), qtbot.waitSignal(editor.changed, timeout=20):
            qtbot.keyClick(editor.axis, key)
    qtbot.keyClick(editor.axis, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert splits(editor) == []


def test_click_above_the_scale_adds_nothing(editor: SplitEditor, qtbot):
    where = editor.axis.geometry_now()
    for y in (2, round(where.chip("1:1").top()) - 4, round(where.chip("1:1").center().y())):
        place = QPoint(round(where.x_of(split_position("9:10"))) + 14, y)
        if where.under(QPointF(place)) is None:
            qtbot.mouseClick(editor.axis, Qt.MouseButton.LeftButton, pos=place)
    assert splits(editor) == list(PAPER_SPLITS)


def test_every_change_of_the_splits_can_be_reverted_and_done_again(editor: SplitEditor, qtbot):
    where = editor.axis.geometry_now()
    start = middle(editor, "1:1")
    qtbot.mousePress(editor.axis, Qt.MouseButton.LeftButton, pos=start)
    for target in ("5:4", "3:2", "5:3"):
        qtbot.mouseMove(editor.axis, QPoint(round(where.x_of(split_position(target))), start.y()))
        qtbot.wait(10)
    qtbot.mouseRelease(editor.axis, Qt.MouseButton.LeftButton)
    dragged = list(splits(editor))
    assert dragged != list(PAPER_SPLITS)
    editor.add("3:10")
    added = list(splits(editor))
    editor._set_splits(list(PRESETS["five"]))
    for expected in (added, dragged, list(PAPER_SPLITS), list(PAPER_SPLITS)):
        editor.undo()
        assert splits(editor) == expected
    editor.redo()
    assert splits(editor) == dragged
    editor.add("7:10")
    editor.redo()
    assert "7:10" in splits(editor), "what was undone is gone once something else was done"
