"""The wizard against the real commands on a made-up host, driven as a person would: keys and clicks."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit

from app.core_process import Runner
from app.settings import Settings
from app.theme.theme import Appearance, Theme
from app.wizard.field import Field
from app.wizard.form import PAGES, SweepForm
from app.wizard.steps import Mark
from app.wizard.wizard import Wizard
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import split_setting
from scheduler.model.spec import PAPER_SPLITS, PROTOCOLS, LoadSpec, Mode, RunSpec
from tests.data_maker import make_facts, make_spec
from tests.ui.looks import clipped, not_reached_by_tab, outside

pytestmark = pytest.mark.ui
_LIMIT_MS = 30_000


@pytest.fixture
def runner(qtbot):
    made = Runner()
    yield made
    qtbot.waitUntil(lambda: made.idle, timeout=_LIMIT_MS)


@pytest.fixture
def host(home: Path) -> str:
    return f"fake:{home / 'host.json'}"


@pytest.fixture
def wizard(theme: Theme, runner: Runner, host: str, qtbot) -> Wizard:
    settings = Settings()
    settings.remember_host(host)
    made = Wizard(theme, settings, runner)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    return made


def type_into(qtbot, edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClick(edit, Qt.Key.Key_Delete)
    qtbot.keyClicks(edit, text)


def press(qtbot, wizard: Wizard, key: Qt.Key) -> None:
    qtbot.keyClick(QApplication.focusWidget() or wizard, key)


def click(qtbot, button: QAbstractButton) -> None:
    place = QPoint(10, button.height() // 2)  # a check box takes no clicks far from its words
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=place)


def known(qtbot, wizard: Wizard) -> None:
    qtbot.waitUntil(lambda: wizard.state.facts is not None, timeout=_LIMIT_MS)


def told(wizard: Wizard) -> str:
    return " ".join(part.text() for part in wizard.page.findChildren(QLabel) if part.isVisible())


def test_that_enter_alone_leads_from_the_defaults_to_a_sweep(wizard: Wizard, host: str, qtbot):
    for index in range(len(PAGES)):
        assert wizard.page is wizard.pages[index]
        if index == len(PAGES) - 1:
            qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=_LIMIT_MS)
            assert wizard.review.answer.error == ""
        with qtbot.waitSignal(wizard.start, raising=index == len(PAGES) - 1, timeout=200) as started:
            press(qtbot, wizard, Qt.Key.Key_Return)
    spec, secrets = started.args
    assert spec == RunSpec(
        host_url=host,
        settings=tuple(split_setting(text) for text in PAPER_SPLITS),
        loads=(LoadSpec("osdb-ir"), LoadSpec("osdb-oltp")),
        weights={"osdb-ir": 1.0, "osdb-oltp": 1.0},
    )
    assert secrets == {}


def test_that_what_is_typed_and_clicked_is_what_is_started(wizard: Wizard, host: str, qtbot):
    _, domains, splits, loads, protocol, review = wizard.pages
    wizard.next()
    type_into(qtbot, domains.io_name.edit, "Domain-0")
    type_into(qtbot, domains.guest_name.edit, "db1")
    wizard.next()
    click(qtbot, splits.modes[Mode.SHARE])
    for _ in PAPER_SPLITS[2:]:
        splits.editor.axis.setFocus()
        press(qtbot, wizard, Qt.Key.Key_Delete)
    type_into(qtbot, splits.editor.new.edit, "3:4")
    qtbot.keyClick(splits.editor.new.edit, Qt.Key.Key_Return)
    assert wizard.page is splits
    remaining = list(wizard.state.form.splits)
    wizard.next()
    click(qtbot, loads.cards["osdb-oltp"].on)
    type_into(qtbot, loads.cards["osdb-ir"].users.edit, "7")
    type_into(qtbot, loads.cards["osdb-ir"].tuples.edit, "20000")
    click(qtbot, loads.database.own)
    row = loads.database.rows["osdb-ir"]
    type_into(qtbot, row.url.edit, "postgresql://osdb@127.0.0.1:5999/osdb")
    type_into(qtbot, row.password.edit, "s3cret")
    wizard.next()
    click(qtbot, protocol.cards["replicate"])
    click(qtbot, protocol.adjust)
    type_into(qtbot, protocol.inputs["repeats"].edit, "2")
    type_into(qtbot, protocol.inputs["seed"].edit, "42")
    wizard.next()
    type_into(qtbot, review.name.edit, "Mine")
    with qtbot.waitSignal(wizard.start) as started:
        click(qtbot, wizard.footer.next)
    spec, secrets = started.args
    standard = PROTOCOLS["replicate"]
    assert len(remaining) == 3
    assert spec.settings == tuple(split_setting(text) for text in remaining)
    assert remaining[-1] == "3:4"
    assert (spec.host_url, spec.mode, spec.name, spec.seed) == (host, Mode.SHARE, "Mine", 42)
    assert (spec.io_domain, spec.guest_domain) == ("Domain-0", "db1")
    assert spec.loads == (LoadSpec("osdb-ir", 7, "postgresql://osdb@127.0.0.1:5999/osdb", 20_000),)
    assert (spec.protocol.repeats, spec.protocol.measure_s) == (2, standard.measure_s)
    assert secrets == {"postgresql://osdb@127.0.0.1:5999/osdb": "s3cret"}
    assert "s3cret" not in repr(spec)


def test_that_a_test_shows_the_host_in_place(wizard: Wizard, qtbot):
    click(qtbot, wizard.pages[0].test)
    known(qtbot, wizard)
    qtbot.waitUntil(wizard.pages[0].facts.isVisible, timeout=_LIMIT_MS)
    words = told(wizard)
    assert "A made-up host" in words
    assert "Linux control groups, version 2" in words
    assert "Domain-0" in words
    assert "at once" in words
    assert wizard.rail.steps[0].answer.endswith("cgroup-v2")


def test_that_a_host_of_an_unknown_kind_is_refused_in_words_and_its_url_stays(wizard: Wizard, qtbot):
    page = wizard.pages[0]
    type_into(qtbot, page.url.edit, "vmware://lab1")
    click(qtbot, page.test)
    qtbot.waitUntil(lambda: page.message.isVisible() and "vmware://lab1" in page.message.text.text(), timeout=_LIMIT_MS)
    qtbot.waitUntil(lambda: "not a host" in page.message.text.text(), timeout=_LIMIT_MS)
    assert page.message.hint.text()
    assert page.url.edit.text() == "vmware://lab1"
    assert wizard.state.facts is None


def test_that_a_test_can_be_stopped(wizard: Wizard, qtbot):
    page = wizard.pages[0]
    click(qtbot, page.test)
    assert page.message.isVisible()
    click(qtbot, page.test)
    assert not page.message.isVisible()
    qtbot.waitUntil(lambda: page.test.text() == "&Test", timeout=_LIMIT_MS)
    assert wizard.state.facts is None


def test_that_typing_another_host_forgets_what_the_first_one_said(wizard: Wizard, host: str, qtbot):
    wizard.pages[0].ask()
    known(qtbot, wizard)
    type_into(qtbot, wizard.pages[0].url.edit, host + "x")
    assert wizard.state.facts is None
    assert not wizard.pages[0].facts.isVisible()
    type_into(qtbot, wizard.pages[0].url.edit, host)
    assert wizard.state.facts is not None


def test_that_a_bad_split_is_told_in_words_keeps_its_text_and_holds_the_page(wizard: Wizard, qtbot):
    wizard.go(2)
    editor = wizard.page.editor
    for bad in ("0:1", "1:", "a:b", "-1:2", "1:100000"):
        type_into(qtbot, editor.new.edit, bad)
        wizard.next()
        assert wizard.page is wizard.pages[2]
        assert bad in editor.new.message.text()
        assert editor.new.message.isVisible()
        assert "a:b" in editor.new.message.text()
        assert "1:2" in editor.new.message.text()
        assert editor.new.edit.text() == bad
    type_into(qtbot, editor.new.edit, "3:7")
    assert not editor.new.message.isVisible()
    wizard.next()
    assert wizard.page is wizard.pages[3]
    assert wizard.state.form.splits[-1] == "3:7"


@pytest.mark.parametrize(
    ("page", "find", "bad", "allowed"),
    [
        (0, lambda w: w.pages[0].url, "my server", "KIND:WHERE"),
        (2, lambda w: w.pages[2].editor.period, "0.5", "1..1000"),
        (3, lambda w: w.pages[3].cards["osdb-ir"].users, "99", "1..64"),
        (3, lambda w: w.pages[3].cards["osdb-oltp"].tuples, "2500", "multiple of 1000"),
        (3, lambda w: w.pages[3].cards["osdb-ir"].weight, "-1", "0..1000000"),
        (4, lambda w: w.pages[4].inputs["repeats"], "0", "1..1000"),
        (4, lambda w: w.pages[4].inputs["measure_s"], "soon", "whole number"),
    ],
)
def test_that_bad_input_stands_with_its_message_and_holds_the_page(wizard: Wizard, page, find, bad, allowed, qtbot):
    wizard.go(page)
    if page == 4:
        click(qtbot, wizard.page.adjust)
    field: Field = find(wizard)
    type_into(qtbot, field.edit, bad)
    wizard.next()
    assert wizard.page is wizard.pages[page]
    assert field.message.isVisible()
    assert bad in field.message.text()
    assert allowed in field.message.text()
    assert field.edit.property("invalid") == "true"
    assert field.edit.hasFocus()
    assert wizard.rail.steps[page].mark is Mark.WRONG
    wizard.go(5)
    assert not wizard.footer.next.isEnabled()
    assert bad in told(wizard)
    wizard.go(page)
    assert field.edit.text() == bad


def test_that_a_message_waits_until_the_person_pauses(wizard: Wizard, qtbot):
    field = wizard.pages[0].url
    type_into(qtbot, field.edit, "lo")
    assert not field.message.isVisible()
    qtbot.waitUntil(field.message.isVisible, timeout=5000)
    type_into(qtbot, field.edit, "local:")
    assert not field.message.isVisible()


def test_that_back_and_every_step_keep_what_was_typed(wizard: Wizard, qtbot):
    wizard.go(3)
    type_into(qtbot, wizard.page.cards["osdb-ir"].users.edit, "63")
    for _ in range(3):
        press(qtbot, wizard, Qt.Key.Key_Escape)
    assert wizard.page is wizard.pages[0]
    click(qtbot, wizard.rail.steps[3])
    assert wizard.page.cards["osdb-ir"].users.edit.text() == "63"
    assert wizard.rail.steps[3].answer == "IR \N{MULTIPLICATION SIGN} 63, OLTP \N{MULTIPLICATION SIGN} 5"
    assert wizard.rail.steps[0].mark is Mark.DONE
    assert wizard.rail.steps[5].mark is Mark.AHEAD


def test_that_leaving_asks_only_when_input_would_be_lost(wizard: Wizard, qtbot):
    with qtbot.waitSignal(wizard.cancelled):
        press(qtbot, wizard, Qt.Key.Key_Escape)
    wizard.go(3)
    type_into(qtbot, wizard.page.cards["osdb-ir"].users.edit, "6")
    for stays in (True, False):
        with qtbot.assertNotEmitted(wizard.cancelled):
            click(qtbot, wizard.footer.cancel)
        buttons = {button.text(): button for button in wizard.asking.buttons()}
        with qtbot.waitSignal(wizard.cancelled, raising=not stays, timeout=200) as left:
            click(qtbot, buttons["&Stay" if stays else "&Leave"])
        assert left.signal_triggered is not stays


def test_that_the_review_says_what_will_be_issued_and_when_it_ends(wizard: Wizard, qtbot):
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=_LIMIT_MS)
    known(qtbot, wizard)
    words = told(wizard)
    assert "between Domain-0 (I/O domain) and db1 (guest)" in words
    assert "58 visits" in words
    assert re.search(r"done (between \S+ and|at about) ", words)
    assert not wizard.review.commands.isVisible()
    click(qtbot, wizard.review.fold)
    text = wizard.review.commands.toPlainText()
    assert "# 1:10" in text
    assert "quota" in text


def test_that_the_host_is_not_asked_again_for_a_name_but_for_another_split(wizard: Wizard, qtbot):
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=_LIMIT_MS)
    first = wizard.review.answer
    type_into(qtbot, wizard.review.name.edit, "Another name")
    wizard.go(0)
    wizard.go(5)
    assert wizard.review.answer is first
    wizard.pages[2].editor.add("3:7")
    wizard.go(5)
    assert wizard.review.answer is None
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=_LIMIT_MS)
    assert "# 3:7" in wizard.review.commands.toPlainText()


def test_that_a_host_that_cannot_be_used_keeps_the_sweep_from_starting(wizard: Wizard, host: str, qtbot):
    wizard.load_spec(make_spec(host + "?unreachable_after=0"))
    wizard.go(5)
    qtbot.waitUntil(wizard.review.error.isVisible, timeout=_LIMIT_MS)
    assert not wizard.footer.next.isEnabled()
    assert wizard.review.error.text.text()
    assert wizard.review.again.isEnabled()


def test_that_a_check_of_a_database_that_is_not_there_says_so_and_keeps_the_text(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    row = card.rows["osdb-ir"]
    url = "postgresql://osdb@127.0.0.1:1/osdb"
    type_into(qtbot, row.url.edit, url)
    type_into(qtbot, row.password.edit, "s3cret")
    click(qtbot, row.check)
    qtbot.waitUntil(lambda: row.answer.property("look") == "bar-danger", timeout=_LIMIT_MS)
    assert "127.0.0.1" in row.answer.text.text()
    assert "s3cret" not in row.answer.text.text() + row.answer.hint.text()
    assert row.url.edit.text() == url
    type_into(qtbot, row.url.edit, url + "2")
    assert not row.answer.isVisible()


def test_that_a_plan_is_saved_and_opened_as_the_same_sweep(wizard: Wizard, home: Path, qtbot):
    spec = make_spec(wizard.state.form.host, splits=("1:3", "2:1"), kinds=("osdb-oltp",), repeats=4, mode=Mode.SHARE)
    path = home / "mine.toml"
    with qtbot.waitSignal(wizard.files.said) as said:
        wizard.files.save(spec, path)
    assert said.args[0] == "good"
    assert parse_plan(path.read_text(encoding="utf-8")) == spec
    wizard.files.open(path)
    qtbot.waitUntil(lambda: wizard.state.spec == spec, timeout=_LIMIT_MS)
    assert all(step.mark is Mark.DONE for step in wizard.rail.steps[:5])
    assert not wizard.pages[3].cards["osdb-ir"].on.isChecked()


def test_that_a_plan_that_cannot_be_read_or_written_is_told_and_changes_nothing(wizard: Wizard, home: Path, qtbot):
    before = wizard.state.spec
    broken = home / "broken.toml"
    broken.write_text('host = "local:"\nsplit = ["1:2"]\n', encoding="utf-8")
    for act in (
        lambda: wizard.files.open(broken),
        lambda: wizard.files.open(home / "absent.toml"),
        lambda: wizard.files.save(before, home / "no" / "such" / "folder.toml"),
    ):
        with qtbot.waitSignal(wizard.files.said) as said:
            act()
        assert said.args[0] == "error"
        assert said.args[1]
        assert said.args[2]
        assert wizard.message.isVisible()
        assert wizard.state.spec == before


def test_that_a_loaded_sweep_is_shown_and_started_unchanged(wizard: Wizard, qtbot):
    database = "postgresql://osdb@10.0.0.5/osdb"
    spec = parse_plan(
        write_plan(make_spec(wizard.state.form.host, weights={"osdb-ir": 3.0, "osdb-oltp": 1.0}, repeats=9)).replace(
            'kind = "osdb-oltp"', f'kind = "osdb-oltp"\ndatabase = "{database}"'
        )
    )
    wizard.load_spec(spec)
    loads = wizard.pages[3]
    assert loads.database.each.isChecked()
    assert loads.database.rows["osdb-oltp"].url.edit.text() == database
    assert loads.database.rows["osdb-ir"].url.edit.text() == ""
    wizard.go(3)
    assert "75" in loads.cards["osdb-ir"].part.text()
    wizard.go(4)
    assert wizard.page.adjust.isChecked()
    wizard.go(5)
    with qtbot.waitSignal(wizard.start) as started:
        click(qtbot, wizard.footer.next)
    assert started.args[0] == spec


def test_that_one_database_serves_all_loads_until_each_gets_its_own(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    type_into(qtbot, card.rows["osdb-ir"].url.edit, "postgresql://u@h/a")
    assert {load.database for load in wizard.state.spec.loads} == {"postgresql://u@h/a"}
    click(qtbot, card.each)
    type_into(qtbot, card.rows["osdb-oltp"].url.edit, "postgresql://u@h/b")
    assert [load.database for load in wizard.state.spec.loads] == ["postgresql://u@h/a", "postgresql://u@h/b"]
    type_into(qtbot, card.rows["osdb-oltp"].url.edit, "")
    assert [load.database for load in wizard.state.spec.loads] == ["postgresql://u@h/a", ""]
    click(qtbot, card.embedded)
    assert {load.database for load in wizard.state.spec.loads} == {""}
    click(qtbot, card.own)
    assert card.rows["osdb-ir"].url.edit.text() == "postgresql://u@h/a"


def test_that_each_protocol_keeps_its_own_adjustments(wizard: Wizard, qtbot):
    wizard.go(4)
    page = wizard.page
    click(qtbot, page.adjust)
    type_into(qtbot, page.inputs["repeats"].edit, "5")
    click(qtbot, page.cards["replicate"])
    assert page.inputs["repeats"].edit.text() == str(PROTOCOLS["replicate"].repeats)
    qtbot.keyClick(page.cards["replicate"], Qt.Key.Key_Left)
    assert wizard.state.form.protocol == "quick"
    assert page.inputs["repeats"].edit.text() == "5"
    click(qtbot, page.reset)
    assert wizard.state.spec.protocol == PROTOCOLS["quick"]
    assert all(card.lead.isVisible() and "min" in card.lead.text() for card in page.cards.values())


def _show_all(wizard: Wizard) -> None:
    """Unfold whatever can be unfolded, and make messages appear."""
    wizard.state.learn(wizard.state.form.host.strip(), make_facts(wizard.state.form.host))
    wizard.pages[3].database.own.click()
    wizard.pages[3].database.each.click()
    wizard.pages[4].adjust.setChecked(True)
    wizard.pages[5].fold.setChecked(True)


@pytest.mark.parametrize("size", [(1280, 800), (640, 400)], ids=["1280x800", "200 percent of it"])
@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_that_no_word_is_cut_off(wizard: Wizard, theme: Theme, appearance: Appearance, size: tuple[int, int], qtbot):
    theme.set_appearance(appearance)
    _show_all(wizard)
    wizard.resize(*size)
    for index, page in enumerate(wizard.pages):
        wizard.go(index)
        qtbot.wait(50)
        assert wizard.size().toTuple() == size
        assert clipped(page) == []
        assert outside(page) == []
    assert clipped(wizard.footer) == []
    assert outside(wizard.footer) == []


@pytest.mark.parametrize("index", range(len(PAGES)), ids=PAGES)
def test_that_every_control_has_a_name_and_is_reached_by_tab(wizard: Wizard, index: int, qtbot):
    _show_all(wizard)
    wizard.go(index)
    by_arrows = [button.text() for button in wizard.findChildren(QAbstractButton) if button.group()]
    assert [name for name in not_reached_by_tab(wizard) if name not in by_arrows] == []
    edits = [edit for edit in wizard.page.findChildren(QLineEdit) if edit.isVisible()]
    buttons = [button for button in wizard.findChildren(QAbstractButton) if button.isVisible()]
    assert all(edit.accessibleName() for edit in edits)
    assert all(button.text() or button.accessibleName() for button in buttons)


@pytest.mark.parametrize("index", range(len(PAGES)), ids=PAGES)
def test_that_no_letter_stands_for_two_controls_of_a_page(wizard: Wizard, index: int, qtbot):
    _show_all(wizard)
    wizard.go(index)
    parts = [*wizard.page.findChildren(QLabel), *wizard.page.findChildren(QAbstractButton)]
    parts += wizard.footer.findChildren(QAbstractButton)
    shown = [part for part in parts if part.isVisible() and (not isinstance(part, QLabel) or part.buddy())]
    menus = ["Alt+S", "Alt+H"]  # of the window around it
    letters = menus + [key for part in shown if (key := QKeySequence.mnemonic(part.text()).toString())]
    assert sorted(letters) == sorted(set(letters))
    assert len(letters) >= 6


def test_that_the_steps_shrink_to_their_marks_where_the_window_is_narrow(wizard: Wizard, qtbot):
    wide = wizard.rail.width()
    wizard.resize(640, 400)
    assert wizard.rail.width() < wide / 2
    assert all(step.accessibleName() and step.toolTip() for step in wizard.rail.steps)


def test_that_the_settings_give_the_first_values(theme: Theme, runner: Runner, qtbot):
    settings = Settings()
    settings.users, settings.measure_s = 9, 25
    made = Wizard(theme, settings, runner)
    qtbot.addWidget(made)
    assert {load.users for load in made.state.spec.loads} == {9}
    assert made.state.spec.protocol.measure_s == 25
    assert made.state.form.host == SweepForm.host
