"""The wizard against the real commands on a made-up host, driven as a person would: keys and clicks."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from app.core_process import CommandRunner
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.page_names import PAGES
from app.wizard.step_rail import StepMark
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard import Wizard
from scheduler.model.load import LoadSpec
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, Mode, RunSpec
from tests.data_maker import make_spec
from tests.ui.wizard.helpers import LIMIT_MS, click, press, type_into

pytestmark = pytest.mark.ui


def test_enter_alone_leads_from_the_defaults_to_a_sweep(wizard: Wizard, host: str, qtbot):
    for index in range(len(PAGES)):
        assert wizard.page is wizard.page_at(index)
        if index == len(PAGES) - 1:
            qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)
            assert wizard.review.answer.error == ""
        with qtbot.waitSignal(wizard.start, raising=index == len(PAGES) - 1, timeout=200) as started:
            press(qtbot, wizard, Qt.Key.Key_Return)
    spec, secrets = started.args
    assert spec == RunSpec(
        host_url=host,
        settings=tuple(parse_split_setting(text) for text in PAPER_SPLITS),
        loads=(LoadSpec("osdb-ir"), LoadSpec("osdb-oltp")),
        weights={"osdb-ir": 1.0, "osdb-oltp": 1.0},
        by_host=("users",),
    )
    assert secrets == {}


def test_what_is_typed_and_clicked_is_what_is_started(wizard: Wizard, host: str, qtbot):
    domains, splits, loads, protocol, review = map(wizard.page_at, range(1, len(PAGES)))
    wizard.next()
    type_into(qtbot, domains.io_name.edit, "Domain-0")
    type_into(qtbot, domains.guest_name.edit, "db1")
    wizard.next()
    click(qtbot, splits.modes[Mode.WEIGHTS])
    for _ in PAPER_SPLITS[2:]:
        splits.editor.axis.setFocus()
        press(qtbot, wizard, Qt.Key.Key_Delete)
    type_into(qtbot, splits.editor.new.edit, "3:4")
    qtbot.keyClick(splits.editor.new.edit, Qt.Key.Key_Return)
    assert wizard.page is splits
    remaining = list(wizard.state.form.splits)
    wizard.next()
    click(qtbot, loads.cards["osdb-oltp"].on)
    type_into(qtbot, loads.cards["osdb-ir"].inputs.users.edit, "7")
    type_into(qtbot, loads.cards["osdb-ir"].inputs.by_name["tuples"].edit, "20000")
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
    assert spec.settings == tuple(parse_split_setting(text) for text in remaining)
    assert remaining[-1] == "3:4"
    assert (spec.host_url, spec.mode, spec.name, spec.seed) == (host, Mode.WEIGHTS, "Mine", 42)
    assert (spec.io_domain, spec.guest_domain) == ("Domain-0", "db1")
    assert spec.loads == (LoadSpec("osdb-ir", 7, "postgresql://osdb@127.0.0.1:5999/osdb", 20_000),)
    assert (spec.protocol.repeats, spec.protocol.measure_s) == (2, standard.measure_s)
    assert secrets == {"postgresql://osdb@127.0.0.1:5999/osdb": "s3cret"}
    assert "s3cret" not in repr(spec)


def test_back_and_every_step_keep_what_was_typed(wizard: Wizard, qtbot):
    wizard.go(3)
    type_into(qtbot, wizard.page.cards["osdb-ir"].inputs.users.edit, "63")
    for _ in range(3):
        press(qtbot, wizard, Qt.Key.Key_Escape)
    assert wizard.page is wizard.page_at(0)
    click(qtbot, wizard.rail.steps[3])
    assert wizard.page.cards["osdb-ir"].inputs.users.edit.text() == "63"
    assert wizard.rail.steps[3].answer == "IR \N{MULTIPLICATION SIGN} 63, OLTP \N{MULTIPLICATION SIGN} 5"
    assert wizard.rail.steps[0].mark is StepMark.DONE
    assert wizard.rail.steps[5].mark is StepMark.AHEAD


def test_leaving_asks_only_when_input_would_be_lost(wizard: Wizard, qtbot):
    with qtbot.waitSignal(wizard.cancelled):
        press(qtbot, wizard, Qt.Key.Key_Escape)
    wizard.go(3)
    type_into(qtbot, wizard.page.cards["osdb-ir"].inputs.users.edit, "6")
    for stays in (True, False):
        with qtbot.assertNotEmitted(wizard.cancelled):
            click(qtbot, wizard.footer.cancel)
        buttons = {button.text(): button for button in wizard.asking.buttons()}
        with qtbot.waitSignal(wizard.cancelled, raising=not stays, timeout=200) as left:
            click(qtbot, buttons["&Stay" if stays else "&Discard"])
        assert left.signal_triggered is not stays


def test_plan_is_saved_and_opened_as_the_same_sweep(wizard: Wizard, home: Path, qtbot):
    spec = make_spec(wizard.state.form.host, splits=("1:3", "2:1"), kinds=("osdb-oltp",), repeats=4, mode=Mode.WEIGHTS)
    path = home / "mine.toml"
    with qtbot.waitSignal(wizard.files.notified) as said:
        wizard.files.save(spec, path)
    assert said.args[0] == "good"
    assert parse_plan(path.read_text(encoding="utf-8")) == spec
    wizard.files.open(path)
    qtbot.waitUntil(lambda: wizard.state.spec == spec, timeout=LIMIT_MS)
    assert all(step.mark is StepMark.DONE for step in wizard.rail.steps[:5])
    assert not wizard.page_at(3).cards["osdb-ir"].on.isChecked()


def test_loaded_sweep_is_shown_and_started_unchanged(wizard: Wizard, qtbot):
    database = "postgresql://osdb@10.0.0.5/osdb"
    spec = parse_plan(
        write_plan(make_spec(wizard.state.form.host, weights={"osdb-ir": 3.0, "osdb-oltp": 1.0}, repeats=9)).replace(
            'kind = "osdb-oltp"', f'kind = "osdb-oltp"\ndatabase = "{database}"'
        )
    )
    wizard.load_spec(spec)
    loads = wizard.page_at(3)
    assert loads.database.each.isChecked()
    assert loads.database.rows["osdb-oltp"].url.edit.text() == database
    assert loads.database.rows["osdb-ir"].url.edit.text() == ""
    wizard.go(3)
    assert "75" in loads.cards["osdb-ir"].inputs.part.text()
    wizard.go(4)
    assert wizard.page.adjust.isChecked()
    wizard.go(5)
    with qtbot.waitSignal(wizard.start) as started:
        click(qtbot, wizard.footer.next)
    assert started.args[0] == spec


def test_settings_give_the_first_values(theme: Theme, runner: CommandRunner, qtbot):
    settings = Settings()
    settings.users, settings.measure_s = 9, 25
    made = Wizard(theme, settings, runner)
    qtbot.addWidget(made)
    assert {load.users for load in made.state.spec.loads} == {9}
    assert made.state.spec.protocol.measure_s == 25
    assert made.state.form.host == SweepForm.host


def test_beginning_again_forgets_what_was_typed(wizard: Wizard, host: str, qtbot):
    wizard.go(3)
    type_into(qtbot, wizard.page.cards["osdb-ir"].inputs.users.edit, "63")
    click(qtbot, wizard.page.cards["osdb-ir"].inputs.probe)
    wizard.begin_again()
    assert wizard.page is wizard.page_at(0)
    assert {step.mark for step in wizard.rail.steps[1:]} == {StepMark.AHEAD}
    assert wizard.state.form == SweepForm(host=host)
    assert wizard.page_at(3).cards["osdb-ir"].inputs.users.edit.text() == ""
    assert not wizard.page_at(3).cards["osdb-ir"].inputs.probe.isChecked()


def test_dialogs_offer_the_name_of_the_plan_and_the_last_folder(new_wizard: Wizard, home: Path, qtbot):
    new_wizard._settings.export_dir = home
    new_wizard.state.form.texts["name"] = "Table 1: of 2007"
    new_wizard.state.touch()
    click(qtbot, new_wizard.footer.save_plan)
    saving = new_wizard.findChild(QFileDialog)
    assert [Path(name).name for name in saving.selectedFiles()] == ["table-1-of-2007.toml"]
    with qtbot.waitSignal(new_wizard.files.notified):
        saving.accept()
    assert parse_plan((home / "table-1-of-2007.toml").read_text(encoding="utf-8")) == new_wizard.state.spec
    saved = new_wizard.state.spec
    new_wizard.begin_again()
    qtbot.waitUntil(lambda: new_wizard.findChild(QFileDialog) is None, timeout=LIMIT_MS)
    click(qtbot, new_wizard.footer.open_plan)
    opening = new_wizard.findChild(QFileDialog)
    opening.selectFile(str(home / "table-1-of-2007.toml"))
    with qtbot.waitSignal(new_wizard.files.opened):
        opening.accept()
    assert new_wizard.state.spec == saved
    assert new_wizard.page is new_wizard.review


def test_review_names_the_database_that_the_plan_puts_into_the_guest(wizard: Wizard, qtbot):
    spec = make_spec("local:")
    loads = tuple(msgspec.structs.replace(load, database="mariadb:") for load in spec.loads)
    wizard.load_spec(msgspec.structs.replace(spec, loads=loads))
    wizard.go(len(PAGES) - 1)
    host = wizard.review.facts[0][1]
    qtbot.waitUntil(lambda: "a relay and MariaDB share" in host.text(), timeout=LIMIT_MS)
