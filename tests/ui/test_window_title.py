"""The window's title says how far a sweep is, also while another window is in front."""

import msgspec
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.pages.window_title import WindowTitle
from scheduler.model.documents import RunStarted, RunState, StateChanged, TrialDone
from scheduler.plans.study_plan import usual_s
from tests.data_maker import make_documents

pytestmark = pytest.mark.ui


class Speaker(QObject):
    """What says the documents of a stored run again."""

    document = Signal(object)
    ended = Signal(object)


def test_title_reports_percent_and_sweep_until_its_end(qtbot):
    window, speaker = QWidget(), Speaker()
    qtbot.addWidget(window)
    title = WindowTitle(window)
    title.show_place("A stored run")
    assert window.windowTitle() == "A stored run \N{MIDDLE DOT} DomTune"
    documents = make_documents()
    started = next(each for each in documents if isinstance(each, RunStarted))
    trial = next(each for each in documents if isinstance(each, TrialDone))
    started = msgspec.structs.replace(started, spec=msgspec.structs.replace(started.spec, name="Mine"))
    title.follow(speaker)
    speaker.document.emit(started)
    assert window.windowTitle() == "0\N{NO-BREAK SPACE}% \N{MIDDLE DOT} Mine \N{MIDDLE DOT} DomTune"
    half_s = 0.5 * usual_s(started.spec)
    speaker.document.emit(msgspec.structs.replace(trial, t_s=half_s))
    assert window.windowTitle().startswith("50\N{NO-BREAK SPACE}% ")
    title.show_place("Another page")
    assert window.windowTitle().startswith("50\N{NO-BREAK SPACE}% "), (
        "a sweep that runs matters more than what is shown"
    )
    speaker.document.emit(msgspec.structs.replace(trial, t_s=9 * half_s))
    assert window.windowTitle().startswith("99\N{NO-BREAK SPACE}% ")
    speaker.document.emit(StateChanged(t_s=9 * half_s, state=RunState.PAUSED))
    assert window.windowTitle().startswith("Paused ")
    speaker.ended.emit(None)
    assert window.windowTitle() == "DomTune"
