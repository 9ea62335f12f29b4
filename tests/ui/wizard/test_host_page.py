"""The connect page: every kind of host, what it wants before it answers, and what really holds there."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QPushButton

from app.widgets.password_dialog import PasswordDialog
from app.wizard import host_page
from app.wizard.host_kinds import kinds
from app.wizard.key_dialog import KeyChangedDialog, KeyDialog
from app.wizard.reading import PLACE
from app.wizard.wizard import Wizard
from scheduler.hosts.remote.ssh_options import app_known_hosts
from scheduler.hosts.xapi.session import LOGIN_S
from scheduler.model.facts import Finding, Level, Truth
from scheduler.model.probe import Probe, Problem
from tests.data_maker import make_facts
from tests.sshd import Sshd
from tests.ui.looks import clipped
from tests.ui.wizard.helpers import LIMIT_MS, click, told, type_into

pytestmark = pytest.mark.ui
_URL = "xl+ssh://root@lab1"
_SHA = "SHA256:" + "a" * 43


@pytest.fixture
def sshd(tmp_path: Path):
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


def _answer(wizard: Wizard, probe: Probe, url: str = _URL) -> None:
    """Let the host answer, as `domtune probe` would."""
    wizard.pages[0].show_answer(url, probe)


def test_that_every_kind_begins_a_url_and_selects_what_is_to_be_written_over(wizard: Wizard, qtbot):
    page = wizard.pages[0]
    for kind in kinds():
        click(qtbot, next(b for b in page.findChildren(QPushButton) if b.text() == kind.name))
        assert page.url.edit.text() == wizard.state.form.host == kind.template
        assert page.url.edit.selectedText() == (PLACE if PLACE in kind.template else "")
        assert page.meaning.text()
        if PLACE in kind.template:
            assert page.meaning.text() == "Write the host's name or address where HOST stands."
            assert page._probe.words[1:2] != (kind.template,)  # nobody is asked yet


def test_that_a_new_key_is_shown_and_trusted_only_when_it_is_accepted(wizard: Wizard, sshd: Sshd, qtbot):
    """Against a real sshd: shown, refused, shown again, accepted; then the host wants a password."""
    page = wizard.pages[0]
    type_into(qtbot, page.url.edit, sshd.url)
    click(qtbot, page.test)
    qtbot.waitUntil(lambda: isinstance(page.entry.dialog, KeyDialog), timeout=LIMIT_MS)
    dialog = page.entry.dialog
    assert dialog.fingerprint.text().startswith("SHA256:")
    assert dialog.cancel.isDefault()
    assert not clipped(dialog)
    dialog.cancel.click()
    assert page.entry.dialog is None
    assert not app_known_hosts().exists()
    click(qtbot, page.test)
    qtbot.waitUntil(lambda: isinstance(page.entry.dialog, KeyDialog), timeout=LIMIT_MS)
    page.entry.dialog.accept_key.click()
    qtbot.waitUntil(lambda: isinstance(page.entry.dialog, PasswordDialog), timeout=LIMIT_MS)
    assert app_known_hosts().exists()
    assert "did not let us in" in page.message.text.text()
    page.entry.dialog.reject()
    qtbot.waitUntil(lambda: wizard.pages[0]._probe.busy is False, timeout=LIMIT_MS)


def test_that_a_changed_key_stops_and_explains(wizard: Wizard):
    _answer(wizard, Probe(error="lab1 shows another ssh key than before", hint="Ask.", problem=Problem.KEY_CHANGED))
    dialog = wizard.pages[0].entry.dialog
    assert isinstance(dialog, KeyChangedDialog)
    assert [button.text() for button in dialog.findChildren(QPushButton)] == ["Stay away from it"]
    dialog.reject()
    assert wizard.state.facts is None


def test_that_a_password_is_kept_in_memory_only_and_the_host_is_asked_again(wizard: Wizard, home: Path, runner):
    _answer(wizard, Probe(error="root@lab1 did not let us in", hint="A key.", problem=Problem.LOGIN))
    dialog = wizard.pages[0].entry.dialog
    assert isinstance(dialog, PasswordDialog)
    dialog.edits[_URL].setText("hunter2")
    dialog.accept()
    assert runner.secrets.environment("probe", _URL)["DOMTUNE_SSH_PASSWORD"] == "hunter2"
    assert wizard.pages[0]._probe.busy
    assert "hunter2" not in " ".join(wizard.pages[0]._probe.words)
    assert not any(b"hunter2" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    wizard.pages[0]._probe.cancel()


def test_that_the_guest_is_chosen_where_a_host_has_several(wizard: Wizard, qtbot):
    answer = Probe(error="lab1: 2 guests run there", hint="Name it.", problem=Problem.DOMAINS, choices=("db 1", "web"))
    _answer(wizard, answer)
    page = wizard.pages[0]
    assert page.guests.isVisible()
    page.guests.names.setCurrentText("db 1")
    click(qtbot, page.guests.use)
    assert wizard.state.form.guest_domain == "db 1"
    assert page._probe.words == ("probe", _URL, "--json", "--guest=db 1")
    page._probe.cancel()


def test_that_what_holds_and_what_was_found_is_shown_with_its_evidence(wizard: Wizard, qtbot):
    facts = msgspec.structs.replace(
        make_facts(_URL, scheduler="credit2"),
        truths=(Truth("Scheduler of Pool-0", "credit2", "xl cpupool-list"),),
        findings=(Finding(Level.WARNING, "the guest has a cap of 50 %", "Take it off.", "xl sched-credit2 -d db1"),),
    )
    _answer(wizard, Probe(facts=facts))
    shown = (
        "Scheduler of Pool-0",
        "xl cpupool-list",
        "Weight 1 to 65535",
        "A change works",
        "The guest has a cap of 50 %",
        "xl sched-credit2 -d db1",
        "Take it off.",
    )
    for words in shown:
        qtbot.waitUntil(lambda words=words: words in told(wizard))
    assert not clipped(wizard.pages[0])


def test_that_typing_another_host_closes_the_dialog_and_forgets_the_choice(wizard: Wizard, qtbot):
    _answer(wizard, Probe(error="x", problem=Problem.KEY_UNKNOWN, fingerprint=_SHA))
    assert wizard.pages[0].entry.dialog is not None
    wizard.pages[0]._type("xl+ssh://root@lab2")
    assert wizard.pages[0].entry.dialog is None
    assert not wizard.pages[0].guests.isVisible()


def test_that_looking_at_a_host_is_not_given_up_while_its_login_may_still_succeed():
    assert host_page._PROBE_S > LOGIN_S
