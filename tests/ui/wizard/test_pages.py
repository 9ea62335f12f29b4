"""What single pages do, against the real commands on a made-up host."""

import re

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from app.wizard.plan_texts import review_paragraph
from app.wizard.step_rail import StepMark
from app.wizard.wizard import Wizard
from scheduler.model.command_answers import HostProbe
from scheduler.model.host_properties import PreflightFinding, Severity
from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS
from tests.data_maker import make_facts
from tests.ui.wizard.helpers import LIMIT_MS, click, known, page_texts, type_into

pytestmark = pytest.mark.ui


def test_test_shows_the_host_in_place(wizard: Wizard, qtbot):
    click(qtbot, wizard.page_at(0).test)
    known(qtbot, wizard)
    qtbot.waitUntil(wizard.page_at(0).facts.isVisible, timeout=LIMIT_MS)
    for words in ("Fake host", "Linux control groups, version 2", "Domain-0", "Immediately"):
        qtbot.waitUntil(lambda words=words: words in page_texts(wizard))
    assert wizard.rail.steps[0].answer.endswith("cgroup-v2")


def test_test_can_be_stopped(wizard: Wizard, qtbot):
    page = wizard.page_at(0)
    click(qtbot, page.test)
    assert page.message.isVisible()
    click(qtbot, page.test)
    assert not page.message.isVisible()
    qtbot.waitUntil(lambda: page.test.text() == "&Test", timeout=LIMIT_MS)
    assert wizard.state.facts is None


def test_typing_another_host_forgets_what_the_first_one_reported(wizard: Wizard, host: str, qtbot):
    wizard.page_at(0).ask()
    known(qtbot, wizard)
    type_into(qtbot, wizard.page_at(0).url.edit, host + "x")
    assert wizard.state.facts is None
    assert not wizard.page_at(0).facts.isVisible()
    type_into(qtbot, wizard.page_at(0).url.edit, host)
    assert wizard.state.facts is not None


def test_review_reports_what_will_be_issued_and_when_it_ends(wizard: Wizard, qtbot):
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)
    known(qtbot, wizard)
    words = page_texts(wizard)
    assert "for Domain-0 (I/O domain) and db1 (guest)" in words
    assert "at least 20 trials" in words
    assert "If interrupted" in words
    assert re.search(r"done (between \S+ and|at about) ", words)
    assert not wizard.review.commands.isVisible()
    click(qtbot, wizard.review.fold)
    text = wizard.review.commands.toPlainText()
    assert "# 1:10" in text
    assert "quota" in text


def test_host_is_not_asked_again_for_a_name_but_for_another_split(wizard: Wizard, qtbot):
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)
    first = wizard.review.answer
    type_into(qtbot, wizard.review.name.edit, "Another name")
    wizard.go(0)
    wizard.go(5)
    assert wizard.review.answer is first
    wizard.page_at(2).editor.add("3:7")
    wizard.go(5)
    assert wizard.review.answer is None
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)
    assert "# 3:7" in wizard.review.commands.toPlainText()


def test_one_database_serves_all_loads_until_each_gets_its_own(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    type_into(qtbot, card.rows["osdb-ir"].url.edit, "postgresql://u@h/a")
    assert {load.database for load in wizard.state.spec.loads} == {"postgresql://u@h/a"}
    click(qtbot, card.each)
    click(qtbot, card.each)
    click(qtbot, card.each)
    type_into(qtbot, card.rows["osdb-oltp"].url.edit, "postgresql://u@h/b")
    assert [load.database for load in wizard.state.spec.loads] == ["postgresql://u@h/a", "postgresql://u@h/b"]
    type_into(qtbot, card.rows["osdb-oltp"].url.edit, "")
    assert [load.database for load in wizard.state.spec.loads] == ["postgresql://u@h/a", ""]
    click(qtbot, card.embedded)
    assert {load.database for load in wizard.state.spec.loads} == {""}
    click(qtbot, card.own)
    assert card.rows["osdb-ir"].url.edit.text() == "postgresql://u@h/a"


def test_each_protocol_keeps_its_own_adjustments(wizard: Wizard, qtbot):
    wizard.go(4)
    page = wizard.page
    click(qtbot, page.cards["grid"])
    click(qtbot, page.adjust)
    type_into(qtbot, page.inputs["repeats"].edit, "5")
    click(qtbot, page.cards["replicate"])
    assert page.inputs["repeats"].edit.text() == str(PROTOCOLS["replicate"].repeats)
    qtbot.keyClick(page.cards["replicate"], Qt.Key.Key_Left)
    assert wizard.state.form.protocol == "grid"
    assert page.inputs["repeats"].edit.text() == "5"
    click(qtbot, page.reset)
    assert wizard.state.spec.protocol == PROTOCOLS["grid"]
    offered = [card for card in page.cards.values() if card.isVisible()]
    assert len(offered) == len(wizard.state.form.kind.protocols)
    assert all(card.lead.isVisible() and "min" in card.lead.text() for card in offered)


def test_looking_between_the_splits_is_offered_where_the_protocol_decides(wizard: Wizard, qtbot):
    wizard.go(4)
    page = wizard.page
    assert not wizard.state.spec.protocol.refine
    click(qtbot, page.refine)
    assert wizard.state.spec.protocol.refine
    assert "Up to 3 splits in between are added" in review_paragraph(wizard.state.spec, None)
    click(qtbot, page.cards["grid"])
    assert not page.refine.isVisible()
    assert not wizard.state.spec.protocol.refine
    click(qtbot, page.cards["quick"])
    assert page.refine.isChecked()
    assert wizard.state.spec.protocol.refine


def test_what_is_best_is_chosen_next_to_the_weights_and_what_means_nothing_then_goes(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.objective
    assert wizard.state.spec.objective == Objective()
    assert not card.limit.isVisible()
    click(qtbot, card.choices["worst-case"])
    assert wizard.state.spec.objective == Objective("worst-case")
    assert not wizard.page.cards["osdb-ir"].inputs.weight.isVisible()
    wizard.go(4)
    assert not wizard.page.refine.isVisible()
    wizard.go(3)
    click(qtbot, card.choices["limited"])
    card.favoured.setCurrentIndex(1)
    card.favoured.activated.emit(1)
    type_into(qtbot, card.most.edit, "7.5")
    assert wizard.state.spec.objective == Objective("limited", "osdb-oltp", 0.075)
    assert "lose at most 7.5" in review_paragraph(wizard.state.spec, None)
    type_into(qtbot, card.most.edit, "120")
    assert wizard.state.messages_of("loads").keys() == {"objective.limit_frac"}
    wizard.state.form.loads["osdb-ir"]["weight"] = "not a number"
    type_into(qtbot, card.most.edit, "3")
    assert wizard.state.spec.weights == {}


def test_objective_that_does_not_fit_reports_it_on_the_page_where_that_is_fixed(wizard: Wizard, qtbot):
    wizard.go(3)
    loads = wizard.page
    click(qtbot, loads.objective.choices["worst-case"])
    wizard.go(4)
    click(qtbot, wizard.page.cards["strict"])
    assert wizard.page.message.isVisible()
    assert "certificates" in wizard.page.message.text()
    assert wizard.state.messages_of("loads") == {}
    wizard.next()
    assert wizard.page is wizard.page_at(4)
    click(qtbot, wizard.page.cards["quick"])
    assert wizard.state.messages == {}
    wizard.go(3)
    wizard.state.form.loads["osdb-ir"]["on"] = "no"
    wizard.state.touch()
    assert "there is one" in loads.objective.message.text()
    click(qtbot, loads.objective.choices["weighted"])
    assert not loads.objective.isVisible()
    assert wizard.state.spec is not None


def test_page_of_the_domains_is_passed_where_there_is_nothing_to_choose(wizard: Wizard, qtbot):
    wizard.state.form.host = "sim:"
    wizard.state.touch()
    host, domains, splits = map(wizard.page_at, range(3))
    assert wizard.footer.next.text() == "&Next: Mode and splits"
    wizard.next()
    assert wizard.page is splits
    assert wizard.rail.steps[1].mark is StepMark.DONE
    assert wizard.rail.steps[1].answer
    wizard.back()
    assert wizard.page is host
    click(qtbot, wizard.rail.steps[1])
    assert wizard.page is domains, "it can still be looked at"
    assert not domains.guest_name.isVisible()
    wizard.go(0)
    wizard.state.form.texts["domains.guest"] = "db1"
    wizard.state.touch()
    wizard.next()
    assert wizard.page is domains, "what was named there is to be seen"


def test_recent_host_is_used_and_tested_by_one_click(new_wizard: Wizard, host: str, qtbot):
    page = new_wizard.page_at(0)
    type_into(qtbot, page.url.edit, "xl+ssh://root@lab1")
    button = next(button for button in page.findChildren(QAbstractButton) if button.toolTip() == host)
    click(qtbot, button)
    assert page.url.edit.text() == host
    known(qtbot, new_wizard)


def test_check_of_a_database_can_be_stopped(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    row = card.rows["osdb-ir"]
    type_into(qtbot, row.url.edit, "postgresql://osdb@127.0.0.1:1/osdb")
    click(qtbot, row.check)
    assert row.answer.isVisible()
    click(qtbot, row.check)
    assert not row.answer.isVisible()


def test_findings_remain_with_their_hints_the_worst_first(wizard: Wizard, qtbot):
    findings = (
        PreflightFinding(Severity.INFO, "all fine"),
        PreflightFinding(Severity.WARNING, "CPU 0 is busy", "End what runs there."),
    )
    facts = msgspec.structs.replace(make_facts(wizard.state.form.host, simulated=True), findings=findings)
    wizard.state.store_host_answer(wizard.state.form.host, facts)
    words = page_texts(wizard)
    assert words.index("CPU 0 is busy") < words.index("End what runs there.") < words.index("All fine")
    assert wizard.page_at(0).facts.findings.isVisible()


def test_clients_next_to_the_domains_are_called_a_disturbance(wizard: Wizard, qtbot):
    wizard.go(1)
    facts = make_facts(wizard.state.form.host)
    for clients, words in (((0,), "apart from them, on CPU 0"), ((1,), "disturb"), ((), "another computer")):
        wizard.state.store_host_answer(wizard.state.form.host, msgspec.structs.replace(facts, client_cpus=clients))
        assert words in page_texts(wizard)


def test_database_for_each_load_may_be_left_to_domtune(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.database
    click(qtbot, card.own)
    assert "None given" in wizard.state.messages["loads.osdb-ir.database"]
    click(qtbot, card.each)
    assert wizard.state.messages == {}
    type_into(qtbot, card.rows["osdb-oltp"].url.edit, "postgresql://u@h/b")
    assert [load.database for load in wizard.state.spec.loads] == ["", "postgresql://u@h/b"]


def test_page_of_the_domains_reports_why_the_host_did_not_answer(wizard: Wizard, qtbot):
    wizard.go(1)
    assert "The domains are not known yet" in page_texts(wizard)
    wizard.page_at(0).show_answer(
        wizard.state.form.host, HostProbe(error="lab1 cannot be reached", hint="Switch it on.")
    )
    assert "The host did not answer: lab1 cannot be reached." in page_texts(wizard)
    assert "The domains are not known yet" not in page_texts(wizard)
