"""What the window says of a host that is not as found: all its places speak from the same records."""

import os
import signal
from pathlib import Path

import msgspec
import pytest

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import format_clock
from app.main_window import MainWindow
from app.pages.home_page import HomePage
from app.pages.host_card import HostCard
from app.pages.host_news import HostNews
from app.pages.restore_banner import RestoreBanner
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.settings import Settings
from app.theme.theme import Appearance, Theme
from scheduler import places
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.command_answers import RestoreItem, RestoreResult
from scheduler.model.documents import RunOutcome, RunStopped
from scheduler.model.lock_owner import LockOwner
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from scheduler.store.run_store import RunStore
from scheduler.store.unfinished_runs import add_run_outcome
from tests.data_maker import make_documents, make_facts
from tests.ui.test_session import spec_for

LATER_UNIX_S = 1_800_000_000.0


class Made:
    """A made-up host, and runs on it that others left."""

    def __init__(self, home: Path) -> None:
        self.file = home / "host.json"
        self.url = f"fake:{self.file}"
        self.host = FakeHost(self.file, InjectedFaults(), lambda *_: None)
        self.host_id = self.host.facts().host_id

    def arm(self, folder: Path, **more) -> None:
        """Leave a record of what was found, and the host changed."""
        originals = {domain: self.host.read(domain) for domain in (IO, GUEST)}
        undo = UndoRecord(
            host_url=self.url,
            host_id=self.host_id,
            context=self.host.context(),
            originals=originals,
            armed_unix_s=LATER_UNIX_S,
            pid=1,
            **more,
        )
        UndoJournal(folder, self.host_id).arm(undo)
        self.host.write(IO, CgroupParams(weight=77))

    def keep_run(self, **options) -> str:
        facts = msgspec.structs.replace(make_facts(self.url), host_id=self.host_id)
        options = {"trials": 5, "outcome": None, "repeats": 1, "samples": False, **options}
        documents = make_documents(host_url=self.url, facts=facts, **options)
        with RunStore(places.store_path()) as store:
            for document in documents:
                store.append(documents[0].run_id, document)
        return documents[0].run_id


@pytest.fixture
def made(home: Path) -> Made:
    return Made(home)


@pytest.fixture
def window(theme: Theme, made: Made, qtbot):
    """A function that opens the window."""
    opened = []

    def open_window() -> MainWindow:
        settings = Settings()
        settings.remember_host(made.url)
        opened.append(MainWindow(theme, settings))
        with qtbot.waitSignal(opened[0].home.loaded):
            opened[0].show()
        return opened[0]

    yield open_window
    for one in opened:
        if one.session is not None and one.session.active:
            os.kill(one.session.core_pid, signal.SIGKILL)
            qtbot.waitUntil(lambda one=one: not one.session.active)
        qtbot.waitUntil(lambda one=one: one.runner.idle)
        one.close()
        one.deleteLater()


def card_of(window: MainWindow, made: Made):
    return next(card for card in window.home.hosts.cards if card.url == made.url)


def test_broken_sweep_is_reported_by_card_list_and_result_until_its_host_is_restored(window, made: Made, qtbot):
    run_id = made.keep_run()
    made.arm(places.journal_dir())
    shown = window()
    card = card_of(shown, made)
    qtbot.waitUntil(lambda: card.state.text() == "Has settings of an interrupted sweep")
    assert (card.dot.state, card.restore_button.isVisible(), card.sweep_button.isVisible()) == ("bad", True, False)
    assert card.state.property("role") == "danger"
    shown.show_result(run_id)
    qtbot.waitUntil(lambda: shown.result.complete)
    assert shown.result.state.text.text() == "The host still has settings of this sweep."
    shown.go("home")
    card.restore_button.click()
    qtbot.waitUntil(lambda: (card.dot.state, card.state.text()) == ("good", "Ready"))  # it may look once more meanwhile
    assert (card.restore_button.isVisible(), card.sweep_button.isVisible()) == (False, True)
    qtbot.waitUntil(lambda: shown.home.list.source.rows[0].verdict == "interrupted at trial 5")
    assert shown.home.list.source.rows[0].remark.startswith("host restored")
    shown.go("result")
    qtbot.waitUntil(lambda: shown.result.complete and "restored at" in shown.result.state.text.text())
    assert shown.result.state.text.text().startswith("Interrupted at trial 5 of 20. The host was restored at")
    assert shown.result.state.property("look") == "bar-warn"


def test_result_is_read_again_when_the_store_is_reported_after_the_record_has_gone(
    page: ResultPage, made: Made, theme: Theme, runner: CommandRunner, background: BackgroundWorker, qtbot
):
    """Who puts a host back takes its record away first, and tells the store a moment later."""
    run_id = made.keep_run()
    banner, home = RestoreBanner(theme, runner), HomePage(theme, Settings(), runner, background)
    qtbot.addWidget(banner)
    qtbot.addWidget(home)
    HostNews(banner, home, background, page).tell(page)
    page.show_run(run_id)
    qtbot.waitUntil(lambda: page.complete)
    with RunStore(places.store_path()) as store:
        add_run_outcome(store, run_id, restored=True, restored_unix_s=LATER_UNIX_S)
    banner.news.emit(RestoreResult(clean=True, recorded_runs=(run_id,)))
    qtbot.waitUntil(lambda: page.complete and "restored at" in page.state.text.text())


def test_sweep_killed_before_it_changed_anything_is_reported_at_the_next_start(window, made: Made, qtbot):
    run_id = made.keep_run()
    shown = window()
    qtbot.waitUntil(lambda: shown.home.list.source.rows[0].verdict == "interrupted at trial 5")
    assert shown.home.list.source.rows[0].remark == ""
    shown.show_result(run_id)
    qtbot.waitUntil(lambda: shown.result.complete)
    assert shown.result.state.text.text().endswith("The original settings are restored.")


def test_host_that_a_living_sweep_holds_is_neither_red_nor_ready(window, made: Made, qtbot):
    made.keep_run()
    made.arm(places.journal_dir())
    with HostLock(places.journal_dir(), made.host_id, LockOwner.SWEEP):
        shown = window()
        card = card_of(shown, made)
        qtbot.waitUntil(lambda: card.state.text() == "A sweep uses this host")
        qtbot.waitUntil(lambda: shown.runner.idle)
        assert (card.dot.state, card.restore_button.isVisible()) == ("busy", False)
        assert not shown.banner.isVisible()
        assert shown.home.list.source.rows[0].verdict == "not finished"


def test_host_which_is_followed_is_called_so_and_not_swept(window, made: Made, qtbot):
    run_id = made.keep_run()
    made.arm(places.journal_dir(), ours={IO: (CgroupParams(weight=77),)}, by=LockOwner.FOLLOW)
    with HostLock(places.journal_dir(), made.host_id, LockOwner.FOLLOW):
        shown = window()
        card = card_of(shown, made)
        qtbot.waitUntil(lambda: card.state.text() == "Following is active")
        qtbot.waitUntil(lambda: shown.runner.idle)
        assert (card.dot.state, shown.banner.isVisible()) == ("busy", False)
    shown.banner.check()
    qtbot.waitUntil(shown.banner.isVisible)
    assert shown.banner.text.text().startswith(f"{made.url} still has settings from following, which began")
    qtbot.waitUntil(lambda: card.state.text() == "Has settings from following, which was interrupted")
    shown.show_result(run_id)
    qtbot.waitUntil(lambda: shown.result.complete)
    assert "still has settings of this sweep" not in shown.result.state.text.text()


def due(made: Made) -> RestoreItem:
    return RestoreItem(host=made.url, host_id=made.host_id, armed_unix_s=1.0, state="armed", text="made for a test")


@pytest.mark.parametrize("records", [0, 1], ids=["held for a moment longer", "asked before it was free"])
def test_card_finds_out_that_its_host_is_free_again(theme: Theme, runner: CommandRunner, made: Made, records, qtbot):
    card = HostCard(theme, runner, made.url, "a host")
    qtbot.addWidget(card)
    with HostLock(places.journal_dir(), made.host_id):
        card.show_records([due(made)] * records)
        card.look()
        card.show_records([])  # it is put back, and who did it has yet to let go
        qtbot.waitUntil(
            lambda: card.dot.state == "busy" and card.state.text() != "Has settings of an interrupted sweep"
        )
    qtbot.waitUntil(lambda: card.dot.state == "good")


def test_card_reports_the_sweep_that_has_just_ended(window, made: Made, home: Path, qtbot):
    made.keep_run(outcome=RunOutcome.COMPLETED, trials=None)
    shown = window()
    card = card_of(shown, made)
    qtbot.waitUntil(lambda: card.dot.state == "good")
    before = card.used.text()
    with qtbot.waitSignal(shown.home.loaded):
        shown.begin(msgspec.structs.replace(spec_for(home), host_url=made.url), {})
        qtbot.waitUntil(lambda: not shown.session.active)
    qtbot.waitUntil(lambda: card.used.text() != before)
    assert card_of(shown, made) is card
    qtbot.waitUntil(lambda: card.state.text() == "Ready")


def test_live_page_hears_when_another_else_puts_the_host_back(window, made: Made, home: Path, qtbot):
    shown = window()
    shown.begin(msgspec.structs.replace(spec_for(home, measure_s=600), host_url=made.url), {})
    qtbot.waitUntil(lambda: any(places.journal_dir().glob("*.json")))
    journal = next(places.journal_dir().glob("*.json"))
    shown.runner.run_once, start = (
        (lambda words, **more: start(["restore", "--list", "--json"], **more)),
        (shown.runner.run_once),
    )  # as if the computer were too busy to put it back
    with qtbot.waitSignal(shown.session.ended):
        os.kill(shown.session.core_pid, signal.SIGKILL)
    shown.runner.run_once = start
    assert shown.session.waits_for_host
    assert journal.exists()
    strip = shown.live.strip
    shown.live.redraw()
    assert strip.detail.text() == "The host is not restored yet."
    strip.restore.click()
    qtbot.waitUntil(lambda: shown.session.restored)
    shown.live.redraw()
    assert strip.detail.text().startswith("The host was restored at")
    assert strip.go_on.isVisible()


def test_closed_window_asks_for_nothing_any_more(window, made: Made, qtbot):
    shown = window()
    made.arm(places.journal_dir())
    shown.banner.check()
    qtbot.waitUntil(lambda: shown.banner.isVisible() and shown.runner.idle)
    shown.close()
    UndoJournal(places.journal_dir(), made.host_id).disarm()
    begun = []
    shown.runner.run_once = lambda *words, **more: begun.append(words)
    qtbot.wait(1_000)  # three times what a change of the folder is given to settle
    assert not begun


def test_applied_split_is_reported_at_the_start_verified_and_reverted(window, made: Made, qtbot):
    made.keep_run(outcome=RunOutcome.COMPLETED, trials=None)
    made.arm(places.applied_dir())
    shown = window()
    qtbot.waitUntil(lambda: made.url in shown.home.applied.bars)
    bar = shown.home.applied.bars[made.url]
    assert bar.isVisible()
    assert format_clock(LATER_UNIX_S) in bar.text.text()
    bar.verify.click()
    qtbot.waitUntil(bar.message.isVisible)
    assert "is active" in bar.message.text.text()
    assert bar.message.hint.text() == "io weight: 77 now, 100 before"
    bar.revert.click()
    qtbot.waitUntil(lambda: not shown.home.applied.bars)
    assert "reverted and verified" in shown.home.message.text.text()
    assert not shown.home.applied.isVisible()
    assert made.host.read(IO) != CgroupParams(weight=77)


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_banners_words_and_its_filled_button_remain_out(theme: Theme, appearance):
    theme.set_appearance(appearance)
    red, words = theme.palette.banner, theme.palette.on_banner
    assert int(red[1:3], 16) > 2 * int(red[3:5], 16)
    assert int(red[1:3], 16) < 0xC0  # a pale one alarms nobody
    assert words == "#FFFFFF"


def test_state_bar_of_a_run_follows_its_record(page: ResultPage):
    documents = make_documents(samples=False, outcome=RunOutcome.FAILED, trials=5, restored=False)
    page.note_pending_restores(frozenset({documents[0].facts.host_id}))
    page.show_finding(result_data_of(documents))
    assert page.state.property("look") == "bar-danger"
    put_back = msgspec.structs.replace(documents[-1], restored=True, restored_unix_s=LATER_UNIX_S)
    assert isinstance(put_back, RunStopped)
    page.show_finding(result_data_of([*documents, put_back]))
    assert page.state.property("look") == "bar-info"
    assert format_clock(LATER_UNIX_S) in page.state.hint.text()
