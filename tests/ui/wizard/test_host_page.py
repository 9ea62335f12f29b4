"""The connect page: every kind of host, what it wants before it answers, and what really holds there."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from app.core_process import CommandRunner
from app.pages.first_start import ANOTHER
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.password_dialog import PasswordDialog
from app.wizard import host_page
from app.wizard.host_kinds import OFFERED_KINDS
from app.wizard.input_parsing import HOST_PLACEHOLDER
from app.wizard.key_dialog import KeyChangedDialog, KeyDialog
from app.wizard.wizard import Wizard
from scheduler.hosts.remote.ssh_options import app_known_hosts
from scheduler.hosts.xapi.xapi_session import LOGIN_S
from scheduler.model.command_answers import HostProbe, HostProblem
from scheduler.model.host_properties import PreflightFinding, Severity, VerifiedProperty
from tests.data_maker import make_facts
from tests.large_hosts import GUEST_NAMES
from tests.sshd import Sshd
from tests.ui.looks import clipped
from tests.ui.wizard.helpers import LIMIT_MS, click, known, page_texts, type_into

pytestmark = pytest.mark.ui
_URL = "xl+ssh://root@lab1"
_SHA = "SHA256:" + "a" * 43


@pytest.fixture
def sshd(tmp_path: Path):
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


def _answer(wizard: Wizard, probe: HostProbe, url: str = _URL) -> None:
    """Let the host answer, as `domtune probe` would."""
    wizard.page_at(0).show_answer(url, probe)


def test_every_kind_is_a_card_and_its_fields_write_the_url(wizard: Wizard, qtbot):
    choice = wizard.page_at(0).choice
    for kind in OFFERED_KINDS:
        choice.fields.texts["host"].set_text("")
        click(qtbot, choice.cards[kind])
        assert [key for key, card in choice.cards.items() if card.isChecked()] == [kind]
        assert choice.url.edit.text() == wizard.state.form.host
        assert choice.meaning.text()
        if choice.empty_host_field:
            assert HOST_PLACEHOLDER in wizard.state.form.host
            assert choice.empty_host_field.edit.hasFocus()
            assert wizard.page_at(0)._probe.words[1:2] != (wizard.state.form.host,)  # nobody is asked yet
            qtbot.keyClicks(choice.empty_host_field.edit, "lab1")
            assert "lab1" in wizard.state.form.host
            assert HOST_PLACEHOLDER not in wizard.state.form.host
            assert wizard.state.spec is not None


def test_fields_follow_a_url_that_is_typed_and_step_back_where_it_reports_more(wizard: Wizard, qtbot):
    choice = wizard.page_at(0).choice
    type_into(qtbot, choice.url.edit, "xl+ssh://admin@lab1:2222")
    assert choice.cards["xen"].isChecked()
    assert {name: field.edit.text() for name, field in choice.fields.texts.items() if field.isVisible()} == {
        "host": "lab1",
        "user": "admin",
        "port": "2222",
    }
    type_into(qtbot, choice.fields.texts["port"].edit, "22")
    assert choice.url.edit.text() == "xl+ssh://admin@lab1:22"
    type_into(qtbot, choice.url.edit, "qemu+ssh://lab1/system?keyfile=/k")
    assert choice.cards["libvirt"].isChecked()
    assert not choice.fields.isVisible()
    assert "has more parts than these fields" in choice.meaning.text()
    type_into(qtbot, choice.url.edit, "vmware://lab1")
    assert not any(card.isChecked() for card in choice.cards.values())


def test_simulated_hosts_scheduler_and_noise_are_chosen_and_it_is_looked_at_again(wizard: Wizard, qtbot):
    page = wizard.page_at(0)
    click(qtbot, page.choice.cards["sim"])
    known(qtbot, wizard)
    assert wizard.state.facts.scheduler == "sedf-xm"
    lists = page.choice.fields.lists
    for name, value in (("scheduler", "credit2"), ("noise", "shared")):
        lists[name].set_value(value)
        lists[name].combo.activated.emit(lists[name].combo.currentIndex())
    assert page.url.edit.text() == "sim:?scheduler=credit2&noise=shared"
    known(qtbot, wizard)
    assert wizard.state.facts.scheduler == "credit2"
    assert wizard.state.facts.versions["noise"] == "shared"
    type_into(qtbot, page.choice.fields.texts["seed"].edit, "7")
    assert wizard.state.form.host == "sim:?scheduler=credit2&noise=shared&seed=7"


def test_missing_name_is_asked_for_next_to_the_name_and_only_when_one_goes_on(wizard: Wizard, qtbot):
    page = wizard.page_at(0)
    page.choice.fields.texts["host"].set_text("")
    click(qtbot, page.choice.cards["xapi"])
    name = page.choice.empty_host_field
    assert not name.message.isVisible()
    assert not page.url.message.isVisible()
    wizard.next()
    assert wizard.page is page
    assert name.message.isVisible()
    assert name.edit.hasFocus()
    qtbot.keyClicks(name.edit, "pool1")
    assert not name.message.isVisible()


def test_another_host_begins_with_its_name_and_asks_no_one(theme: Theme, runner: CommandRunner, qtbot):
    made = Wizard(theme, Settings(), runner, host=ANOTHER)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.page.take_focus()
    assert made.page_at(0).choice.cards["xen"].isChecked()
    qtbot.waitUntil(made.page_at(0).choice.fields.texts["host"].edit.hasFocus)
    assert not made.page_at(0)._probe.busy
    assert Settings().recent_hosts == ()


@pytest.mark.parametrize("url", ["sim:", "fake:"])
def test_host_that_was_chosen_is_tested_by_itself_and_remembered_once_it_answered(
    theme: Theme, runner: CommandRunner, home: Path, url: str, qtbot
):
    url = url if url == "sim:" else f"{url}{home / 'host.json'}"
    made = Wizard(theme, Settings(), runner, host=url)
    qtbot.addWidget(made)
    assert Settings().recent_hosts == ()
    assert not any("Used before" in part.text() for part in made.findChildren(QLabel) if part.isVisibleTo(made))
    known(qtbot, made)
    assert Settings().recent_hosts == (url,)


def test_new_key_is_shown_and_trusted_only_when_it_is_accepted(new_wizard: Wizard, sshd: Sshd, qtbot):
    """Against a real sshd: shown, refused, shown again, accepted; then the host wants a password."""
    page = new_wizard.page_at(0)
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
    assert "refused the login" in page.message.text.text()
    page.entry.dialog.reject()
    qtbot.waitUntil(lambda: new_wizard.page_at(0)._probe.busy is False, timeout=LIMIT_MS)


def test_changed_key_stops_and_explains(wizard: Wizard):
    _answer(
        wizard, HostProbe(error="lab1 shows another ssh key than before", hint="Ask.", problem=HostProblem.KEY_CHANGED)
    )
    dialog = wizard.page_at(0).entry.dialog
    assert isinstance(dialog, KeyChangedDialog)
    assert [button.text() for button in dialog.findChildren(QPushButton)] == ["Disconnect"]
    dialog.reject()
    assert wizard.state.facts is None


def test_password_is_kept_in_memory_only_and_the_host_is_asked_again(new_wizard: Wizard, home: Path, runner):
    _answer(new_wizard, HostProbe(error="root@lab1 refused the login", hint="A key.", problem=HostProblem.LOGIN))
    dialog = new_wizard.page_at(0).entry.dialog
    assert isinstance(dialog, PasswordDialog)
    dialog.edits[_URL].setText("hunter2")
    dialog.accept()
    assert runner.secrets.environment("probe", _URL)["DOMTUNE_SSH_PASSWORD"] == "hunter2"
    assert new_wizard.page_at(0)._probe.busy
    assert "hunter2" not in " ".join(new_wizard.page_at(0)._probe.words)
    assert not any(b"hunter2" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    new_wizard.page_at(0)._probe.cancel()


@pytest.mark.parametrize("by", ["choice", "next"])
def test_guest_that_is_chosen_is_taken_and_next_takes_the_one_that_is_shown(wizard: Wizard, by: str, qtbot):
    answer = HostProbe(
        error="lab1: 2 guests run there", hint="Name it.", problem=HostProblem.DOMAINS, choices=("db 1", "web")
    )
    _answer(wizard, answer)
    page = wizard.page_at(0)
    assert page.guests.isVisible()
    assert not page.message.isVisible()
    if by == "choice":
        page.guests.names.setCurrentText("web")
        page.guests.names.textActivated.emit("web")
        assert page.guests.isVisible(), "it may have been the wrong one"
    else:
        page.guests.names.setCurrentText("web")
        click(qtbot, wizard.footer.next)
        assert wizard.page is wizard.page_at(1)
    assert wizard.state.form.texts["domains.guest"] == "web"
    assert page._probe.words == ("probe", _URL, "--json", "--guest=web")
    page._probe.cancel()


def test_what_holds_and_what_was_found_is_shown_with_its_evidence(wizard: Wizard, qtbot):
    facts = msgspec.structs.replace(
        make_facts(_URL, scheduler="credit2"),
        verified_properties=(VerifiedProperty("Scheduler of Pool-0", "credit2", "xl cpupool-list"),),
        findings=(
            PreflightFinding(
                Severity.WARNING, "the guest has a cap of 50 %", "Take it off.", "xl sched-credit2 -d db1"
            ),
        ),
    )
    _answer(wizard, HostProbe(facts=facts))
    assert "xl cpupool-list" not in page_texts(wizard)
    click(qtbot, wizard.page_at(0).facts.fold)
    shown = (
        "Scheduler of Pool-0",
        "xl cpupool-list",
        "Weight: 1 to 65535",
        "Immediately",
        "The guest has a cap of 50 %",
        "xl sched-credit2 -d db1",
        "Take it off.",
    )
    for words in shown:
        qtbot.waitUntil(lambda words=words: words in page_texts(wizard))
    qtbot.waitUntil(lambda: not clipped(wizard.page_at(0)))


def test_typing_another_host_closes_the_dialog_and_forgets_the_choice(wizard: Wizard, qtbot):
    _answer(wizard, HostProbe(error="x", problem=HostProblem.KEY_UNKNOWN, fingerprint=_SHA))
    assert wizard.page_at(0).entry.dialog is not None
    wizard.page_at(0)._store_input("xl+ssh://root@lab2")
    assert wizard.page_at(0).entry.dialog is None
    assert not wizard.page_at(0).guests.isVisible()


def test_looking_at_a_host_is_not_given_up_while_its_login_may_still_succeed():
    assert host_page._PROBE_S > LOGIN_S


def test_long_list_of_guests_is_limited_to_names_with_a_text(wizard: Wizard):
    page = wizard.page_at(0)
    few = HostProbe(error="lab1: 2 guests", hint="", problem=HostProblem.DOMAINS, choices=("db 1", "web"))
    _answer(wizard, few)
    assert not page.guests.filter.isVisible()
    _answer(wizard, msgspec.structs.replace(few, choices=GUEST_NAMES))
    assert page.guests.filter.isVisible()
    assert page.guests.names.count() == len(GUEST_NAMES) == 100
    page.guests.names.setCurrentText("mail07.example.org")
    page.guests.filter.setText("MAIL0")
    assert page.guests.name == "mail07.example.org"
    assert page.guests.names.count() == 10
    page.guests.filter.setText("nobody")
    assert (page.guests.name, page.guests.names.isEnabled()) == ("", False)
    page.guests.filter.clear()
    assert page.guests.names.count() == 100
