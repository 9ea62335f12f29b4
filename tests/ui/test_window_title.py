"""Title of the window during a sweep: trial and longest time left."""

import msgspec
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.pages.window_title import WindowTitle
from scheduler.model.documents import RunStarted, RunState, StateChanged, TrialStarted
from scheduler.plans.study_plan import duration_s
from tests.data_maker import make_documents

pytestmark = pytest.mark.ui


class Speaker(QObject):
    """What says the documents of a stored run again."""

    document = Signal(object)
    ended = Signal(object)


def test_title_reports_trial_and_longest_time_left_until_its_end(qtbot):
    window, speaker = QWidget(), Speaker()
    qtbot.addWidget(window)
    title = WindowTitle(window)
    title.show_place("A stored run")
    assert window.windowTitle() == "A stored run \N{MIDDLE DOT} DomTune"
    documents = make_documents()
    started = next(each for each in documents if isinstance(each, RunStarted))
    trial = next(each for each in documents if isinstance(each, TrialStarted))
    spec = msgspec.structs.replace(started.spec, name="Mine")
    facts = msgspec.structs.replace(started.facts, simulated=False)
    title.follow(speaker)
    speaker.document.emit(msgspec.structs.replace(started, spec=spec, facts=facts))
    assert window.windowTitle() == "Preparing \N{MIDDLE DOT} Mine \N{MIDDLE DOT} DomTune"
    most_s = duration_s(spec)[1]
    speaker.document.emit(msgspec.structs.replace(trial, trial=165, t_s=most_s - 600.0))
    words = "trial 166, at most 10 min left \N{MIDDLE DOT} Mine \N{MIDDLE DOT} DomTune"
    assert window.windowTitle().replace("\N{NO-BREAK SPACE}", " ") == words
    title.show_place("Another page")
    assert window.windowTitle().startswith("trial 166"), "a sweep that runs matters more than what is shown"
    speaker.document.emit(msgspec.structs.replace(trial, trial=199, t_s=most_s + 1.0))
    assert window.windowTitle().startswith("trial 200 ")
    speaker.document.emit(StateChanged(t_s=most_s + 2.0, state=RunState.PAUSED))
    assert window.windowTitle().startswith("Paused ")
    speaker.ended.emit(None)
    assert window.windowTitle() == "DomTune"
