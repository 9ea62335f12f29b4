"""The page that follows: from a host's URL over an agreement to a host that is given back, whatever happens."""

import json
import os
import signal
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QLabel

from app.observe.observation_request import FOLLOW_EXAMPLE_URL, ObservationRequest, find_input_errors
from app.observe.observe_page import ObservePage
from app.settings import Settings
from scheduler import places
from scheduler.errors import SchedulerError
from scheduler.follow.ab_test import Variant
from scheduler.follow.move_decision import FollowBounds
from scheduler.model.command_answers import HostProbe, HostProblem
from scheduler.model.observation_documents import FollowAudit, FollowDone, FollowEnd, FollowPeriod
from scheduler.run.follow_actor import FollowPlan
from tests.ui.observe.lines import began, gain, hold, move, window

pytestmark = pytest.mark.ui

LIMITED = {"dialect": "cgroup", "weight": 100, "quota_us": 50_000, "period_us": 100_000}
FREE = {**LIMITED, "quota_us": None}
CLOSED = "postgresql://me@127.0.0.1:1/shop"
SECRET = "hunter2"
LONG_MS = 120_000  # a host is looked at for half a minute first


class Compared(ObservationRequest):
    """Gives turns to the static split without a counter, so that something is set at once."""

    @property
    def words(self) -> list[str]:
        return [*super().words[:1], "--account=50", *super().words[1:]]


def _request(**more) -> ObservationRequest:
    return ObservationRequest("xl:", "8h", follows=True, **more)


def _made_up(home: Path, params: dict) -> Path:
    path = home / "host.json"
    path.write_text(json.dumps({"io": params, "guest": params}))
    return path


def _words(part) -> str:
    return "\n".join(each.text() for each in part.findChildren(QLabel) if each.isVisible())


def _ask(page: ObservePage, url: str, span: str) -> None:
    page.ask.refresh(url)
    page.ask.span.set_value(span)
    page.ask.button.click()


def _agree(page: ObservePage, qtbot, timeout: int = LONG_MS) -> None:
    qtbot.waitUntil(page.agree.isVisible, timeout=timeout)
    page.agree.check.click()
    page.agree.button.click()


def _follow(page: ObservePage, **more) -> None:
    """Let the page believe that a host is being followed, without a process."""
    page.observer.terms = began(**more)
    page.observer.asking.emit(page.observer.terms)
    page.pictures.begin(page.observer.terms)
    page.running.begin(page.observer.terms)
    page._show_only(page.running, page.seen)


def test_load_is_followed_from_the_url_over_the_agreement_to_the_end(page: ObservePage, qtbot):
    _ask(page, FOLLOW_EXAMPLE_URL, "1h")
    qtbot.waitUntil(page.agree.isVisible, timeout=LONG_MS)
    assert not page.agree.button.isEnabled()
    reported = _words(page.agree)
    for words in (
        "Allowed:",
        "1:5",
        "5:1",
        "of current throughput (estimate)",
        "limits of both domains",
        "No limits are added",
        "Stop",
    ):
        assert words in reported
    page.agree.no.click()
    qtbot.waitUntil(page.ask.isVisible)
    assert not page.observer.busy
    assert page.ask.asked == ObservationRequest(FOLLOW_EXAMPLE_URL, "1h", follows=True)
    page.ask.button.click()
    _agree(page, qtbot)
    qtbot.waitUntil(page.end.isVisible, timeout=LONG_MS)
    assert page.end.headline.text().startswith("Following ")
    assert page.end.headline.text().endswith("; simulated).")
    assert page.end.why.text() == "Finished: the chosen time is over."
    assert "Measured" not in page.end.brought.text()
    assert "The original settings of both domains are restored and verified." in _words(page.end)
    assert "compared with the fixed split 1:2" in page.end.brought.text()
    assert not page.end.restore_button.isVisible()
    assert (page.done.end, page.done.restored) == (FollowEnd.TIME, True)
    assert len(page.pictures.split.windows) == len(page.pictures.use.windows) == 360
    assert len(page.pictures.moves.source.table.rows) == len(page.pictures.history) >= page.done.moves
    rates = [row[1] for row in page.pictures.rate.table().rows]
    assert len(rates) == 360
    assert min(tps for tps in rates if tps is not None) > 0  # the simulated load is its own counter
    assert page.pictures.rate_frame.isVisibleTo(page.pictures)
    page.pictures.split_frame.table_button.click()
    assert len(page.pictures.split_frame.table.source.table.rows) == 360
    assert page.ribbon.isVisible()
    assert Settings().recent_hosts == (FOLLOW_EXAMPLE_URL,)


def test_one_button_gives_the_host_back(page: ObservePage, qtbot):
    _ask(page, FOLLOW_EXAMPLE_URL, "7d")
    _agree(page, qtbot)
    qtbot.waitUntil(lambda: len(page.pictures.split.windows) > 100)
    assert page.running.stop_button.text() == "Stop and restore"
    page.running.stop_button.click()
    qtbot.waitUntil(page.end.isVisible, timeout=LONG_MS)
    assert page.end.headline.text() == "You stopped following."
    assert "The original settings of both domains are restored and verified." in _words(page.end)
    assert (page.done.end, page.done.restored) == (FollowEnd.USER, True)


@pytest.mark.parametrize(
    ("params", "database", "words"),
    [
        (FREE, "", "Neither domain has a cap"),
        (LIMITED, CLOSED, "me@127.0.0.1:1/shop"),
    ],
)
def test_refusal_is_reported_and_nothing_typed_is_lost(page: ObservePage, home, qtbot, params, database, words):
    path = _made_up(home, params)
    before = path.read_bytes()
    page.ask.static.set_text("1:2")
    page.ask.database.set_text(database)
    _ask(page, f"fake:{path}", "1h")
    qtbot.waitUntil(page.message.isVisible, timeout=LONG_MS)
    assert words in page.message.text.text()
    assert page.message.hint.text()
    assert page.ask.isVisible()
    assert (page.ask.asked.static, page.ask.asked.database) == ("1:2", database)
    assert path.read_bytes() == before


def test_killed_process_is_reported_and_the_host_is_restored(page: ObservePage, home, qtbot):
    path = _made_up(home, LIMITED)
    before = json.loads(path.read_bytes())
    how = {"bounds": FollowBounds(), "static": -0.69, "for_s": 3600.0, "account_pct": 50}
    seed = next(seed for seed in range(99) if FollowPlan(**how, seed=seed).schedule.at(0.0).arm is Variant.STATIC)
    page.observer.start(Compared(f"fake:{path}", "1h", follows=True, static="1:2", seed=seed))
    _agree(page, qtbot)
    qtbot.waitUntil(lambda: len(page.pictures.history) == 1, timeout=LONG_MS)
    assert json.loads(path.read_bytes()) != before
    os.kill(page.observer.run.pid, signal.SIGKILL)
    qtbot.waitUntil(page.end.isVisible, timeout=LONG_MS)
    assert "exit code \N{MINUS SIGN}9" in page.end.why.text()
    assert "The original settings of both domains are restored and verified." in _words(page.end)
    assert json.loads(path.read_bytes()) == before
    assert not list(places.journal_dir().glob("*.json"))


def test_host_which_is_not_original_is_named_with_what_to_do(page: ObservePage, qtbot):
    _follow(page)
    page.observer.ended.emit(
        FollowDone(t_s=60, end=FollowEnd.HOST, reason="io reads 7", restored=False, hint="Look there.")
    )
    assert "Some settings were not restored." in _words(page.end)
    assert {"Io reads 7.", "Look there."} <= set(_words(page.end).splitlines())
    with qtbot.waitSignal(page.restore_wanted):
        page.end.restore_button.click()
    page.put_back()
    assert "All settings have been restored since" in _words(page.end)
    assert not page.end.restore_button.isVisible()
    page.observer.ended.emit(FollowDone(end=FollowEnd.HOST, reason="a sweep holds it", restored=False, busy=True))
    page.put_back()
    assert "Nothing was changed." in _words(page.end)


def test_moves_holds_and_accounts_are_reported_while_it_goes_on(page: ObservePage):
    _follow(page)
    take = page.observer.line_received.emit
    card = page.running
    take(window(10))
    page.pictures.draw()
    card.refresh()
    assert card.state.text() == "Following"
    assert "No result yet" in card.brought.text()
    take(move(20, "1:2", "1:1.2"))
    take(hold(30, "calm", "the load changes fast", until_s=930))
    take(FollowPeriod(t_s=40, began_s=0, arm="static", block=0, rate_tps=1.0, gains=(gain(),)))
    take(window(330, "1:1.2"))
    page.pictures.draw()
    card.refresh()
    assert card.state.text() == "Holding for another 10 min: the load changes fast"
    assert card.now.words.text() == "1:1.2"
    assert card.found.words.text() == "1:2"
    assert "54 min left of 1 h; 1 change by the tuner" in card.left.text().replace("54 min 30 s", "54 min")
    assert "+1.9\N{NO-BREAK SPACE}% (0.8 to 3\N{NO-BREAK SPACE}%), compared with" in card.brought.text()
    rows = page.pictures.moves.source.table.rows
    assert [row[:2] for row in rows] == [("0:30", "no change since"), ("0:20", "1:2 \N{RIGHTWARDS ARROW} 1:1.2")]
    take(FollowAudit(t_s=345, moved_s=20, predicted_gain=0.21, seen=0.18))
    page.pictures.draw()
    why = page.pictures.moves.source.table.rows[1][2]
    assert "Predicted gain +21\N{NO-BREAK SPACE}%, observed +18\N{NO-BREAK SPACE}%" in why
    assert "used 97\N{NO-BREAK SPACE}%" in page.pictures.split.words_at(20, 0)
    take(window(340, arm="static"))
    card.refresh()
    assert "Comparison period: fixed split" in card.state.text()
    take(window(350, trouble="no counters", io_cpus=None, guest_cpus=None))
    card.refresh()
    assert "no counters" in _words(card)


def test_time_of_a_transaction_and_what_moves_promised_are_reported_at_the_end(page: ObservePage):
    _follow(page)
    shorter = gain(slack=True, time_frac=-0.177, time_low_frac=-0.181, time_high_frac=-0.173, time_blocks=47)
    done = FollowDone(t_s=3600, end=FollowEnd.TIME, moves=12, gains=(shorter,), audited=12, audit_slope=0.87)
    page.observer.ended.emit(done)
    reported = _words(page.end).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
    assert "Time per transaction: -18 % (-18 to -17 %), compared with the fixed split 1:2." in reported
    assert "limited by the clients" in reported
    assert "87 % of the predicted gain of 12 changes was observed" in reported


@pytest.mark.parametrize(
    ("more", "headline"),
    [
        ({}, "Following gained 1.9 % over 1:2 (+0.8 % to +3 %)."),
        ({"low_frac": -0.008}, "Following showed no certain gain over 1:2 (-0.8 % to +3 %)."),
        ({"gain_frac": -0.03, "low_frac": -0.04, "high_frac": -0.02}, "Following lost 3 % against 1:2"),
        ({"low_frac": None}, "Following showed no certain gain over 1:2 (too few pairs of periods)."),
        (
            {"slack": True, "time_frac": -0.18, "time_low_frac": -0.2, "time_high_frac": -0.16},
            "With following, transactions were 18 % shorter than at 1:2 (-20 % to -16 %).",
        ),
        ({"planned": False}, "Finished: the chosen time is over."),
    ],
)
def test_end_card_headline_states_the_result_by_its_interval(page: ObservePage, more, headline):
    _follow(page)
    done = FollowDone(t_s=3600, end=FollowEnd.TIME, gains=(gain(**{"planned": True, **more}),))
    page.observer.ended.emit(done)
    text = page.end.headline.text().replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
    assert text.startswith(headline)


def test_what_cannot_be_read_is_refused_before_anybody_is_asked(page: ObservePage, runner):
    page.ask.range.set_text("1:20..1:1")
    page.ask.static.set_text("x")
    page.ask.database.set_text(f"postgresql://me:{SECRET}@db1/shop")
    _ask(page, f"xl+ssh://root:{SECRET}@xen1", "8h")
    assert runner.idle
    assert "1:9 to 9:1" in page.ask.range.message.text()
    assert page.ask.static.message.text()
    assert "Leave the password out" in page.ask.host.message.text()
    assert not [label for label in page.findChildren(QLabel) if SECRET in label.text() + label.toolTip()]
    assert "outside of 1:2..2:1" in find_input_errors(_request(range="1:2..2:1", static="1:3"))["static"]
    assert find_input_errors(_request(static="1:3")) == {}


def test_databases_password_goes_by_the_environment_its_client_reads():
    asked = ObservationRequest(
        "xl:", "8h", follows=True, database="postgresql://me@db1/shop", password=SECRET, static="1:2"
    )
    assert asked.environment == {"PGPASSWORD": SECRET}
    assert ObservationRequest(
        "xl:", "8h", follows=True, database="mariadb://me@db1/shop", password=SECRET
    ).environment == {"MYSQL_PWD": SECRET}
    assert SECRET not in " ".join(asked.words) + repr(asked)
    assert "--account=50" in asked.words
    assert not [word for word in _request().words if word.startswith("--account")]  # nobody counts


def test_one_of_several_guests_is_asked_for_by_name(page: ObservePage):
    page.observer._handle_probe(
        HostProbe(error="2 guests run there", problem=HostProblem.DOMAINS, choices=("db1", "mail"))
    )
    assert "db1, mail" in page.ask.guest.message.text()
    assert page.ask.guest.isVisible()


def test_without_a_database_nothing_is_claimed(page: ObservePage):
    _follow(page, database=False, account_pct=0, warnings=("5:1 would leave the I/O domain 8 % of a CPU.",))
    assert page.running.brought.text() == "Not measured: no database is given."
    assert not page.pictures.rate_frame.isVisibleTo(page.pictures)
    assert "8\N{NO-BREAK SPACE}% of a CPU" in page.agree.warnings.text()
    done = FollowDone(t_s=60, end=FollowEnd.EVIDENCE, reason="it brought less", gains=(gain(low_frac=None),))
    page.observer.ended.emit(msgspec.structs.replace(done, remarks=("the counter stood still",)))
    assert "too few periods for an interval" in page.end.brought.text()
    assert "It brought less." in page.end.why.text()
    assert "The counter stood still." in page.end.remarks.text()


def test_process_that_is_killed_before_the_agreement_is_no_reason_to_restore(page: ObservePage):
    page.observer.run = None
    page.observer._handle_crash(
        SchedulerError("The following process ended unexpectedly (exit code -9).", hint="Try again.")
    )
    assert "exit code -9" in page.message.text.text()
    assert page.ask.isVisible()
