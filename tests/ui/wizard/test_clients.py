"""The wizard's choice of computers that make the load: what is typed becomes the plan, and Test asks the core."""

import socket

import pytest

from app.wizard.wizard import Wizard
from scheduler.model.clients import REMAINING, ClientsSpec
from tests.ui.looks import clipped
from tests.ui.wizard.helpers import LIMIT_MS, click, page_texts, type_into

pytestmark = pytest.mark.ui

LONG = "tls://dask-scheduler-of-the-load-generators-02.rack-18.muenchen.example.invalid:8786"


@pytest.fixture
def card(wizard: Wizard):
    wizard.go(3)
    return wizard.page.clients


def test_this_computer_makes_the_load_until_a_cluster_is_chosen(wizard: Wizard, card, qtbot):
    assert wizard.state.spec.clients == ClientsSpec()
    click(qtbot, card.cluster)
    assert "None given" in wizard.state.messages["clients.scheduler"]
    type_into(qtbot, card.fields["clients.scheduler"].edit, "tcp://127.0.0.1:8786")
    click(qtbot, card.insecure)
    type_into(qtbot, card.fields["clients.workers"].edit, "a, b")
    card.on_loss.set_value(REMAINING)
    card.on_loss.chosen.emit(REMAINING)
    assert wizard.state.spec.clients == ClientsSpec("tcp://127.0.0.1:8786", ("a", "b"), REMAINING)
    click(qtbot, card.here)
    assert wizard.state.spec.clients == ClientsSpec()
    click(qtbot, card.cluster)  # what was typed is still there
    assert wizard.state.spec.clients.workers == ("a", "b")


def test_another_computer_wants_certificates_or_a_word_that_none_are_wanted(wizard: Wizard, card, qtbot):
    click(qtbot, card.cluster)
    type_into(qtbot, card.fields["clients.scheduler"].edit, "tcp://db7:8786")
    assert "without encryption" in wizard.state.messages["clients.scheduler"]
    click(qtbot, card.insecure)
    assert wizard.state.spec.clients == ClientsSpec("tcp://db7:8786")
    click(qtbot, card.insecure)
    type_into(qtbot, card.fields["clients.scheduler"].edit, "tls://db7:8786")
    assert "clients.ca_file" in wizard.state.messages
    for name in ("ca_file", "cert_file", "key_file"):
        type_into(qtbot, card.fields[f"clients.{name}"].edit, f"/etc/{name}.pem")
    assert wizard.state.spec.clients.key_file == "/etc/key_file.pem"


def test_test_of_a_cluster_that_is_not_there_reports_it_and_keeps_the_text(wizard: Wizard, card, qtbot):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
    click(qtbot, card.cluster)
    type_into(qtbot, card.fields["clients.scheduler"].edit, address)
    click(qtbot, card.insecure)
    click(qtbot, card.test)
    assert card.test.text() == "Test"  # nothing connects before the answer
    assert "can run code on this computer" in card.question.informativeText()
    assert "not encrypted" in card.question.informativeText()
    card.question.defaultButton().click()
    assert card.test.text() == "Test"
    click(qtbot, card.test)
    next(each for each in card.question.buttons() if each is not card.question.defaultButton()).click()
    assert card.test.text() == "Stop"
    qtbot.waitUntil(lambda: "cannot be reached" in page_texts(wizard), timeout=LIMIT_MS)
    assert card.test.text() == "Test"
    assert card.fields["clients.scheduler"].edit.text() == address


def test_long_names_fit_the_smallest_screen(wizard: Wizard, card, qtbot):
    wizard.resize(1024, 600)
    click(qtbot, card.cluster)
    type_into(qtbot, card.fields["clients.scheduler"].edit, LONG)
    qtbot.wait(50)
    assert card.width() <= 1024
    assert clipped(wizard.page) == []
