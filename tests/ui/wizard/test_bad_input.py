"""Bad input stands beside its field with its message, and nothing is lost."""

from pathlib import Path

import pytest

from app.wizard.field import FormField
from app.wizard.step_rail import StepMark
from app.wizard.wizard import Wizard
from tests.data_maker import make_spec
from tests.ui.wizard.helpers import LIMIT_MS, click, page_texts, type_into
from tests.volume import few

pytestmark = pytest.mark.ui


def test_host_of_an_unknown_kind_is_refused_in_words_and_its_url_stays(wizard: Wizard, qtbot):
    page = wizard.page_at(0)
    type_into(qtbot, page.url.edit, "vmware://lab1")
    click(qtbot, page.test)
    qtbot.waitUntil(lambda: page.message.isVisible() and "vmware://lab1" in page.message.text.text(), timeout=LIMIT_MS)
    qtbot.waitUntil(lambda: "not a host" in page.message.text.text(), timeout=LIMIT_MS)
    assert page.message.hint.text()
    assert page.url.edit.text() == "vmware://lab1"
    assert wizard.state.facts is None


def test_bad_split_is_reported_keeps_its_text_and_holds_the_page(wizard: Wizard, qtbot):
    wizard.go(2)
    editor = wizard.page.editor
    for bad in ("0:1", "1:", "a:b", "-1:2", "1:100000"):
        type_into(qtbot, editor.new.edit, bad)
        wizard.next()
        assert wizard.page is wizard.page_at(2)
        assert bad in editor.new.message.text()
        assert editor.new.message.isVisible()
        assert "a:b" in editor.new.message.text()
        assert "1:2" in editor.new.message.text()
        assert editor.new.edit.text() == bad
    type_into(qtbot, editor.new.edit, "3:7")
    assert not editor.new.message.isVisible()
    wizard.next()
    assert wizard.page is wizard.page_at(3)
    assert wizard.state.form.splits[-1] == "3:7"


@pytest.mark.parametrize(
    ("page", "find", "bad", "allowed"),
    few(
        [
            (0, lambda w: w.page_at(0).url, "my server", "KIND:WHERE"),
            (2, lambda w: w.page_at(2).editor.period, "0.5", "1..1000"),
            (3, lambda w: w.page_at(3).cards["osdb-oltp"].inputs.by_name["tuples"], "2500", "multiple of 1000"),
            (4, lambda w: w.page_at(4).inputs["measure_s"], "soon", "whole number"),
        ],
        [
            (3, lambda w: w.page_at(3).cards["osdb-ir"].inputs.users, "999", "1..256"),
            (3, lambda w: w.page_at(3).cards["osdb-ir"].inputs.weight, "-1", "0..1000000"),
            (4, lambda w: w.page_at(4).inputs["repeats"], "0", "1..1000"),
        ],
    ),
)
def test_bad_input_remains_with_its_message_and_holds_the_page(wizard: Wizard, page, find, bad, allowed, qtbot):
    wizard.go(page)
    if page == 4:
        click(qtbot, wizard.page.adjust)
    field: FormField = find(wizard)
    type_into(qtbot, field.edit, bad)
    wizard.next()
    assert wizard.page is wizard.page_at(page)
    assert field.message.isVisible()
    assert bad in field.message.text()
    assert allowed in field.message.text()
    assert field.edit.property("invalid") == "true"
    assert field.edit.hasFocus()
    assert wizard.rail.steps[page].mark is StepMark.WRONG
    wizard.go(5)
    assert not wizard.footer.next.isEnabled()
    assert bad in page_texts(wizard)
    wizard.go(page)
    assert field.edit.text() == bad


def test_message_waits_until_the_person_pauses(wizard: Wizard, qtbot):
    field = wizard.page_at(0).url
    type_into(qtbot, field.edit, "lo")
    assert not field.message.isVisible()
    qtbot.waitUntil(field.message.isVisible, timeout=30_000)
    type_into(qtbot, field.edit, "local:")
    assert not field.message.isVisible()


def test_host_that_cannot_be_used_keeps_the_sweep_from_starting(wizard: Wizard, host: str, qtbot):
    wizard.load_spec(make_spec(host + "?unreachable_after=0"))
    wizard.go(5)
    qtbot.waitUntil(wizard.review.error.isVisible, timeout=LIMIT_MS)
    assert not wizard.footer.next.isEnabled()
    assert wizard.review.error.text.text()
    assert wizard.review.again.isEnabled()


def test_check_of_a_database_that_is_not_there_reports_it_and_keeps_the_text(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    row = card.rows["osdb-ir"]
    url = "postgresql://osdb@127.0.0.1:1/osdb"
    type_into(qtbot, row.url.edit, url)
    type_into(qtbot, row.password.edit, "s3cret")
    click(qtbot, row.check)
    qtbot.waitUntil(lambda: row.answer.property("look") == "bar-danger", timeout=LIMIT_MS)
    assert "127.0.0.1" in row.answer.text.text()
    assert "s3cret" not in row.answer.text.text() + row.answer.hint.text()
    assert row.url.edit.text() == url
    type_into(qtbot, row.url.edit, url + "2")
    assert not row.answer.isVisible()


def test_plan_that_cannot_be_read_or_written_is_reported_and_changes_nothing(wizard: Wizard, home: Path, qtbot):
    before = wizard.state.spec
    broken = home / "broken.toml"
    broken.write_text('host = "local:"\nsplit = ["1:2"]\n', encoding="utf-8")
    for act in (
        lambda: wizard.files.open(broken),
        lambda: wizard.files.open(home / "absent.toml"),
        lambda: wizard.files.save(before, home / "no" / "such" / "folder.toml"),
    ):
        with qtbot.waitSignal(wizard.files.notified) as said:
            act()
        assert said.args[0] == "error"
        assert said.args[1]
        assert said.args[2]
        assert wizard.message.isVisible()
        assert wizard.state.spec == before
