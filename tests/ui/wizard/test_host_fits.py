"""What a host cannot do is not offered: modes without weights, a database where everything is simulated."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from app.wizard.plan_texts import review_paragraph
from app.wizard.wizard import Wizard
from scheduler.model.spec import PAPER_SPLITS, Mode
from tests.data_maker import make_facts
from tests.ui.wizard.helpers import click, page_texts, type_into

pytestmark = pytest.mark.ui


def _learn(wizard: Wizard, scheduler: str) -> None:
    wizard.state.store_host_answer(wizard.state.form.host, make_facts(wizard.state.form.host, scheduler=scheduler))


@pytest.mark.parametrize("scheduler", ["sedf", "rtds"])
def test_share_is_not_offered_where_the_scheduler_has_no_weights(wizard: Wizard, scheduler: str, qtbot):
    wizard.state.form.splits = ["1:1", "1:3"]  # which every scheduler can express
    wizard.go(2)
    page = wizard.page
    _learn(wizard, "credit2")
    assert page.modes[Mode.WEIGHTS].isEnabled()
    click(qtbot, page.modes[Mode.WEIGHTS])
    _learn(wizard, scheduler)
    assert not page.modes[Mode.WEIGHTS].isEnabled()
    assert "has no weights" in page_texts(wizard)
    assert "mode =" not in page_texts(wizard)
    assert not page.editor.axis._wrong, "no split is to blame"
    assert page.mode_message.isVisible()
    wizard.next()
    assert wizard.page is page
    click(qtbot, page.modes[Mode.CAPS])
    assert wizard.state.spec is not None
    assert not page.mode_message.isVisible()


def test_ctrl_z_on_the_page_brings_a_split_back(wizard: Wizard, qtbot):
    wizard.go(2)
    wizard.activateWindow()
    editor = wizard.page.editor
    editor.axis.setFocus()
    qtbot.keyClick(editor.axis, Qt.Key.Key_Delete)
    assert len(wizard.state.form.splits) == len(PAPER_SPLITS) - 1
    qtbot.keySequence(editor.axis, QKeySequence(QKeySequence.StandardKey.Undo))
    qtbot.waitUntil(lambda: wizard.state.form.splits == list(PAPER_SPLITS))
    qtbot.keySequence(editor.axis, QKeySequence(QKeySequence.StandardKey.Redo))
    qtbot.waitUntil(lambda: len(wizard.state.form.splits) == len(PAPER_SPLITS) - 1)


def test_simulated_host_offers_no_postgresql_and_the_plan_names_none(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    type_into(qtbot, card.rows["osdb-ir"].url.edit, "postgresql://u@h/a")
    type_into(qtbot, card.rows["osdb-ir"].password.edit, "s3cret")
    was = wizard.state.form.host
    wizard.state.form.host = "sim:"
    wizard.state.touch()
    assert "PostgreSQL of yours" not in page_texts(wizard)
    assert not card.own.isVisible()
    assert not card.rows["osdb-ir"].isVisible()
    assert {load.database for load in wizard.state.spec.loads} == {""}
    assert wizard.state.form.secrets() == {}
    assert "that DomTune brings" not in review_paragraph(wizard.state.spec, None)
    wizard.state.form.host = was
    wizard.state.touch()
    assert card.rows["osdb-ir"].url.edit.text() == "postgresql://u@h/a"
    assert {load.database for load in wizard.state.spec.loads} == {"postgresql://u@h/a"}
