"""Another question than which split: asked in the window, run, and answered there."""

import pytest

from app.questions.question_dialog import QuestionDialog
from scheduler.model.studies import CAPACITY, ISOLATION, OVERHEAD
from tests.ui.stages import shown

LIMIT_MS = 60_000


@pytest.fixture
def dialog(theme, runner, qtbot):
    made = QuestionDialog(theme, runner, ("xl+ssh://root@xen.example",))
    with shown(made, qtbot):
        yield made


def type_in(dialog, study=CAPACITY, load="osdb-ir", splits="1:2"):
    dialog.study.setCurrentIndex(dialog.study.findData(study))
    dialog.host.setEditText("sim:")
    dialog.load.setCurrentIndex(dialog.load.findData(load))
    dialog.splits.setText(splits)


def test_that_only_what_the_question_needs_is_asked(dialog):
    assert (dialog.users.isVisible(), dialog.demand.isVisible(), dialog.base.isVisible()) == (True, True, False)
    assert (dialog.load.currentData(), dialog.users.value()) == ("tpcb", 32)
    dialog.study.setCurrentIndex(dialog.study.findData(OVERHEAD))
    assert (dialog.users.isVisible(), dialog.demand.isVisible(), dialog.base.isVisible()) == (False, False, True)
    assert dialog.load.currentData() == "tpch"
    of_two = (dialog.guest, dialog.guest_2, dialog.neighbour)
    assert not any(field.isVisible() for field in of_two)
    dialog.study.setCurrentIndex(dialog.study.findData(ISOLATION))
    assert all(field.isVisible() for field in of_two)


def test_that_two_guests_and_their_databases_can_be_named(dialog):
    dialog.study.setCurrentIndex(dialog.study.findData(ISOLATION))
    dialog.host.setEditText("xl+ssh://root@xen.example")
    first, second = (f"postgresql://osdb@db{number}.example/osdb" for number in (1, 2))
    for field, text in (
        (dialog.database, first),
        (dialog.guest, " db1 "),
        (dialog.guest_2, "db2"),
        (dialog.neighbour, first),
    ):
        field.setText(text)
    assert "both guests' databases are on one server" in dialog.outlook.text()
    dialog.neighbour.setText(second)
    spec = dialog.asked().to_spec()
    assert (spec.guest_domain, spec.guest_2_domain, spec.neighbour_database) == ("db1", "db2", second)
    assert spec.loads[0].database == first
    dialog.study.setCurrentIndex(dialog.study.findData(OVERHEAD))
    assert not dialog.asked().to_spec().neighbour_database  # what is typed for two guests means nothing for one


def test_that_it_begins_only_when_the_host_has_said_what_would_be_done(dialog, qtbot):
    type_in(dialog)
    assert not dialog.go.isEnabled()
    qtbot.waitUntil(dialog.go.isEnabled, timeout=LIMIT_MS)
    assert "simulated: db1 gets 12.8 ms per 20 ms" in dialog.steps.toPlainText()
    assert "At least 6 trials" in dialog.outlook.text()
    with qtbot.waitSignal(dialog.start) as started:
        dialog.go.click()
    spec = started.args[0]
    assert (spec.study, spec.host_url, [split.label for split in spec.splits]) == (CAPACITY, "sim:", ["1:2"])


def test_that_what_is_wrong_is_said_and_nothing_is_lost(dialog, qtbot):
    type_in(dialog, splits="1:2, 1:x")
    assert "'1:x' is not two positive numbers" in dialog.outlook.text()
    assert not dialog.go.isEnabled()
    dialog.splits.setText("1:2, 2:1")
    qtbot.waitUntil(dialog.go.isEnabled, timeout=LIMIT_MS)
    assert dialog.host.currentText() == "sim:"


def test_that_a_host_that_cannot_answer_the_question_says_why(dialog, qtbot):
    type_in(dialog, study=OVERHEAD)
    qtbot.waitUntil(lambda: "there is no base to compare with" in dialog.outlook.text(), timeout=LIMIT_MS)
    assert not dialog.go.isEnabled()


def test_question_dialog_counts_warnings_next_to_start(dialog, home, qtbot):
    type_in(dialog)
    dialog.host.setEditText(f"fake:{home / 'host.json'}?warnings=2")
    qtbot.waitUntil(dialog.go.isEnabled, timeout=LIMIT_MS)
    assert (dialog.warnings.text(), dialog.warnings.isVisible()) == ("2 warnings", True)
    assert dialog.steps.toPlainText().startswith("Warning: made-up warning 1.")
    dialog.warnings.click()
    top = dialog.steps.mapTo(dialog, dialog.steps.rect().topLeft()).y()
    assert 0 <= top < dialog.height() - dialog.warnings.height()
    dialog.splits.setText("1:3")
    assert not dialog.warnings.isVisible()


def test_question_dialog_blocks_start_while_preflight_finds_errors(dialog, home, qtbot):
    type_in(dialog)
    dialog.host.setEditText(f"fake:{home / 'host.json'}?errors=1")
    qtbot.waitUntil(lambda: "Preflight found an error" in dialog.outlook.text(), timeout=LIMIT_MS)
    assert dialog.warnings.text() == "1 error"
    assert not dialog.go.isEnabled()
