"""Lessons in the window: list, prediction, run and check."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.lessons.lesson_page import LessonPage
from app.lessons.lessons_page import LessonsPage
from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from scheduler.lessons.lesson_check import CheckedLesson, LessonCheck
from scheduler.lessons.lesson_files import lessons_folder, read_lessons
from scheduler.model.lesson_entry import LessonEntry, student_seed
from tests.ui.looks import clipped, outside

pytestmark = pytest.mark.ui
_LIMIT_MS = 40_000


@pytest.fixture
def page(theme: Theme, qtbot) -> LessonPage:
    made = LessonPage(theme)
    qtbot.addWidget(made)
    made.resize(900, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_prediction_comes_before_the_start_by_mouse(page: LessonPage, qtbot):
    page.show_lesson(read_lessons().find("1"), 1, 8, "", done=False)
    assert not page.start_button.isEnabled()
    axis = page.card.axis
    place = axis.geometry_now().chip("2:1").center().toPoint()
    qtbot.mouseClick(axis, Qt.MouseButton.LeftButton, pos=place)
    assert page.card.prediction == "2:1"
    assert not page.start_button.isEnabled(), "the name is missing"
    qtbot.keyClicks(page.card.student, "Ana")
    with qtbot.waitSignal(page.start) as started:
        page.start_button.click()
    spec = started.args[0]
    assert spec.lesson == LessonEntry("1-who-starves", "Ana", "2:1")
    assert spec.seed == student_seed("Ana")


def test_prediction_by_keys_changes_no_split_of_the_lesson(page: LessonPage, qtbot):
    lesson = read_lessons().find("1")
    page.show_lesson(lesson, 1, 8, "Ana", done=False)
    axis = page.card.axis
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Delete, Qt.Key.Key_7):
        qtbot.keyClick(axis, key)
    qtbot.keyClick(axis, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert page.card.prediction == "1:2"
    assert set(axis.geometry_now().labels) == set(lesson.choices)
    assert page.start_button.isEnabled()


def test_wrong_number_is_named_and_cannot_start(page: LessonPage, qtbot):
    page.show_lesson(read_lessons().find("5"), 5, 8, "Ana", done=False)
    qtbot.keyClicks(page.card.number, "99")
    assert "whole number from 1 to 16" in page.card.doubt.text()
    assert not page.start_button.isEnabled()
    page.card.number.setText("4")
    assert page.card.doubt.isHidden()
    assert page.start_button.isEnabled()


def test_check_replaces_the_prediction_and_offers_the_next_lesson(page: LessonPage, qtbot):
    lesson = read_lessons().find("1")
    page.show_lesson(lesson, 1, 8, "Ana", done=False)
    check = LessonCheck(
        lesson=lesson.name,
        student="Ana",
        run_id="r",
        predicted="1:1",
        measured="1:2",
        truth="2:5",
        sentences=("You predicted 1:1.", "1:2 loses 0.8 % against 2:5."),
    )
    page.show_check(CheckedLesson.join(check, lesson))
    assert [tag.words.text() for tag in page.check.values] == ["1:1", "1:2", "2:5"]
    assert "0.8" in page.check.reasons.text()
    assert page.next_button.isVisible()
    assert not page.card.isVisible()
    assert outside(page) == clipped(page) == []
    page.again_button.click()
    assert page.card.isVisible()
    assert page.check.isHidden()


def test_list_names_broken_lessons_and_marks_finished_ones(theme: Theme, tmp_path: Path, qtbot):
    for name in ("1-who-starves", "5-how-many-users"):
        shutil.copytree(lessons_folder() / name, tmp_path / name)
    shutil.copytree(lessons_folder() / "7-for-real", tmp_path / "7-broken")
    (tmp_path / "7-broken" / "plan.toml").write_text("host = 'vax:'")
    made = LessonsPage(theme)
    qtbot.addWidget(made)
    made.show_lessons(read_lessons(tmp_path), {"1-who-starves"})
    assert list(made.cards) == ["1-who-starves", "5-how-many-users"]
    assert "Done" in made.cards["1-who-starves"].accessibleDescription()
    assert "Done" not in made.cards["5-how-many-users"].accessibleDescription()
    assert not made.message.isHidden()


def test_student_reaches_the_truth_from_the_first_page(theme: Theme, home: Path, qtbot):
    window = MainWindow(theme, Settings())
    with qtbot.waitSignal(window.home.loaded, timeout=_LIMIT_MS):
        window.show()
    window.home.first.lessons_link.click()
    qtbot.waitUntil(lambda: window.lessons.list_page is not None and window.page is window.lessons.list_page)
    window.lessons.list_page.cards["3-weights-are-not-caps"].click()
    page = window.lessons.lesson_page
    page.card.axis.pick("1:1")
    page.card.student.setText("Ana")
    page.start_button.click()
    qtbot.waitUntil(lambda: window.page is page and page.check.isVisible(), timeout=_LIMIT_MS)
    assert page.check.values[2].words.text() == "any split"
    assert window.settings.student == "Ana"
    assert list(window.settings.lesson_runs) == ["3-weights-are-not-caps"]
    qtbot.waitUntil(lambda: window.runner.idle, timeout=_LIMIT_MS)
    window.close()
    window.deleteLater()
