"""The page that watches: from a host's URL to an answer, an end at once, or words that say why there is none."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QPushButton, QWidget

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.glossary import glossary_term
from app.main_window import MainWindow
from app.observe.observation_request import WATCH_EXAMPLE_URL, ObservationRequest, find_input_errors
from app.observe.observe_page import ObservePage
from app.settings import Settings
from app.theme.theme import Theme
from scheduler import places
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import HostProbe, HostProblem, ParameterChange
from scheduler.model.decision import DecisionKind
from scheduler.model.observation_documents import (
    ObservationStarted,
    ObservationWindow,
    TimetableRow,
    WatchOutlook,
    WatchResult,
)
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO, Mode, parse_split
from tests.data_maker import make_facts
from tests.ui.stages import shown

pytestmark = pytest.mark.ui

NO_LOAD = "sim:?scheduler=credit2"
CLOSED = "postgresql://me@127.0.0.1:1/shop"
SECRET = "hunter2"
CHANGES = (ParameterChange(domain="io", parameter="quota", before="50000 us", after="33333 us"),)


@pytest.fixture
def page(theme: Theme, background: BackgroundWorker, runner: CommandRunner, qtbot):
    made = ObservePage(theme, Settings(), runner, background)
    with shown(made, qtbot):
        yield made
    if made.observer.run is not None:
        made.observer.close()


@pytest.fixture
def limited(home: Path) -> str:
    """A made-up host, half and half by limits."""
    limits = {"dialect": "cgroup", "weight": 100, "quota_us": 50_000, "period_us": 100_000}
    (home / "host.json").write_text(json.dumps({"io": limits, "guest": limits}))
    return f"fake:{home / 'host.json'}"


def _ask(page: ObservePage, url: str, span: str = "5m") -> None:
    page.ask.refresh(url)
    page.ask.span.set_value(span)
    page.ask.button.click()


def _words(part: QWidget) -> str:
    return "\n".join(each.text() for each in part.findChildren(QLabel) if each.isVisible())


def _primaries(page: QWidget) -> list[str]:
    buttons = [each for each in page.findChildren(QPushButton) if each.isVisible()]
    return [button.text() for button in buttons if button.property("kind") == "primary"]


def _answered(page: ObservePage, **more: object) -> None:
    reported = {
        "headline": "Set 1:2: 12 % more than what was set gives (estimate). Following would ...",
        "decision": DecisionKind.CHANGE,
    }
    page.observer.answered.emit(
        WatchResult(**{"host": "local:", "title": "This", "split": parse_split("1:2"), **reported, **more})
    )


def test_simulated_load_is_watched_from_the_url_to_the_answer(page: ObservePage, qtbot):
    assert _primaries(page) == ["Start watching"]
    _ask(page, WATCH_EXAMPLE_URL)
    qtbot.waitUntil(page.card.isVisible)
    assert page.card.headline.text().startswith("Keep the current split for now: 1:")
    assert page.card.headline.text().endswith("minutes).")
    assert "within 2 % of the best" in page.card.as_good.text()
    assert not page.card.tag.isVisible(), "a bar is a split to set"
    assert "This is an estimate from counters" in _words(page)
    assert "estimate" in glossary_term("watch")[1]
    assert page.ribbon.isVisible()
    assert "cannot apply a split to a simulated host" in _words(page)
    assert _primaries(page) == []  # its machine has ended with it
    page.pictures.use_frame.table_button.click()
    assert len(page.pictures.use_frame.table.source.table.rows) == len(page.pictures.use.windows) == 30
    assert len(page.pictures.use.used["io"].getData()[0]) == 30
    assert Settings().recent_hosts == (WATCH_EXAMPLE_URL,)
    page.card.again_button.click()
    assert page.ask.asked == ObservationRequest(WATCH_EXAMPLE_URL, "5m")
    assert not page.card.isVisible()


def test_what_can_be_reported_by_now_is_reported_and_stop_reports_the_rest(page: ObservePage, qtbot):
    _ask(page, WATCH_EXAMPLE_URL, "7d")
    qtbot.waitUntil(lambda: page.running.so_far.text().startswith("So far: "))
    qtbot.waitUntil(page.running.tag.isVisible)  # once the decision is to change
    assert " left" in page.running.left.text()
    assert _primaries(page) == []
    page.running.stop_button.click()
    qtbot.waitUntil(page.card.isVisible)
    assert page.answer.stopped
    assert "It was stopped after" in page.card.reasons.text()
    assert page.card.headline.text().startswith(("Recommended split: 1:", "Keep the current split for now"))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (ObservationRequest(NO_LOAD, "5m"), "has no load unless its URL names one"),
        (ObservationRequest(WATCH_EXAMPLE_URL, "5m", guest="db7"), "db7"),
        (ObservationRequest(WATCH_EXAMPLE_URL, "5m", database=CLOSED), "No connection to me@127.0.0.1:1/shop"),
        (ObservationRequest("fake:HOME/host.json?unreachable_after=0", "5m"), "does not answer"),
    ],
)
def test_what_keeps_it_from_watching_is_reported_and_nothing_typed_is_lost(
    page: ObservePage, home: Path, qtbot, asked: ObservationRequest, words: str
):
    asked = replace(asked, url=asked.url.replace("HOME", str(home)))
    page.ask.guest.set_text(asked.guest)
    page.ask.database.set_text(asked.database)
    _ask(page, asked.url)
    qtbot.waitUntil(page.message.isVisible)
    assert words in page.message.text.text()
    assert page.message.hint.text()
    assert page.ask.isVisible()
    assert page.ask.asked == asked
    assert page.ask.database.isVisible() == bool(asked.database or asked.guest)


def test_password_in_a_url_is_refused_before_anybody_is_asked(page: ObservePage, runner: CommandRunner):
    page.ask.database.set_text(f"postgresql://me:{SECRET}@db1/shop")
    _ask(page, f"xl+ssh://root:{SECRET}@xen1")
    assert runner.idle
    assert not page.observer.busy
    assert "Leave the password out" in page.ask.host.message.text()
    assert "password" in page.ask.database.message.text()
    reported = [each.text() + each.toolTip() for each in page.findChildren(QLabel)] + [page.ask.host.box.toolTip()]
    assert not [words for words in reported if SECRET in words]
    assert find_input_errors(ObservationRequest("xl+ssh://root@xen1:22/?keyfile=a:b", "5m")) == {}
    assert "host" in find_input_errors(ObservationRequest("xen1", "5m"))


def test_databases_password_goes_by_the_environment_and_nowhere_else(page: ObservePage):
    page.ask.database.set_text("postgresql://me@db1/shop")
    page.ask.password.set_text(SECRET)
    asked = page.ask.asked
    assert asked.environment == {"PGPASSWORD": SECRET}
    assert SECRET not in " ".join(asked.words) + repr(asked)
    assert page.ask.password.edit.displayText() != SECRET


def test_one_of_several_guests_is_asked_for_by_name(page: ObservePage):
    page.observer._handle_probe(
        HostProbe(error="2 guests run there", problem=HostProblem.DOMAINS, choices=("db1", "mail"))
    )
    assert "db1, mail" in page.ask.guest.message.text()
    assert page.ask.guest.isVisible()
    assert page.message.text.text() == "2 guests run there"


def test_apply_sets_the_named_split_on_the_host_that_was_watched(page: ObservePage, limited: str, qtbot):
    page.observer.asked = ObservationRequest(limited, "5m", guest="db1")
    _answered(page, host=limited, changes=CHANGES)
    assert _primaries(page) == ["Apply 1:2\N{HORIZONTAL ELLIPSIS}"]
    page.card.apply_button.click()
    assert page.dialog._words == ["apply", limited, "--split", "1:2", "--guest=db1"]
    qtbot.waitUntil(page.dialog.message.isVisible)
    assert "1:2 to This" in page.dialog.title.text()
    qtbot.waitUntil(lambda: not page.dialog.message.text.text().startswith("Reading"))
    page.dialog.reject()


def test_dialog_finds_what_to_write_on_a_host_without_a_run(page: ObservePage, limited: str, qtbot):
    page.observer.asked = ObservationRequest(limited, "5m")
    _answered(page, host=limited, changes=CHANGES)
    page.card.apply_button.click()
    qtbot.waitUntil(page.dialog.apply.isEnabled)
    assert "persist.sh" in page.dialog.note.text()
    assert "on the host's card on Home" in page.dialog.note.text()
    with qtbot.waitSignal(page.applied):
        page.dialog.apply.click()
    assert page.dialog.answer.done
    page.dialog.close()


def test_named_split_is_exported_as_a_sweeps_is_with_what_was_watched(page, limited, tmp_path, qtbot):
    quotas = {IO: CgroupParams(100, 33_333), GUEST: CgroupParams(100, 66_667)}
    reported = {"mode": "caps", "present": parse_split("1:1"), "t_s": 28_800.0, "windows": 2880}
    _answered(page, host=limited, changes=CHANGES, params=quotas, facts=make_facts(limited), **reported)
    button = page.card.export_button
    assert button.isVisible()
    assert "keep 1:2, with the watched counters" in button.toolTip()
    button.click()
    asking = page.findChild(QFileDialog)
    assert asking.selectedFiles()[0].endswith("domtune-watched-1-2.zip")
    asking.fileSelected.emit(str(tmp_path / "mine.zip"))
    asking.reject()
    qtbot.waitUntil(page.message.isVisible)
    assert page.message.text.text() == f"Saved: {tmp_path / 'mine.zip'}"
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        readme = " ".join(archive.read("mine/README.txt").decode().split())
    assert "Watched for 8 h, until" in readme
    assert "Other splits were not measured" in readme


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            {"split": None, "outlook": WatchOutlook.NOTHING, "headline": "The weights had no effect."},
            "no recommended split",
        ),
        ({"simulated": True, "changes": CHANGES}, "simulated hosts"),
        ({"facts": make_facts(scheduler="vax"), "params": {IO: CgroupParams(1)}, "mode": "weights"}, "no scripts for"),
    ],
)
def test_what_cannot_be_exported_is_not_offered_and_why(page: ObservePage, more, why):
    _answered(page, **more)
    assert page.card.export_button.isVisible()
    assert not page.card.export_button.isEnabled()
    assert why in page.card.export_button.toolTip()


def test_timetable_is_shown_where_the_day_repeats(page: ObservePage):
    rows = (
        TimetableRow(begins="07:00", split=parse_split("1:2")),
        TimetableRow(begins="19:00", split=parse_split("2:1")),
    )
    _answered(page, timetable=rows, timetable_gain_frac=0.07)
    assert "gain 7\N{NO-BREAK SPACE}% more than one split (estimate)" in page.card.times_title.text()
    assert page.card.times.source.table.rows == [("07:00", "1:2"), ("19:00", "2:1")]
    _answered(page)
    assert not page.card.times.isVisible()


def test_weights_which_decided_nothing_name_no_split(page: ObservePage):
    text = "The weights had no effect: the CPU was never saturated."
    _answered(page, outlook=WatchOutlook.NOTHING, headline=text, split=None, changes=())
    assert page.card.headline.text() == text
    assert not page.card.tag.isVisible()
    assert not page.card.apply_button.isVisible()
    assert not page.card.following.isVisible()


def test_window_which_cannot_be_used_is_reported_and_counted(page: ObservePage):
    began = ObservationStarted(
        host="local:",
        host_id="this",
        title="This",
        simulated=False,
        mode=Mode.WEIGHTS,
        split=parse_split("1:2"),
        cpus=1,
        for_s=60,
    )
    page.observer.looking.emit()
    page.observer.began.emit(began)
    page.observer.line_received.emit(
        ObservationWindow(
            t_s=10, split=parse_split("1:2"), io_cpus=0.1, guest_cpus=0.2, io_allowed_cpus=1, guest_allowed_cpus=1
        )
    )
    page.running.refresh()
    assert not page.running.trouble.isVisibleTo(page.running)
    lost = ObservationWindow(
        t_s=20,
        split=parse_split("1:2"),
        io_cpus=None,
        guest_cpus=None,
        io_allowed_cpus=1,
        guest_allowed_cpus=1,
        trouble="no counters",
    )
    page.observer.line_received.emit(lost)
    page.running.refresh()
    assert page.running.left.text() == "20 s watched, 40 s left; excluded windows of 10 s: 1"
    assert not page.ribbon.isVisible()
    assert "no counters" in page.running.trouble.text()
    assert page.pictures.use.table().rows[1:] == [(20.0, None, None, 100.0, 100.0, None)]
    page.observer.failed.emit(SchedulerError("Watching ended with exit code -9 and no answer."))
    assert "exit code -9" in page.message.text.text()
    assert page.pictures.use_frame.isVisible()  # what was seen is still there
    assert page.ask.isVisible()


def test_rail_and_host_card_lead_there_and_a_window_that_closes_ends_it(theme: Theme, home: Path, limited, qtbot):
    settings = Settings()
    settings.remember_host(limited)
    window = MainWindow(theme, settings)
    with qtbot.waitSignal(window.home.loaded):
        window.show()
    window.rail.button("watch").click()
    assert window.page is window.observe.page
    window.go("home")
    card = next(card for card in window.home.hosts.cards if card.url == limited)
    page = window.observe.page
    page.observer.answered.emit(WatchResult(host=limited, headline="Not enough data to recommend a split."))
    assert "Open Watch" in window.message.hint.text()
    card.watch_button.click()
    assert window.page is page
    assert page.ask.asked.url == limited
    before = (home / "host.json").read_bytes()
    page.ask.button.click()
    qtbot.waitUntil(page.pictures.use_frame.isVisible)
    child = page.observer.run._child
    assert not window.close()
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    question = QApplication.activeModalWidget()
    assert "Nothing was written to the host" in question.informativeText()
    next(button for button in question.buttons() if "Stop" in button.text()).click()
    qtbot.waitUntil(lambda: not window.isVisible())
    qtbot.waitUntil(lambda: not child.running)
    assert not Path(f"/proc/{child.pid}").exists()
    assert (home / "host.json").read_bytes() == before
    kept = (places.journal_dir(), places.applied_dir())
    assert not [path for folder in kept if folder.exists() for path in folder.glob("*.json")]
    window.deleteLater()
