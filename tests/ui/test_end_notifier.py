"""Notification at the end of a run: on a real bus with a real service, and without any bus."""

import pytest
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.pages.end_notifier import EndNotifier
from scheduler.desktop_notification import NotificationFailed, notify_desktop
from scheduler.model.documents import RunOutcome
from scheduler.model.observation_documents import FollowDone, FollowEnd, WatchResult
from scheduler.model.run_end import SWEEP_END, RunEnd, end_of_observation
from tests.session_bus import SessionBus

pytestmark = pytest.mark.ui

COMPLETE = RunEnd(SWEEP_END, "local:", RunOutcome.COMPLETED, restored=True)


@pytest.fixture
def window(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_end_is_shown_while_another_window_is_active(
    window, background: BackgroundWorker, tmp_path, monkeypatch, qtbot
):
    bus = SessionBus(tmp_path)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
    with bus.run():
        notifier = EndNotifier(window, background)
        monkeypatch.setattr(window, "isActiveWindow", lambda: True)
        notifier.report(COMPLETE)
        monkeypatch.setattr(window, "isActiveWindow", lambda: False)
        notifier.report(RunEnd(SWEEP_END, "local:", RunOutcome.FAILED, restored=True, reason="<b> & no answer"))
        qtbot.waitUntil(lambda: bus.texts != [])
    assert bus.texts == ["The sweep of local: failed: &lt;b&gt; &amp; no answer."]


@pytest.mark.parametrize("address", ["", "unix:path=/nonexistent/bus", "tcp:host=localhost"])
def test_missing_bus_is_a_reason_and_no_crash(address, tmp_path):
    environment = {"DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": str(tmp_path)}
    with pytest.raises(NotificationFailed, match="session bus"):
        notify_desktop("The sweep is complete.", environment)


def test_sentences_name_run_host_and_restore():
    watched = end_of_observation("sim:", WatchResult(ended="the host went away"))
    followed = end_of_observation("local:", FollowDone(end=FollowEnd.USER, restored=True))
    lost = end_of_observation("local:", FollowDone(end=FollowEnd.HOST, restored=False, reason="no answer"))
    assert [COMPLETE.text, watched.text, followed.text] == [
        "The sweep of local: is complete. The host is restored.",
        "Watching sim: failed: the host went away.",
        "Following local: was stopped. The host is restored.",
    ]
    assert lost.text == "The host local: is not restored. Open DomTune and use Restore now, or run 'domtune restore'."
