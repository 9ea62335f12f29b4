"""Laws of what is typed about a sweep: it is lost only where the person says so, and no password of it is on disk."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication, QMessageBox
from shiboken6 import isValid

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard import draft
from app.wizard.sweep_form import SweepForm
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.spec import RunSpec
from tests.data_maker import make_facts, make_spec
from tests.ui.test_kept_runs import end
from tests.ui.test_session import spec_for
from tests.volume import few


@pytest.fixture
def opened(theme: Theme, home: Path, qtbot):
    """Open windows one after the other; all are closed at the end."""
    made: list[MainWindow] = []

    def open_one() -> MainWindow:
        window = MainWindow(theme, Settings())
        made.append(window)
        with qtbot.waitSignals([window.home.loaded, window.banner.checked]):
            window.show()
        return window

    yield open_one
    for window in made:
        if isValid(window):  # one that a test closed is gone
            end(window, qtbot)


@pytest.fixture
def window(opened, home: Path) -> MainWindow:
    Settings().remember_host(f"fake:{home / 'host.json'}")
    return opened()


def describe(window: MainWindow, users: str = "17") -> None:
    window.new_sweep()
    window.wizard.state.form.loads["osdb-ir"]["users"] = users
    window.wizard.state.touch()


def users(window: MainWindow) -> str:
    return window.wizard.state.form.loads["osdb-ir"]["users"]


def answer(words: str, qtbot) -> None:
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    box = QApplication.activeModalWidget()
    next(button for button in box.buttons() if words in button.text().replace("&", "")).click()
    qtbot.waitUntil(lambda: not isinstance(QApplication.activeModalWidget(), QMessageBox))


@pytest.mark.parametrize(
    ("way", "lost"),
    few(
        [("card", False), ("card", True), ("confirm", True), ("open plan", True), ("cancel", True)],
        [("confirm", False), ("open plan", False), ("cancel", False)],
    ),
)
def test_nothing_typed_is_lost_unless_it_is_agreed_to(window: MainWindow, way: str, lost: bool, qtbot):
    describe(window)
    plan = make_spec()
    ways = {
        "card": (lambda: window.home.hosts.sweep.emit("sim:"), "Replace"),
        "confirm": (lambda: window.plan(plan), "Replace"),
        "open plan": (window.wizard.footer.open_plan.click, "Replace"),
        "cancel": (window.wizard.footer.cancel.click, "Discard"),
    }
    begin, agree = ways[way]
    begin()
    answer(agree if lost else ("Stay" if way == "cancel" else "Keep"), qtbot)
    if not lost:
        assert users(window) == "17"
    elif way == "card":
        assert (window.wizard.state.form.host, users(window)) == ("sim:", "")
    elif way == "confirm":
        assert window.wizard.state.spec == plan
    elif way == "open plan":
        qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
        QApplication.activeModalWidget().reject()
    else:
        assert window.wizard is None


def test_nothing_is_asked_where_nothing_was_typed(window: MainWindow, home: Path, qtbot):
    window.new_sweep()
    window.wizard.page_at(0).ask_if_unknown()
    qtbot.waitUntil(lambda: window.wizard.state.facts is not None)  # the host's answer is not typed
    window.home.hosts.sweep.emit("sim:")
    assert window.wizard.state.form.host == "sim:"


def test_what_was_typed_is_offered_at_the_next_start_without_its_password(window, opened, home: Path, qtbot):
    describe(window)
    load = window.wizard.state.form.loads["osdb-ir"]
    load |= {"own": "yes", "database": "postgresql://osdb:hunter3@db/osdb"}
    window.wizard.state.form.passwords["osdb-ir"] = "hunter2"
    window.wizard.state.touch()
    end(window, qtbot)
    kept = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert not any(b"hunter" in body for body in kept)
    other = opened()
    qtbot.waitUntil(other.home.draft.isVisible)
    assert str(home / "host.json") in other.home.draft.text.text()
    other.home.draft.button.click()
    assert users(other) == "17"
    assert (load["own"], other.wizard.state.form.passwords) == ("yes", {})
    assert other.wizard.message.isVisible()
    assert not other.home.draft.isVisible()


def test_crash_of_the_window_loses_nothing_typed(window: MainWindow, qtbot):
    describe(window)
    window.wizard.state.form.texts["name"] = "Ticket"
    window.wizard.state.touch()
    qtbot.waitUntil(lambda: draft.read_draft() is not None and draft.read_draft()[0].texts["name"] == "Ticket")


def test_offered_draft_is_not_lost_to_another_sweep_unasked(window, opened, qtbot):
    describe(window)
    end(window, qtbot)
    other = opened()
    qtbot.waitUntil(other.home.draft.isVisible)
    other.new_sweep("sim:")
    answer("Keep", qtbot)
    assert other.wizard is None
    other.new_sweep()
    assert users(other) == "17"


def test_sweep_that_is_dropped_is_not_offered_again(window, opened, qtbot):
    describe(window)
    qtbot.waitUntil(lambda: draft.read_draft() is not None)
    window.wizard.footer.cancel.click()
    answer("Discard", qtbot)
    qtbot.waitUntil(lambda: not draft.draft_path().exists())
    end(window, qtbot)
    assert not opened().home.draft.isVisible()


def test_refused_start_keeps_what_was_typed_and_a_begun_sweep_does_not(window: MainWindow, home: Path, qtbot):
    describe(window)
    window.wizard.start.emit(msgspec.structs.replace(spec_for(home), host_url="nowhere:"), {})
    qtbot.waitUntil(lambda: not window.session.active)
    assert window.session.started is None
    window.new_sweep()
    assert users(window) == "17"
    window.wizard.start.emit(spec_for(home), {})
    qtbot.waitUntil(lambda: window.session.started is not None)
    qtbot.waitUntil(lambda: window.wizard is None and not draft.draft_path().exists())
    qtbot.waitUntil(lambda: not window.session.active)


def test_plan_that_is_saved_is_not_asked_about(window: MainWindow, tmp_path: Path, qtbot):
    describe(window)
    wizard = window.wizard
    assert wizard.has_unsaved_input
    wizard.files.save(wizard.state.spec, tmp_path / "plan.toml")
    qtbot.waitUntil(lambda: not wizard.has_unsaved_input)
    assert (tmp_path / "plan.toml").read_text(encoding="utf-8") == write_plan(wizard.state.spec)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"form": {}, "kept_unix_s": 1e9, "x"', b'{"form": 5}', b"\xff" * 99]
)
def test_damaged_draft_is_none(home: Path, body: bytes):
    draft.write_draft(SweepForm())
    draft.draft_path().write_bytes(body)
    assert draft.read_draft() is None


_OTHERS = [
    {"texts": {"mode": "all"}},
    {"protocol": "gone"},
    {"loads": {"gone": {}}},
    {"splits": 7},
    {"texts": 7},
]


@pytest.mark.parametrize("part", _OTHERS)
def test_draft_of_another_version_is_none(home: Path, part: dict):
    draft.write_draft(SweepForm())
    whole = msgspec.json.decode(draft.draft_path().read_bytes())
    whole["form"].update(part)
    draft.draft_path().write_bytes(msgspec.json.encode(whole))
    assert draft.read_draft() is None


def test_draft_that_lacks_what_this_version_knows_has_its_defaults(home: Path):
    draft.write_draft(SweepForm())
    whole = msgspec.json.decode(draft.draft_path().read_bytes())
    del (
        whole["form"]["loads"]["osdb-oltp"],
        whole["form"]["loads"]["osdb-ir"]["tuples"],
        whole["form"]["texts"]["seed"],
    )
    draft.draft_path().write_bytes(msgspec.json.encode(whole))
    form, _ = draft.read_draft()
    assert (form.loads["osdb-oltp"]["on"], form.texts) == ("no", SweepForm().texts)
    assert form.loads["osdb-ir"]["tuples"] == SweepForm().loads["osdb-ir"]["tuples"]


def test_draft_comes_back_as_it_was_typed(home: Path):
    form = SweepForm.from_spec(make_spec())
    form.splits, form.texts["seed"], form.loads["osdb-ir"]["users"] = ["1:0", "x"], "\N{SNOWMAN}", "many"
    draft.write_draft(form, 5.0)
    found, when = draft.read_draft()
    assert (draft.is_same_input(found, form), when) == (True, 5.0)
    assert draft.draft_path().stat().st_mode & 0o077 == 0
    assert not isinstance(found.to_spec(), RunSpec)


def test_draft_keeps_what_every_question_asks_for_and_nothing_that_the_host_answered(home: Path):
    plan = 'host = "local:"\nstudy = "isolation"\nsplits = ["2:1:1"]\nmodes = ["weights"]\nsecond_users = 9\n'
    form = SweepForm.from_spec(parse_plan(plan))
    form.facts = make_facts()
    form.texts |= {"vcpus": "1 x", "domains.guest_2": "db2", "second_database": "postgresql://u:hunter4@db2/d"}
    draft.write_draft(form)
    found, _ = draft.read_draft()
    assert "hunter4" not in draft.draft_path().read_text()
    assert (found.texts["domains.guest_2"], found.texts["vcpus"], found.facts) == ("db2", "1 x", None)
    found.texts |= {"domains.guest_2": "", "second_database": ""}
    assert found.to_spec() == parse_plan(plan)


def test_wizard_that_is_cancelled_is_deleted(window: MainWindow, qtbot):
    window.new_sweep("sim:")
    wizard = window.wizard
    with qtbot.waitSignal(wizard.destroyed):
        wizard.cancel()
    assert window.wizard is None
