"""The wizard asks all questions, from the question to a plan that can be started."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QLabel

from app.display_texts import format_duration_range
from app.wizard.page_names import PAGES
from app.wizard.sweep_estimate import estimate_sweep
from app.wizard.wizard import Wizard
from scheduler.model.plan_file import parse_plan
from scheduler.model.studies import ISOLATION, SCALE_UP, STUDIES
from tests.ui.looks import not_reached_by_tab
from tests.ui.wizard.helpers import known, page_texts, type_into
from tests.ui.wizard.test_looks import _all_seen as all_seen

pytestmark = pytest.mark.ui


@pytest.fixture
def host(home: Path) -> str:
    return f"fake:{home / 'host.json'}?vcpus=4&guests=2&direct=1"


def ask(wizard: Wizard, study: str) -> None:
    wizard.go(0)
    wizard.page_at(0).question.cards[study].click()


def said_of(wizard: Wizard, index: int) -> str:
    """Return what a step's line says once somebody has gone on from it; come back to the page that is shown."""
    here = PAGES.index(wizard.page.key)
    wizard.go(index)
    wizard.go(0)
    wizard.go(here)
    return wizard.rail.steps[index].answer


def started(wizard: Wizard, qtbot):
    """Go on to the review, let the host say that it can be done, and start."""
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None)
    assert wizard.review.answer.error == ""
    answer, told_of = wizard.review.answer, estimate_sweep(wizard.state.ahead)
    assert told_of == (answer.trials, answer.best_s, answer.worst_s, answer.usual_s)
    assert wizard.review.time.text() == f"Takes {format_duration_range(answer.best_s, answer.worst_s)}"
    with qtbot.waitSignal(wizard.start) as begun:
        wizard.footer.next.click()
    return begun.args[0]


def test_every_question_is_offered_and_begins_as_its_plan_does(wizard: Wizard, host: str):
    cards = wizard.page_at(0).question.cards
    assert [card.text() for card in cards.values()] == [kind.question for kind in STUDIES.values()]
    for study in list(STUDIES)[1:]:
        ask(wizard, study)
        planned = parse_plan(f"host = '{host}'\nstudy = '{study}'\n")  # the wizard writes equal weights, too
        assert msgspec.structs.replace(wizard.state.spec, weights=planned.weights) == planned


def test_scale_up_study_is_described_and_started(wizard: Wizard, host: str, qtbot):
    ask(wizard, SCALE_UP)
    wizard.page_at(0).ask()
    known(qtbot, wizard)
    assert [setting.label for setting in wizard.state.spec.settings] == ["1 vCPU", "2 vCPUs", "4 vCPUs"]
    wizard.go(2)
    assert (wizard.page.editor.isVisible(), wizard.rail.steps[2].text()) == (False, "vCPUs")
    numbers = wizard.page.others["vcpus"].numbers
    assert numbers.edit.placeholderText() == "1 2 4"
    type_into(qtbot, numbers.edit, "1, 3, 8")
    assert "1 to 4: this is how it was made. Skipped: 8" in page_texts(wizard)
    assert said_of(wizard, 2) == "1 and 3"
    type_into(qtbot, numbers.edit, "3")
    assert not wizard.page.ready()
    type_into(qtbot, numbers.edit, "1 3")
    assert len(wizard.state.spec.settings) == 2
    wizard.page.others["vcpus"].reference.click()
    assert said_of(wizard, 2) == "1 and 3, compared with the reference"
    wizard.page_at(3).cards["order-entry"].inputs.users.typed.emit("12")
    plan = f"host = '{host}'\nstudy = 'scale-up'\nbase = 'direct'\nvcpus = [1, 3]\n"
    plan += "[[load]]\nkind = 'order-entry'\nusers = 12\n"
    assert started(wizard, qtbot) == parse_plan(plan)


def test_study_of_two_guests_is_described_and_started(wizard: Wizard, host: str, qtbot):
    ask(wizard, ISOLATION)
    wizard.go(2)
    card = wizard.page.others["guests"]
    assert (wizard.page.editor.isVisible(), card.period.isVisible()) == (False, True)
    type_into(qtbot, card.threes.edit, "2:1:1")
    assert "I/O domain 50" in card.shares.text()
    card.modes[("weights",)].click()
    assert not card.period.isVisible()
    loads = wizard.page_at(3)
    wizard.go(3)
    assert not loads.neighbour.load.isVisible()
    loads.cards["osdb-oltp"].on.click()
    assert loads.neighbour.load.isVisible()
    loads.neighbour.load.set_value("osdb-ir")
    loads.neighbour.load.chosen.emit("osdb-ir")
    loads.neighbour.users.typed.emit("16")
    assert "The guest runs OLTP with 4 users. The second guest runs IR with 16 users." in page_texts(wizard)
    assert said_of(wizard, 1).endswith(" : second")
    assert said_of(wizard, 2) == "2:1:1, weights"
    assert said_of(wizard, 3) == "OLTP \N{MULTIPLICATION SIGN} 4 next to IR \N{MULTIPLICATION SIGN} 16"
    plan = f"host = '{host}'\nstudy = 'isolation'\nsplits = ['2:1:1']\nmodes = ['weights']\nsecond_users = 16\n"
    plan += "[[load]]\nkind = 'osdb-oltp'\nusers = 4\n[[load]]\nkind = 'osdb-ir'\nusers = 4\n"
    spec = started(wizard, qtbot)
    assert spec == parse_plan(plan)
    wizard.load_spec(spec)  # as for Describe again
    assert (wizard.state.spec, wizard.has_unsaved_input) == (spec, False)
    wizard.go(2)
    assert (card.threes.edit.text(), card.modes[("weights",)].isChecked()) == ("2:1:1", True)


def test_second_guest_that_runs_already_is_chosen_and_its_database_named(wizard: Wizard, home: Path, qtbot):
    host = f"fake:{home / 'host.json'}?guests=3"
    page, database = wizard.page_at(0), "postgresql://u@10.0.0.3/d"
    page.choice.show_url(host)
    page._store_input(host)
    page.ask()
    known(qtbot, wizard)
    ask(wizard, ISOLATION)
    wizard.go(3)
    card = wizard.page.neighbour
    assert card.there.isVisible()
    assert [card.domain.combo.itemText(row) for row in range(card.domain.combo.count())] == ["db2", "db3"]
    assert "None given" in wizard.state.messages["second_database"]
    assert not wizard.page.ready()
    type_into(qtbot, card.database.edit, database)
    assert wizard.state.spec.study.guest_2 == "db2"  # the one that is shown
    card.domain.chosen.emit("db3")
    assert said_of(wizard, 1) == "Domain-0 : db1 : db3"
    plan = f"host = '{host}'\nstudy = 'isolation'\nsecond_database = '{database}'\n[domains]\nguest_2 = 'db3'\n"
    spec = started(wizard, qtbot)
    assert spec == parse_plan(plan)
    wizard.load_spec(spec)
    assert (wizard.state.spec, wizard.has_unsaved_input, card.database.edit.text()) == (spec, False, database)
    ask(wizard, "split")
    assert wizard.state.spec.study.databases == ()


def test_host_that_cannot_reports_why_below_the_question(wizard: Wizard, home: Path, qtbot):
    page = wizard.page_at(0)
    page.choice.show_url(f"fake:{home / 'other.json'}")
    page._store_input(f"fake:{home / 'other.json'}")
    page.ask()
    known(qtbot, wizard)
    for study, why, hint in (
        (SCALE_UP, "the guest has 1 at most: this is how it was made.", "Write fake:FILE?vcpus=4."),
        (ISOLATION, "it was made with one.", "Write fake:FILE?guests=2."),
    ):
        ask(wizard, study)
        assert page.refusal.isVisible()
        assert page.refusal.text.text() == f"Not available on this host: {why}"
        assert page.refusal.hint.text() == hint
        wizard.next()
        assert (wizard.page, wizard.state.spec) == (page, None)
    ask(wizard, "split")
    assert not page.refusal.isVisible()


@pytest.mark.parametrize("study", [SCALE_UP, ISOLATION])
def test_pages_of_a_study_fit_and_are_used_by_keys(wizard: Wizard, study: str, qtbot):
    wizard.resize(1024, 600)
    ask(wizard, study)
    if study == ISOLATION:
        wizard.page_at(3).cards["osdb-oltp"].on.click()
    for index in (0, 2, 3, 4):
        wizard.go(index)
        all_seen(qtbot, wizard.page)
        parts = [*wizard.page.findChildren(QLabel), *wizard.page.findChildren(QAbstractButton)]
        parts += wizard.footer.findChildren(QAbstractButton)
        shown = [part for part in parts if part.isVisible() and (not isinstance(part, QLabel) or part.buddy())]
        letters = [key for part in shown if (key := QKeySequence.mnemonic(part.text()).toString())]
        assert sorted(letters) == sorted({*letters} - {"Alt+S", "Alt+H"})
    wizard.go(2)
    by_arrows = [button.text() for button in wizard.findChildren(QAbstractButton) if button.group()]
    assert [name for name in not_reached_by_tab(wizard) if name not in by_arrows] == []
