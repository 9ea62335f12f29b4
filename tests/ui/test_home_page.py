import sqlite3
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import NARROW
from app.pages.compare_page import ComparePage
from app.pages.comparison import read_sweeps
from app.pages.first_start import ANOTHER
from app.pages.home_page import HomePage
from app.pages.host_menu import HostNameDialog
from app.pages.sweep_rows import read_rows
from app.settings import Settings
from app.theme.theme import Theme
from scheduler import places
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.results import MeasuredPoint, Recommendation, Results, SplitVerdict
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from scheduler.store.run_store import RunStore
from tests.settings import setting_at, splits_at

FACTS = HostProperties(
    host_id="lab1",
    url="local:",
    title="lab1: two groups on CPU 0",
    scheduler="cgroup-v2",
    pcpus=4,
    shared_cpus=(0,),
    client_cpus=(1, 2),
    domains=(),
    versions={},
)
FIGURES = {"1:2": (9000.0, 4000.0), "1:1": (11_800.0, 5000.0), "2:1": (8000.0, 5600.0)}


def put_sweep(
    name: str, number: int, outcome: RunOutcome | None, answer: Recommendation | None = None, url: str = "local:"
) -> str:
    """Store a sweep as the core would."""
    spec = RunSpec(
        host_url=url,
        name=name,
        settings=tuple(parse_split_setting(text) for text in FIGURES),
        loads=(LoadSpec("osdb-ir"), LoadSpec("osdb-oltp")),
    )
    run_id = f"run-{number}"
    started_unix_s = 1_795_000_000.0 + number * 3600
    with RunStore(places.store_path()) as store:
        store.append(
            run_id, RunStarted(t_s=0, run_id=run_id, spec=spec, facts=FACTS, wall_unix_s=started_unix_s, trials=6)
        )
        if outcome is not None:
            store.append(run_id, RunStopped(t_s=9, outcome=outcome, restored=True))
        if answer is not None:
            store.keep_results(run_id, _results(run_id, spec, started_unix_s, answer))
    return run_id


def _results(run_id: str, spec: RunSpec, started_unix_s: float, answer: Recommendation) -> Results:
    points = tuple(
        MeasuredPoint(
            setting=setting_at(split), load=load, mean_tps=tps, ci95_tps=(tps - 50, tps + 50), cv=0.01, trials=3
        )
        for split, both in FIGURES.items()
        for load, tps in zip(("osdb-ir", "osdb-oltp"), both, strict=True)
    )
    return Results(
        run_id=run_id,
        name=spec.name,
        host="local:",
        host_title=FACTS.title,
        mode="caps",
        protocol="quick",
        outcome=RunOutcome.COMPLETED,
        restored=True,
        simulated=False,
        measured_s=60,
        started_unix_s=started_unix_s,
        points=points,
        answer=answer,
    )


_GAIN = {"gain_frac": 0.38, "gain_ci95_frac": (0.31, 0.46)}
RECOMMEND = Recommendation(
    verdict=SplitVerdict.RECOMMEND,
    setting=setting_at("1:1"),
    equivalent=splits_at("1:1"),
    decision=SweepDecision(kind=DecisionKind.CHANGE, setting=setting_at("1:1"), **_GAIN),
    **_GAIN,
)
EQUIVALENT = Recommendation(
    verdict=SplitVerdict.EQUIVALENT,
    setting=setting_at("1:2"),
    equivalent=splits_at("1:2", "1:1"),
    decision=SweepDecision(kind=DecisionKind.UNKNOWN, setting=setting_at("1:2")),
)


@pytest.fixture
def page(theme: Theme, home: Path, qtbot):
    background = BackgroundWorker()
    runner = CommandRunner()
    made = HomePage(theme, Settings(), runner, background)
    qtbot.addWidget(made)
    made.resize(1100, 760)
    yield made
    qtbot.waitUntil(lambda: runner.idle, timeout=30_000)
    background.close()


def load(page: HomePage, qtbot) -> None:
    with qtbot.waitSignal(page.loaded, timeout=10_000):
        page.refresh()


def test_first_start_offers_three_ways_to_begin(page: HomePage, qtbot):
    load(page, qtbot)
    page.show()
    assert page.first.isVisible()
    with qtbot.waitSignal(page.new_sweep, timeout=10_000) as got:
        qtbot.keyClick(page.first.card, Qt.Key.Key_Space)
    assert got.args == ["local:"]
    for card, url in ((page.first.simulated, "sim:"), (page.first.connect_card, ANOTHER)):
        with qtbot.waitSignal(page.new_sweep, timeout=10_000) as got:
            qtbot.keyClick(card, Qt.Key.Key_Space)
        assert got.args == [url]
    with qtbot.waitSignal(page.first.open_plan, timeout=10_000):
        qtbot.keyClick(page.first.plan_link, Qt.Key.Key_Space)
    with qtbot.waitSignal(page.new_sweep, timeout=10_000) as got:
        page.hosts.add_button.click()
    assert got.args == [ANOTHER]


def test_sweeps_are_listed_newest_first_with_their_verdict(page: HomePage, qtbot):
    put_sweep("first", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("second", 1, RunOutcome.COMPLETED, EQUIVALENT)
    put_sweep("third", 2, None)
    put_sweep("fourth", 3, RunOutcome.ABORTED)
    load(page, qtbot)
    rows = page.list.source.rows
    assert [row.name for row in rows] == ["fourth", "third", "second", "first"]
    assert [row.verdict for row in rows[:2]] == ["stopped", "not finished"]
    assert (rows[2].verdict, rows[2].split) == ("gain not measured", None)
    assert (rows[3].verdict, rows[3].remark) == ("change to 1:1", f"+38{NARROW}% (31 to 46{NARROW}%)")
    assert rows[3].split.label == "1:1"
    assert rows[3].curves["osdb-ir"][1] == (0.5, 1.0)
    assert page.grab().width() == 1100


@pytest.mark.parametrize(
    ("kind", "words"), [(DecisionKind.NOT_YET, "undecided"), (DecisionKind.STAY, "change nothing")]
)
def test_sweeps_list_split_not_ordered_has_no_bar(page: HomePage, qtbot, kind, words):
    decision = SweepDecision(kind=kind, setting=setting_at("1:1"), gain_frac=0.01, gain_ci95_frac=(-0.6, 0.015))
    put_sweep("unsure", 0, RunOutcome.COMPLETED, msgspec.structs.replace(RECOMMEND, decision=decision))
    load(page, qtbot)
    [row] = page.list.source.rows
    assert (row.verdict, row.split) == (words, None)


def test_sweep_is_opened_by_enter(page: HomePage, qtbot):
    run_id = put_sweep("first", 0, RunOutcome.COMPLETED, RECOMMEND)
    load(page, qtbot)
    page.show()
    page.list.setCurrentIndex(page.list.model().index(0, 0))
    with qtbot.waitSignal(page.open_run, timeout=10_000) as got:
        qtbot.keyClick(page.list, Qt.Key.Key_Return)
    assert got.args == [run_id]


def test_home_page_in_a_narrow_window_switches_between_hosts_and_sweeps(page: HomePage, qtbot):
    put_sweep("one", 1, RunOutcome.COMPLETED)
    load(page, qtbot)
    page.show()
    assert page.hosts.isVisible()
    assert page.sweeps.isVisible()
    assert not page.columns.hosts_button.isVisible()
    page.resize(700, 560)
    assert page.sweeps.isVisible()
    assert not page.hosts.isVisible()
    qtbot.keyClick(page.columns.hosts_button, Qt.Key.Key_Space)
    assert page.hosts.isVisible()
    assert not page.sweeps.isVisible()
    assert all(card.menu.isVisible() for card in page.hosts.cards)
    with qtbot.waitSignal(page.new_sweep, timeout=10_000):
        qtbot.keyClick(page.hosts.add_button, Qt.Key.Key_Space)
    page.resize(1100, 760)
    assert page.hosts.isVisible()
    assert page.sweeps.isVisible()


def test_name_that_turns_the_writing_round_is_shown_as_the_command_line_does(page: HomePage, qtbot):
    put_sweep("Büro \u202eabc", 1, RunOutcome.COMPLETED)
    load(page, qtbot)
    row = page.row_of("run-1")
    assert row is not None
    assert (row.name, page.title_of("run-1")) == ("Büro ?abc", "Büro ?abc")


def test_searching_narrows_the_list(page: HomePage, qtbot):
    put_sweep("Ticket 4711", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("Lab course", 1, RunOutcome.ABORTED)
    load(page, qtbot)
    for text, count in (("4711", 1), ("LAB COURSE", 1), ("lab1", 2), ("stopped", 1), ("no such", 0), ("", 2)):
        page.search.setText(text)
        assert page.list.model().rowCount() == count, text


def test_buttons_report_what_can_be_done_with_what_is_selected(page: HomePage, qtbot):
    put_sweep("done", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("broken", 1, None)
    load(page, qtbot)
    model = page.list.model()
    page.list.setCurrentIndex(model.index(0, 0))
    actions = page.sweeps.footer
    buttons = (actions.open_button, actions.continue_button, actions.compare_button)
    assert [button.isEnabled() for button in buttons] == [True, True, False]
    page.list.setCurrentIndex(model.index(1, 0))
    assert [button.isEnabled() for button in buttons] == [True, False, False]
    page.list.selectAll()
    assert [button.isEnabled() for button in buttons] == [False, False, True]
    with qtbot.waitSignal(page.compare, timeout=10_000) as got:
        actions.compare_button.click()
    assert [run.name for run in got.args[0]] == ["broken", "done"]


def test_damaged_store_is_a_message_and_not_the_end(page: HomePage, qtbot):
    places.store_path().parent.mkdir(parents=True, exist_ok=True)
    places.store_path().write_bytes(b"this is not a database" * 100)
    load(page, qtbot)
    page.show()
    assert page.message.isVisible()
    assert str(places.store_path()) in page.message.text.text()
    assert page.first.isVisible()


def test_reading_the_list_leaves_the_store_as_it_is(page: HomePage, qtbot):
    put_sweep("first", 0, RunOutcome.COMPLETED, RECOMMEND)
    with sqlite3.connect(places.store_path()) as db:
        before = db.execute("SELECT count(*) FROM documents").fetchone()
    db.close()
    load(page, qtbot)
    with sqlite3.connect(places.store_path()) as db:
        assert db.execute("SELECT count(*) FROM documents").fetchone() == before
    db.close()


def test_two_sweeps_can_be_laid_over_each_other(theme: Theme, background: BackgroundWorker, tmp_path: Path, qtbot):
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("two", 1, RunOutcome.COMPLETED, EQUIVALENT)
    page = ComparePage(theme, background)
    qtbot.addWidget(page)
    page.show_runs(read_sweeps(places.store_path(), read_rows(places.store_path())))
    page.show()
    page.frame.table_button.click()
    assert len(page.frame.table.source.table.rows) == 6
    page.frame.save(tmp_path / "both.csv")
    qtbot.waitUntil(page.frame.message.isVisible)
    row = "1:1,IR,11800.0,11750.0,11850.0,11800.0,11750.0,11850.0"
    assert row in (tmp_path / "both.csv").read_text(encoding="utf-8")


def _titles(page: HomePage) -> dict[str, str]:
    return {card.url: card.name.text() for card in page.hosts.cards}


def test_host_can_be_renamed_and_taken_out_until_it_is_used_again(page: HomePage, qtbot):
    settings = page._settings
    settings.remember_host("sim:")
    put_sweep("one", 1, RunOutcome.COMPLETED, url="sim:")
    load(page, qtbot)
    card = next(card for card in page.hosts.cards if card.url == "sim:")
    card.menu._ask_name()
    asking = page.window().findChild(HostNameDialog)
    asking.name.setText("The lecture's Xen")
    asking.save.click()
    qtbot.waitUntil(lambda: _titles(page)["sim:"] == "The lecture's Xen")
    assert Settings().host_names == {"sim:": "The lecture's Xen"}
    card = next(card for card in page.hosts.cards if card.url == "sim:")
    card.menu.remove_action.trigger()
    qtbot.waitUntil(lambda: "sim:" not in _titles(page))
    assert "no longer in the list" in page.message.text.text()
    settings.remember_host("sim:")
    load(page, qtbot)
    assert _titles(page)["sim:"] == "The lecture's Xen"
    here = next(card for card in page.hosts.cards if card.url == "local:")
    assert not here.menu.remove_action.isEnabled()


def test_host_that_is_to_be_left_alone_is_looked_at_only_when_another_asks(page: HomePage, qtbot):
    settings = page._settings
    for url in ("sim:", "sim:?scheduler=credit2"):
        settings.remember_host(url)
    settings.look_at_host("sim:", False)
    put_sweep("one", 1, RunOutcome.COMPLETED)
    load(page, qtbot)
    page.hosts.look()
    looked = {card.url: card._asked is not None for card in page.hosts.cards}
    assert looked == {"sim:?scheduler=credit2": True, "sim:": False, "local:": True}
    page.hosts.cards[1].menu.look_action.setChecked(True)
    assert Settings().hosts_left_alone == ()
