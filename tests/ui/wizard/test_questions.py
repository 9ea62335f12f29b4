"""The wizard begins with the question, and asks only what it needs."""

import pytest

from app.main_window import MainWindow
from app.settings import Settings
from app.wizard.wizard import Wizard
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.spec import RunSpec
from scheduler.model.studies import CAPACITY, OVERHEAD, SPLIT


@pytest.fixture
def host() -> str:
    return "sim:"


def test_another_question_has_its_own_fields_and_loses_nothing_that_was_typed(wizard: Wizard, qtbot):
    wizard.state.form.splits = ["1:1", "1:3"]
    host, loads = wizard.page_at(0), wizard.page_at(3)
    host.question.cards[CAPACITY].click()
    assert wizard.state.spec.kind.name == CAPACITY
    assert [(load.kind, load.users) for load in wizard.state.spec.loads] == [("tpcb", 32)]
    assert wizard.state.spec.splits == ()
    loads.own["demand_users"].typed.emit("20")
    wizard.go(3)
    assert (loads.own["demand_users"].isVisible(), loads.objective.isVisible()) == (True, False)
    assert "Most" in loads.cards["tpcb"].inputs.users.name.text()
    assert wizard.state.spec.study.demand_users == 20
    wizard.go(4)
    assert not wizard.page.cards["strict"].isVisible()
    wizard.go(0)
    host.question.cards[SPLIT].click()
    assert [setting.label for setting in wizard.state.spec.settings] == ["1:1", "1:3"]
    assert wizard.state.spec.kind.name == SPLIT
    wizard.go(3)
    assert (loads.own["demand_users"].isVisible(), loads.objective.isVisible()) == (False, True)
    wizard.go(0)
    host.question.cards[CAPACITY].click()
    assert wizard.state.spec.study.demand_users == 20


def test_capacity_study_is_described_and_started(wizard: Wizard, qtbot):
    wizard.page_at(0).question.cards[CAPACITY].click()
    wizard.go(5)
    assert isinstance(wizard.state.spec, RunSpec)
    qtbot.waitUntil(lambda: wizard.review.may_start)
    with qtbot.waitSignal(wizard.start) as started:
        wizard.footer.next.click()
    assert started.args[0].kind.name == CAPACITY


def test_review_of_an_overhead_study_of_the_simulated_host_can_start(wizard: Wizard, qtbot):
    wizard.page_at(0).question.cards[OVERHEAD].click()
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None)
    assert not wizard.review.answer.error
    assert wizard.footer.next.isEnabled()


def test_bad_input_remains_with_its_message(wizard: Wizard):
    wizard.page_at(0).question.cards[CAPACITY].click()
    wizard.page_at(3).own["demand_users"].typed.emit("many")
    assert "demand_users" in wizard.state.messages
    wizard.page_at(3).own["demand_users"].typed.emit("")
    assert not wizard.state.messages


def test_what_virtualisation_costs_is_asked_with_its_own_fields(wizard: Wizard):
    wizard.page_at(0).question.cards[OVERHEAD].click()
    spec = wizard.state.spec
    assert [setting.label for setting in spec.settings] == ["direct", "via the I/O domain", "confined at 1:1"]
    assert ([load.kind for load in spec.loads], spec.protocol.name) == (["tpch"], "paired")
    loads, protocol = wizard.page_at(3), wizard.page_at(4)
    wizard.go(3)
    assert (loads.base.isVisible(), loads.own["demand_users"].isVisible(), loads.objective.isVisible()) == (
        True,
        False,
        False,
    )
    assert "Most" not in loads.cards["tpch"].inputs.users.name.text()
    loads.base.typed.emit("postgresql://u:secret@bare.example/d")
    assert "base" in wizard.state.messages
    loads.base.typed.emit("postgresql://u@bare.example/d")
    assert wizard.state.spec.study.base == "postgresql://u@bare.example/d"
    wizard.go(4)
    assert [name for name, card in protocol.cards.items() if card.isVisible()] == ["paired"]
    wizard.page_at(2).editor.none.click()
    assert [setting.label for setting in wizard.state.spec.settings] == ["direct", "via the I/O domain"]
    assert parse_plan(write_plan(wizard.state.spec)) == wizard.state.spec
    wizard.page_at(0).question.cards[SPLIT].click()
    assert (wizard.state.spec.study.databases, len(wizard.state.spec.settings)) == ((), 9)
    wizard.page_at(0).question.cards[OVERHEAD].click()
    assert wizard.state.spec.study.base == "postgresql://u@bare.example/d"


def test_base_of_its_own_is_asked_for_its_password(theme, home, qtbot):
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    window.begin = lambda spec, secrets, continues="", begun=None: sent.append((spec, secrets))
    sent: list = []
    plan = 'host = "local:"\nstudy = "overhead"\nbase = "postgresql://u@bare.example/d"\n'
    window.desk.start.emit(parse_plan(plan), {})
    assert sent == []
    window.passwords.dialog.accept()
    qtbot.waitUntil(lambda: len(sent) == 1)
    window.desk.start.emit(parse_plan('host = "local:"\nstudy = "overhead"\n'), {})
    assert len(sent) == 2
    window.desk.start.emit(parse_plan('host = "local:"\nstudy = "scale-up"\nbase = "direct"\n'), {})
    assert len(sent) == 3  # the host's own has a password that nobody knows


def test_start_asks_for_each_database_of_a_plan_without_a_password(theme, home, qtbot):
    """A plan may be a stranger's: no password of one's own goes to a server that nobody has seen."""
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    window.begin = lambda spec, secrets, *_, **__: begun.append((spec, secrets))
    begun: list = []
    url = "mariadb://me@db.example/osdb"
    spec = parse_plan(f'host = "local:"\nsplits = ["1:1"]\n[[load]]\nkind = "osdb-ir"\ndatabase = "{url}"\n')
    window.desk.start.emit(spec, {})
    assert list(window.passwords.dialog.edits) == [url]
    assert begun == []
    window.passwords.dialog.reject()
    assert begun == []
    window.desk.start.emit(spec, {url: "given"})
    assert begun == [(spec, {url: "given"})]


def test_overhead_study_of_this_computer_asks_how_its_server_reads(wizard: Wizard, qtbot):
    wizard.page_at(0)._store_input("local:")
    wizard.page_at(0).question.cards[OVERHEAD].click()
    wizard.go(3)
    server = wizard.page.server
    assert (server.isVisible(), server.way.value) == (True, "sync")
    assert wizard.state.spec.server == {"io_method": "sync"}
    server.way.set_value("worker")
    server.way.chosen.emit("worker")
    assert wizard.state.spec.server == {}
    wizard.page.base.typed.emit("postgresql://u@bare/d")
    assert not server.isVisible()
    wizard.page.base.typed.emit("")
    assert (server.isVisible(), server.way.value) == (True, "worker")
    wizard.page.database.brought["mariadb"].click()
    assert not server.isVisible()
