"""Every page and dialog of the window, brought about one after another, under names as long as real ones."""

from collections.abc import Callable, Iterator
from functools import cache

import msgspec
from PySide6.QtWidgets import QDialog, QWidget

from app.main_window import MainWindow
from app.observe.observation_request import ObservationRequest
from app.observe.observe_page import ObservePage
from app.pages.apply_dialog import ApplyDialog
from app.pages.comparison import read_sweeps
from app.pages.fault_dialog import FaultDialog
from app.pages.labels_dialog import LabelsDialog
from app.pages.live_page import LivePage
from app.pages.manual import manual_sections
from app.pages.result_data import result_data_of
from app.pages.stop_dialog import StopDialog
from app.plots.run_board import RunBoard
from app.widgets.dialog_layout import show_dialog
from app.widgets.document_reader import DocumentReader
from app.widgets.password_dialog import PasswordDialog
from app.window_faults import describe_fault
from app.wizard.key_dialog import KeyChangedDialog, KeyDialog
from app.wizard.pattern_dialog import PatternDialog
from scheduler import places
from scheduler.model.command_answers import ApplyResult, HostProbe, ParameterChange, RestoreItem
from scheduler.model.documents import Document, RunOutcome, RunState, RunStopped, StateChanged, TrialDone
from scheduler.model.host_properties import DomainProperties, HostProperties, PreflightFinding, Severity
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow, TimetableRow, WatchResult
from scheduler.model.results import Results
from scheduler.model.run_labels import RunLabels
from scheduler.model.split import GUEST, IO, Mode, parse_split
from tests.data_maker import make_documents, make_facts, make_spec
from tests.ui.recorded import RecordedSession

URL = "xl+ssh://root@xen-production-01.rack-17.muenchen.example.invalid:2222"
DATABASE = "postgresql://osdb_measuring@postgresql-production-primary.muenchen.example.invalid:5433/osdb"
HOSTS = (
    URL,
    "xapi://root@xcp-ng-pool-master-02.rack-18.muenchen.example.invalid",
    "xl+ssh://root@xen-staging.example.invalid",
    "sim:?scheduler=credit2",
)
NAME = "Before and after the move to credit2 on the new cluster, second try with 20 users per load"
_WHY = "the host key of xen-production-01.rack-17.muenchen.example.invalid is another one than at the last sweep"
_HINT = "Compare it at the console, then remove the old one with ssh-keygen -R and test the host again."
_SAID = (
    "Set 1:3.9: 54 % more than what was set gives (estimate, 27 to 81 %). "
    "Following would gain little: 4.4 % more (estimate)."
)
_SHA256 = ":".join(["4F"] * 32)

Scene = tuple[str, Callable[[], QWidget]]


def facts_of(url: str = URL, *, simulated: bool = False) -> HostProperties:
    """Return the facts of a host of a data centre."""
    domains = (
        DomainProperties(IO, "Domain-0", 4, (0, 1, 2, 3)),
        DomainProperties(GUEST, "postgresql-production-primary-2024-replacement", 8, (0, 1, 2, 3, 4, 5, 6, 7)),
    )
    return msgspec.structs.replace(
        make_facts(url, simulated, "credit2"),
        title="xen-production-01.rack-17.muenchen.example.invalid: Xen 4.17, credit2",
        pcpus=32,
        domains=domains,
        findings=(PreflightFinding(Severity.WARNING, f"Something else uses 29 % of CPU 0 and {_WHY}", _HINT),),
    )


def documents(*, simulated: bool = False, **options: object) -> list[Document]:
    """Return a sweep with a long name on such a host."""
    spec = msgspec.structs.replace(make_spec(URL), name=NAME)
    return make_documents(spec=spec, facts=facts_of(simulated=simulated), **options)  # pyright: ignore


@cache
def results() -> Results:
    """Return what such a sweep came to."""
    return result_data_of(documents()).results


class Scenes:
    """Brings pages about on one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def pages(self) -> Iterator[Scene]:
        """Yield name and maker of each page, and of what it may come to look like."""
        yield "first start", self._first_start
        yield "home", self._home
        yield "home, all at once", self._home_in_trouble
        yield from ((f"wizard {index + 1}", lambda index=index: self._step(index)) for index in range(6))
        yield "wizard, guests", self._guests
        yield "live", self._live
        yield "live, paused, simulated", self._live_paused
        yield "live, failed", self._live_failed
        yield "result", lambda: self._result(documents())
        yield "result, unfinished", self._result_unfinished
        yield "result, simulated, none", lambda: self._result(documents(simulated=True, noise=0.2))
        yield "compare", self._compare
        yield "watch, refused", self._watch_refused
        yield "watch, running", self._watch_running
        yield "watch, answered", self._watch_answered

    def dialogs(self) -> Iterator[Scene]:
        """Yield name and maker of each dialog."""
        window, theme = self._window, self._window.theme
        urls = [DATABASE, DATABASE.replace("primary", "secondary")]
        fault = describe_fault(RuntimeError(f"could not read what {URL} answered: {_WHY}"))
        labels = RunLabels(title=NAME, tags=("credit2", "20 users"), note=_WHY)
        makers: dict[str, Callable[[], object]] = {
            "settings": window.show_settings,
            "words": window.show_glossary,
            "about": window.show_about,
            "manual": lambda: show_dialog(DocumentReader("Manual", manual_sections(), window)),
            "labels": lambda: show_dialog(LabelsDialog(theme, labels, NAME, window)),
            "originals": window.banner.show_originals,
            "question": lambda: window.ask_to_stop(URL, lambda: None, lambda: None),
            "pattern": lambda: show_dialog(
                PatternDialog(theme, window.runner, "(?P<rate>.*) tps", "requests/s", window)
            ),
            "stop": lambda: show_dialog(StopDialog(theme, self._board(), window)),
            "apply": lambda: show_dialog(ApplyDialog(theme, window.runner, results(), parse_split("1:2"), window)),
            "passwords": lambda: show_dialog(PasswordDialog(theme, "Log in", f"{_WHY}.", urls, "Log in", window)),
            "key": lambda: show_dialog(KeyDialog(theme, URL, _SHA256, window)),
            "changed key": lambda: show_dialog(KeyChangedDialog(theme, _WHY, _HINT, window)),
            "fault": lambda: show_dialog(FaultDialog(theme, window.background, _WHY, fault, _HINT, window)),
        }
        for name, make in makers.items():
            yield name, lambda make=make: self._opened(make)

    def _opened(self, make: Callable[[], object]) -> QDialog:
        make()
        return next(part for part in self._window.findChildren(QDialog) if part.isVisible())

    def _compare(self) -> QWidget:
        rows = self._window.home.list.source.rows
        self._window.show_comparison(read_sweeps(places.store_path(), rows[:2]))
        return self._window

    def _first_start(self) -> QWidget:
        self._window.go("home")
        self._window.home.show_first()
        return self._window

    def _home(self) -> QWidget:
        self._window.home._show_rows(self._window.home.list.source.rows)
        return self._window

    def _home_in_trouble(self) -> QWidget:
        window = self._window
        for card in window.home.hosts.cards:
            applied = RestoreItem(host=card.url, host_id="this", armed_unix_s=1.7e9, state="applied")
            card._show_state(HostProbe(error=_WHY, hint=_HINT, applied=applied))
        due = RestoreItem(host=URL, host_id="this", armed_unix_s=1.7e9, state="armed", would_write={"io": "cap 0"})
        window.banner.show_items((due, due))
        window.message.say("error", _WHY, _HINT, "details")
        return window

    def _step(self, index: int) -> QWidget:
        window = self._window
        window.banner.show_items(())
        window.message.clear()
        if window.wizard is None:
            window.new_sweep()
        wizard = window.wizard
        wizard.page_at(0).show_answer(URL, HostProbe(facts=facts_of()))
        wizard.state.form.texts["name"] = NAME
        wizard.state.replace(wizard.state.form)
        for button in (wizard.page_at(3).database.own, wizard.page_at(3).database.each):
            if not button.isChecked():
                button.click()
        for row in wizard.page_at(3).database.rows.values():
            row.url.set_text(DATABASE)
            row.typed.emit(DATABASE, "")
        wizard.page_at(4).adjust.setChecked(True)
        wizard.page_at(5).fold.setChecked(True)
        wizard.page_at(5).as_text.setChecked(True)
        wizard.go(index)
        return window

    def _guests(self) -> QWidget:
        wizard = self._window.wizard
        wizard.go(0)
        names = tuple(domain.name for domain in facts_of().domains)
        wizard.page_at(0).show_answer(URL, HostProbe(error=_WHY, hint=_HINT, choices=names))
        return self._window

    def _live_page(self, recorded: list[Document]) -> LivePage:
        window = self._window
        window._drop_live()
        window.live = page = LivePage(window.theme, window.background)
        window.add_page(page)
        page.attach(RecordedSession([]))
        window.go("live")
        for document in recorded:
            page.take(document)
        page.strip.log.setChecked(True)
        page.redraw()
        return page

    def _live(self) -> QWidget:
        self._live_page(documents()[:900])
        return self._window

    def _live_paused(self) -> QWidget:
        recorded = documents(simulated=True, failing=[("1:1", "osdb-ir")])[:1500]
        words = "the host is as it was found"
        page = self._live_page([*recorded, StateChanged(t_s=recorded[-1].t_s, state=RunState.PAUSED, text=words)])
        page.message.say("warning", _WHY, _HINT)
        page.redraw()
        return self._window

    def _live_failed(self) -> QWidget:
        recorded = documents(trials=5, outcome=None)
        stopped = RunStopped(t_s=recorded[-1].t_s, outcome=RunOutcome.FAILED, restored=False, reason=f"{_WHY}\n{_HINT}")
        self._live_page([*recorded, stopped])
        return self._window

    def _result(self, recorded: list[Document]) -> QWidget:
        window = self._window
        window.show_result("run-0")
        window.result._job.cancel()
        window.result.show_finding(result_data_of(recorded))
        if not window.result.measured.fold.isChecked():
            window.result.measured.fold.click()
        window.result.papers.fold.setChecked(True)
        return window

    def _result_unfinished(self) -> QWidget:
        recorded = documents(trials=31, outcome=RunOutcome.ABORTED)
        self._result([msgspec.structs.replace(recorded[0]), *recorded[1:]])
        self._window.result.applied.show_applied(ApplyResult(host=URL, split="1:2", done=True))
        return self._window

    def _watch_page(self) -> ObservePage:
        self._window.observe.watch(URL)
        page = self._window.observe.page
        assert page is not None
        page.observer.asked = ObservationRequest(URL, "24h", guest=facts_of().domains[1].name, database=DATABASE)
        return page

    def _watch_refused(self) -> QWidget:
        page = self._watch_page()
        names = tuple(domain.name for domain in facts_of().domains)
        page.observer._handle_probe(HostProbe(error=_WHY, hint=_HINT, choices=names))
        page.ask.database.set_text(DATABASE)
        page.ask.host.message.say(_HINT)
        return self._window

    def _watch_running(self) -> QWidget:
        page, facts, windows = self._watch_page(), facts_of(), 90
        more = {
            "host_id": "xen-1",
            "mode": Mode.CAPS,
            "split": parse_split("1:2"),
            "cpus": 1,
            "for_s": 86_400.0,
            "database": True,
        }
        page.observer.looking.emit()
        page.observer.began.emit(ObservationStarted(host=URL, title=facts.title, simulated=True, **more))
        for place in range(windows):
            reported = (
                {"trouble": _WHY, "headline": _SAID, "wish": parse_split("1:3.9")} if place == windows - 1 else {}
            )
            cpus = {"io_cpus": 0.2 + 0.1 * (place % 3), "guest_cpus": 0.5}
            allowed = {"io_allowed_cpus": 0.33, "guest_allowed_cpus": 0.67}
            rate = {"rate_tps": 1234.5 + 100 * (place % 5)}
            page.observer.line_received.emit(
                ObservationWindow(
                    t_s=10.0 * (place + 1), split=parse_split("1:2"), **cpus, **allowed, **rate, **reported
                )
            )
        return self._window

    def _watch_answered(self) -> QWidget:
        self._watch_running()
        page, facts = self._window.observe.page, facts_of()
        reported = {
            "headline": _SAID,
            "reasons": (f"{_WHY}.", _HINT),
            "split": parse_split("1:3.9"),
            "present": parse_split("1:2"),
            "windows": 8640,
        }
        changes = tuple(
            ParameterChange(domain=domain, parameter="cap", before="33", after="20") for domain in (IO, GUEST)
        )
        times = tuple(TimetableRow(begins=f"{hour:02}:00", split=parse_split("1:2")) for hour in (0, 7, 12, 19))
        day = {"timetable": times, "timetable_gain_frac": 0.1, "t_s": 86_400.0, "database_tps": 1234.5}
        more = {"split_low": parse_split("1:4.3"), "split_high": parse_split("1:3.2"), "changes": changes}
        page.observer.answered.emit(WatchResult(host=URL, title=facts.title, **reported, **more, **day))
        page.card.fold.setChecked(True)
        return self._window

    def _board(self) -> RunBoard:
        board = RunBoard()
        for document in documents(trials=3):
            board.take(document)
        assert any(isinstance(trial, TrialDone) for trial in board.trials)
        return board
