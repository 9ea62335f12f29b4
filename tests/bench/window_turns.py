"""The real window with eight hours of history during a live sweep; a child of the turns bench.

    python -m tests.bench.window_turns HOST_URL SECONDS

Prints one JSON object: percentiles of the event loop's turns, in milliseconds.
"""

import json
import sys
from collections.abc import Callable

import msgspec
import numpy as np
from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.run_session import RunSession
from app.settings import Settings
from app.theme.theme import Appearance, Theme
from scheduler.model.documents import Document, LoadSample, RunStarted, TrialDone
from scheduler.model.spec import RunSpec
from tests.data_maker import make_documents, make_spec
from tests.ui.turns import Turns, plain_plots_ms

HISTORY_S = 8 * 3600
_PLAIN_PLOTS = 300
_TRIAL_S = 15  # of `quick`: settling and measuring
_START_MS = 120_000
_END_MS = 60_000


class Later(QObject):
    """A live session whose times follow those of the history; to the page it is the same sweep going on."""

    document = Signal(object)
    said = Signal(str, str, str)
    ended = Signal(object)

    def __init__(self, session: RunSession, first_trial: int) -> None:
        super().__init__(session)
        self._first_trial = first_trial  # beyond every trial of the history
        session.document.connect(self._take)
        session.ended.connect(self.ended)
        self.pause, self.resume, self.abort = session.pause, session.resume, session.abort

    def _take(self, document: Document) -> None:
        if isinstance(document, RunStarted):
            return
        document = msgspec.structs.replace(document, t_s=document.t_s + HISTORY_S + 60)
        if hasattr(document, "trial"):
            document = msgspec.structs.replace(document, trial=document.trial + self._first_trial)
        self.document.emit(document)


def wait(condition: Callable[[], object], limit_ms: int) -> None:
    """Let the event loop run until the condition holds; raises TimeoutError."""
    loop = QEventLoop()
    look = QTimer()
    look.setInterval(50)
    look.timeout.connect(lambda: condition() and loop.exit(0))
    look.start()
    QTimer.singleShot(limit_ms, loop, lambda: loop.exit(1))
    if loop.exec() != 0:
        raise TimeoutError("what was waited for did not come about")


def history(spec: RunSpec) -> list[Document]:
    """Return the documents of the first eight hours of a long sweep, a pair of samples for each second."""
    kinds = len(spec.loads) * len(spec.settings)
    long = make_spec(spec.host_url, repeats=HISTORY_S // (_TRIAL_S * kinds) + 2)
    documents = make_documents(spec=long, outcome=None)
    return [document for document in documents if document.t_s <= HISTORY_S]


def measure(host_url: str, seconds: int) -> dict[str, float]:
    """Watch the event loop for so many seconds of a live sweep, its page in front."""
    sys.setswitchinterval(0.001)  # as app.__main__ does
    app = QApplication([])
    window = MainWindow(Theme(app, Appearance.LIGHT), Settings())
    window.resize(1280, 800)
    window.show()
    spec = make_spec(host_url, repeats=100)
    window.begin(spec, {})
    assert window.session is not None
    assert window.live is not None
    past = history(spec)
    trials = sum(isinstance(document, TrialDone) for document in past)
    later = Later(window.session, trials)
    window.live.attach(later)
    window.live.replay(past)
    live_samples: list[Document] = []
    later.document.connect(lambda document: isinstance(document, LoadSample) and live_samples.append(document))
    session = window.session
    wait(lambda: not session.active or (live_samples and len(window.live.board.trials) >= trials), _START_MS)
    if not session.active:
        raise SystemExit(f"the sweep ended before anything was seen: {session.stopped}")
    turns = Turns()
    turns.start()
    loop = QEventLoop()
    QTimer.singleShot(seconds * 1000, loop.quit)  # not app.quit: the window would ask whether to stop the sweep
    loop.exec()
    turns.stop()
    plot = window.live.plots.split.size()
    plain = plain_plots_ms(_PLAIN_PLOTS, plot.width(), plot.height())  # beside the same sweep
    seen = len(live_samples)
    window.session.abort()
    wait(lambda: not window.session.active, _END_MS)
    return {
        "work_ms": turns.work_ms(99.9),
        "gap_ms": turns.gap_ms(99),
        "plain_plot_ms": float(np.percentile(plain, 99.9)),
        "longest_work_ms": turns.work_ms(100),
        "longest_gap_ms": turns.gap_ms(100),
        "turns": len(turns.work_s),
        "history": len(past),
        "live_samples": seen,
        "restored": float(window.session.restored),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))), flush=True)
