"""Ways to ask a question, keys of the pages, and the state of the host in the strip."""

import pytest

from app.pages.first_start import FirstStart
from app.studies.readiness import describe_readiness, describe_this_computer
from app.studies.text_registry import is_asked
from app.widgets.lines_label import LinesLabel
from app.wizard.plan_files import read_templates
from scheduler.hosts.sim import open_host
from scheduler.model.own_plans import list_own_plans
from scheduler.model.studies import STUDIES


@pytest.fixture
def host():
    return "sim:"


def facts_of(url):
    return open_host(url, lambda *_: None, "", "", "").facts()


def test_readiness_of_this_computer_names_the_missing_part():
    assert describe_this_computer(2, root=True) == "2 CPUs, root: ready"
    assert describe_this_computer(8, root=False) == "8 CPUs; needs root: DomTune asks"
    assert describe_this_computer(1, root=True) == "2 CPUs are needed: has 1"


def test_readiness_of_a_host_names_the_missing_part():
    assert describe_readiness("isolation", facts_of("sim:")) == "Simulated: ready"
    assert "second guest" in describe_readiness("isolation", facts_of("sim:?cpus=4"))
    assert describe_readiness("dom0-cpus", facts_of("sim:")) == "2 shared CPUs are needed: has 1"
    assert describe_readiness("dom0-cpus", facts_of("sim:?cpus=4")) == "Simulated: ready"


def test_first_start_offers_all_questions_of_the_wizard(theme, qtbot):
    first = FirstStart(theme)
    qtbot.addWidget(first)
    assert list(first.questions) == [name for name in STUDIES if is_asked(name)]
    with qtbot.waitSignal(first.question) as asked:
        first.questions["isolation"].click()
    assert asked.args == ["isolation"]


def test_wizard_opens_at_the_question_and_shows_its_readiness(wizard, qtbot):
    wizard.choose_question("overhead")
    page = wizard.page_at(0)
    assert wizard.state.form.study == "overhead"
    assert page.question.cards["overhead"].isChecked()
    page.question.show_readiness(facts_of("sim:"), local=False)
    assert page.question.cards["overhead"].lead.text() == "Simulated: ready"


def test_templates_and_recent_plans_are_in_one_menu(wizard, qtbot, tmp_path):
    assert len(read_templates()) == len(list_own_plans())
    plan = tmp_path / "mine & yours.toml"
    plan.write_text('host = "sim:"\n')
    wizard.files.open(plan)
    qtbot.waitUntil(lambda: wizard.state.form.host == "sim:")
    wizard.footer.templates.click()
    qtbot.waitUntil(lambda: hasattr(wizard.files, "menu"))
    texts = [action.text() for action in wizard.files.menu.actions()]
    assert "Two guests, simulated" in texts
    assert str(plan).replace("&", "&&") in texts
    wizard.files.menu.actions()[texts.index("Two guests, simulated")].trigger()
    assert wizard.state.form.study == "isolation"
    wizard.files.menu.close()


def test_line_that_must_not_be_cut_off_shows_all_words(qtbot):
    label = LinesLabel("The host was restored. " + "Results could not be written to the disk. " * 8, lines=1)
    qtbot.addWidget(label)
    label.resize(300, 40)
    assert label.shown_lines(300)[-1].endswith("\N{HORIZONTAL ELLIPSIS}")
    label.set_lines(50)
    assert " ".join(label.shown_lines(300)) == label.text().strip()
    assert label.heightForWidth(300) > 5 * label.fontMetrics().lineSpacing()
