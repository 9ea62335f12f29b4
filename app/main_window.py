"""Main window, which connects the pages.

Closing the window during a sweep asks the user. The window then waits until the host is restored, or lets the sweep
continue in the background. The next window shows such a sweep again.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMessageBox, QWidget

from app.lessons.lesson_controller import LessonController
from app.observe.observe_controller import ObserveController
from app.pages.database_passwords import DatabasePasswords
from app.pages.end_notifier import EndNotifier
from app.pages.first_start import LOCAL
from app.pages.home_page import HomePage
from app.pages.host_news import HostNews
from app.pages.run_manager import RunManager
from app.pages.run_opener import RunOpener, dropped_files
from app.pages.sweep_rows import remove_deleted
from app.pages.window_frame import HOME, LIVE, RESULT, WATCH, WIZARD, WindowFrame
from app.pages.window_title import WindowTitle
from app.plots.stored_runs import read_spec
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.consent_question import ask_consent
from app.widgets.lazy_page import LazyPage, import_later
from app.wizard.draft_manager import DraftManager
from scheduler import places
from scheduler.background_runs import SWEEP, attach_background_runs
from scheduler.model.consent import NO_CONSENT, Consent
from scheduler.model.documents import Document, RunStarted, RunState, RunStopped
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec
from scheduler.translation import _

if TYPE_CHECKING:
    from app.pages.compare_page import ComparePage
    from app.pages.comparison import ComparedRun
    from app.pages.live_page import CanControlRun, LivePage
    from app.pages.result_page import ResultPage
    from app.run_session import RunSession
    from app.wizard.wizard import Wizard
    from scheduler.background_runs import AttachedProgram


PAGE_MODULES = (
    "numpy",
    "pyqtgraph",
    "app.plots.split_throughput_plot",
    "app.pages.result_page",
    "app.wizard.wizard",
    "app.pages.live_page",
    "app.observe.observe_page",
    "app.lessons.lesson_page",
)


class MainWindow(WindowFrame):
    """Main window.

    Pages except Home are created, and their modules imported, on demand. The window is therefore usable before a plot
    can be drawn.
    """

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__(theme, settings)
        self._closing = False
        self.title = WindowTitle(self)
        self.notifier = EndNotifier(self, self.background)
        self.session: RunSession | None = None
        self.live: LivePage | None = None
        self._replay = LazyPage(self._make_replay, self.add_page)
        self._result = LazyPage(self._make_result, self.add_page)
        self._compare = LazyPage(self._make_compare, self.add_page)
        self.passwords = DatabasePasswords(self, theme)
        self.home = HomePage(theme, settings, self.runner, self.background)
        self.add_page(self.home)
        self.opener = RunOpener(self, self.home)
        self.make_menu(self.new_sweep, self.choose_question, self.open_plan, self.opener.ask, self._open_place)
        self.setAcceptDrops(True)
        self.observe = ObserveController(self)
        self.lessons = LessonController(self)
        self.desk = DraftManager(theme, settings, self.runner, self.background, window=self)
        self.run_manager = RunManager(theme, self.runner, self.home, self)
        self.news = HostNews(self.banner, self.home, self.background, self)
        self._connect_signals()
        self.consent: QMessageBox | None = None  # latest question about a Dask cluster
        self.home.loaded.connect(self._prepare_pages)
        self._imports = import_later(PAGE_MODULES, self)
        self.restoreGeometry(settings.geometry)
        self.go(HOME)
        self.home.setFocus()
        self.home.refresh()

    @property
    def wizard(self) -> "Wizard | None":
        """The page that plans a sweep; None while none is planned."""
        return self.desk.wizard

    @property
    def result(self) -> "ResultPage | None":
        """The page of a stored run; None until a run is opened."""
        return self._result.page

    @property
    def comparison(self) -> "ComparePage | None":
        """The page that compares runs; None until runs are compared."""
        return self._compare.page

    @property
    def replay(self) -> "LivePage | None":
        """The page that replays a stored run; None until a run is replayed."""
        return self._replay.page

    @property
    def swept_host(self) -> str:
        """URL of the host that this window sweeps; empty while no sweep runs."""
        session = self.session
        return session.spec.host_url if session is not None and session.active and session.spec else ""

    def go(self, place: str) -> None:
        """Show the page of a place if the page exists."""
        pages = {HOME: self.home, WIZARD: self.wizard, LIVE: self.live, RESULT: self.result}
        page = {**pages, WATCH: self.observe.page}[place]
        if page is not None:
            self.show_page(page)
            self.rail.choose(place)
            self.title.show_place()
        if self.result is not None and page is self.result:
            self.result.go_to_headline()

    def new_sweep(self, url: str = "") -> None:
        """Open the wizard, for a host if its URL is given; an open wizard keeps its input."""
        if self._refuse_if_sweeping():
            return
        self.desk.open(url)

    def begin(
        self, spec: RunSpec, secrets: dict[str, str], continues: str = "", begun: Callable[[], None] = lambda: None
    ) -> None:
        """Start a sweep and show it; ask first if other computers could run code here.

        Args:
            spec: Plan of the sweep.
            secrets: Password by database URL.
            continues: Identifier of the run to continue; empty for a new run.
            begun: Called after the start of the core.
        """
        if self._refuse_if_sweeping():
            return
        if not spec.clients.remote:
            self._begin_agreed(spec, secrets, continues, NO_CONSENT)
            begun()
            return

        def agreed() -> None:
            consent = Consent(clients=True, unencrypted=not spec.clients.encrypted)
            self._begin_agreed(spec, secrets, continues, consent)
            begun()

        self.consent = ask_consent(self, spec.clients.scheduler, agreed)

    def _begin_agreed(self, spec: RunSpec, secrets: dict[str, str], continues: str, consent: Consent) -> None:
        if self._refuse_if_sweeping():
            return
        self.settings.remember_host(spec.host_url)
        session = self._open_live()
        try:
            session.begin(spec, secrets, continues, consent)
        except OSError as error:
            text = _("The measuring process could not start: {why}").format(why=error.strerror)
            self.message.say("error", text, _("Nothing was changed."))
            self._drop_live()
            return
        self._show_live()

    def _attach_runs(self, programs: "Sequence[AttachedProgram]") -> None:
        """Show the runs that continue in the background: one sweep and one observation."""
        for program in programs:
            if program.kind == SWEEP and not (self.session is not None and self.session.active):
                self._open_live().attach(program)
                self._show_live()
            elif program.kind == SWEEP or not self.observe.attach(program):
                program.close_pipes()
                program.abandon()
                text = _("Another run continues in the background.")
                self.message.say("info", text, _("DomTune shows it when you open the window after this run."))

    def _open_live(self) -> "RunSession":
        """Return a new session with its page."""
        from app.pages.live_page import LivePage
        from app.run_session import RunSession

        self._drop_live()
        self.session = RunSession(self.runner, self)
        self.live = LivePage(self.theme, self.background)
        self.live.attach(cast("CanControlRun", self.session))  # a class's Signal is a SignalInstance of its objects
        self.live.result_wanted.connect(self.show_result)
        self.live.continue_wanted.connect(self.continue_run)
        self.live.restore_wanted.connect(self.banner.restore)
        self.add_page(self.live)
        self.news.follow(self.session)
        self.notifier.follow(self.session)  # before the end closes the window and its worker
        self.session.ended.connect(self._handle_sweep_end)
        self.session.detached.connect(self._close_detached)
        self.title.follow(self.session)
        return self.session

    def _show_live(self) -> None:
        self.message.clear()
        self.rail.enable(LIVE, on=True)
        self.name_live(going=True)
        self.go(LIVE)

    def show_result(self, run_id: str) -> None:
        """Show a stored run: the result of a sweep, or an observation."""
        row = self.home.row_of(run_id)
        if row is not None and row.observes:
            self.observe.show_stored(run_id)
            return
        self._result.provide().show_run(run_id)
        self.rail.enable(RESULT, on=True)
        self.go(RESULT)
        self.title.show_place(self.home.title_of(run_id))

    def _make_result(self) -> "ResultPage":
        from app.pages.result_page import ResultPage

        page = ResultPage(self.theme, self.background, self.runner)
        page.confirm_wanted.connect(self.plan)
        page.continue_wanted.connect(self.continue_run)
        page.lengthen_wanted.connect(self.continue_run)
        page.other_wanted.connect(self.plan_elsewhere)
        page.replay_wanted.connect(self.show_replay)
        page.edit_wanted.connect(self._edit_shown)
        self.news.tell(page)
        return page

    def choose_question(self, study: str = "", url: str = "") -> None:
        """Open the wizard at the question; an open wizard keeps its other input.

        Args:
            study: Name of the study to choose; empty lets the user choose.
            url: URL of the host; empty lets the user choose.
        """
        self.new_sweep(url)
        if self.wizard is not None and self.page is self.wizard:  # else a dialog asks about the open wizard
            self.wizard.choose_question(study)

    def open_plan(self) -> None:
        """Open the wizard and its file dialog for a plan."""
        self.new_sweep()
        if self.wizard is not None:
            self.wizard.files.ask_open()

    def plan(self, spec: RunSpec) -> None:
        """Open the wizard with a plan."""
        if not self._refuse_if_sweeping():
            self.desk.plan(spec)

    def plan_elsewhere(self, spec: RunSpec) -> None:
        """Open the wizard with a plan, at the choice of the host."""
        self.plan(spec)
        if self.wizard is not None:
            self.wizard.go(0)

    def continue_run(self, run_id: str, minutes: float = 0.0) -> None:
        """Continue an interrupted run, or lengthen a stored run.

        Args:
            run_id: Identifier of the run.
            minutes: Additional minutes of measurement, >= 0.
        """
        if not self._refuse_if_sweeping():
            self.background.submit(
                read_spec(run_id, minutes), partial(self._continue_run, run_id), self.message.show_error
            )

    def _continue_run(self, run_id: str, spec: RunSpec) -> None:
        if not self._refuse_if_sweeping():
            self.passwords.collect(spec, {}, lambda given: self.begin(spec, given, run_id))

    def show_replay(self, run_id: str) -> None:
        """Replay a stored run."""
        page = self._replay.provide()
        page.show_stored(run_id)
        self.show_page(page)
        self.rail.choose(RESULT)

    def show_comparison(self, runs: "Sequence[ComparedRun]") -> None:
        """Compare runs; the first one is the base.

        Args:
            runs: The runs, at least one.
        """
        page = self._compare.provide()
        page.show_runs(runs)
        self.show_page(page)
        self.rail.choose(HOME)

    def _make_compare(self) -> "ComparePage":
        from app.pages.compare_page import ComparePage

        return ComparePage(self.theme, self.background)

    def _show_results(self, results: "Sequence[Results]") -> None:
        """Show results of files, which are no runs of the store."""
        from app.pages.comparison import compared_results

        self.show_comparison([compared_results(each) for each in results])

    def _make_replay(self) -> "LivePage":
        from app.pages.live_page import LivePage

        page = LivePage(self.theme, self.background)
        page.result_wanted.connect(self.show_result)
        return page

    def showEvent(self, event: QShowEvent) -> None:
        """Check for pending restores after the window has appeared."""
        super().showEvent(event)
        QTimer.singleShot(0, self.banner, self.banner.check)

    def _prepare_pages(self) -> None:
        """Import the modules of the other pages once, while the window is idle."""
        self.home.loaded.disconnect(self._prepare_pages)
        self._imports.start()
        path = places.store_path()
        self.background.submit(lambda _: remove_deleted(path), lambda _: None, lambda _: None)
        self.background.submit(lambda _: attach_background_runs(), self._attach_runs, lambda _: None)

    def come_to_front(self, files: list[Path]) -> None:
        """Raise the window and open the files of another start of DomTune."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()
        self.opener.open(files)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept run files and results."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the dropped files."""
        event.acceptProposedAction()
        self.opener.open(dropped_files(event.mimeData()))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close now, or after the running sweep has stopped and restored the host."""
        if self.session is not None and self.session.active:
            event.ignore()
            if not self._closing:
                paused = self.session.state is RunState.PAUSED
                self.ask_to_stop(self.swept_host, self._stop_and_close, self._detach_and_close, paused=paused)
            return
        if not self.observe.may_close(asked=self._closing):
            event.ignore()
            return
        self.settings.geometry = self.saveGeometry()
        self.settings.sync()
        self._imports.stop()
        self.desk.store_now()
        self.let_go()
        event.accept()

    def _stop_and_close(self) -> None:
        if self.session is None or not self.session.active:  # the sweep ended while the question was open
            self.close()
            return
        self._closing = True
        self.message.say("info", _("Restoring the host, then closing\N{HORIZONTAL ELLIPSIS}"))
        self.session.abort()

    def _detach_and_close(self) -> None:
        if self.session is None or not self.session.active:  # the sweep ended while the question was open
            self.close()
            return
        self.session.detach()

    def _close_detached(self, error: str) -> None:
        """Close the window if the sweep continues without a window."""
        if error:
            text = _("The sweep cannot continue in the background: {why}").format(why=error)
            self.message.say("error", text, _("The sweep continues while this window is open."))
        elif self.session is not None:
            self.session.let_go()
            self.close()

    def _connect_signals(self) -> None:
        self.rail.chosen.connect(self._open_place)
        self.home.new_sweep.connect(self.new_sweep)
        self.home.hosts.question.connect(self.choose_question)
        self.home.first.question.connect(lambda study: self.choose_question(study, LOCAL))
        self.home.first.open_plan.connect(self.open_plan)
        self.home.first.lesson.connect(self.show_manual)
        self.home.first.lessons.connect(self.lessons.open)
        self.home.hosts.lessons.connect(self.lessons.open)
        self.lessons.shown.connect(self._show_lesson)
        self.lessons.start.connect(self._start_lesson)
        self.lessons.result_wanted.connect(self.show_result)
        self.home.open_run.connect(self.show_result)
        self.home.continue_run.connect(self.continue_run)
        self.opener.opened.connect(self.show_result)
        self.opener.results.connect(self._show_results)
        self.home.compare.connect(self.show_comparison)
        self.home.draft.taken.connect(self.new_sweep)
        self.home.hosts.watch.connect(self.observe.watch)
        self.observe.shown.connect(lambda: self.go(WATCH))
        self.observe.sweep_wanted.connect(self.new_sweep)
        self.observe.kept.connect(self.home.refresh)
        self.observe.ended.connect(self.notifier.report)
        self.observe.applied.connect(self.banner.check)
        self.desk.shown.connect(self._show_wizard)
        self.desk.start.connect(self._start_with_secrets)
        self.desk.left.connect(lambda: self.go(HOME))
        self.desk.offered.connect(self.home.offer_draft)
        self.run_manager.changed.connect(self._runs_changed)
        self.run_manager.failed.connect(self.message.show_error)

    def _open_place(self, key: str) -> None:
        pages = {WIZARD: self.new_sweep, WATCH: self.observe.open, "follow": self.observe.follow}
        opened: dict[str, Callable[[], None]] = {"settings": self.show_settings, "help": self.show_manual, **pages}
        opened.get(key, lambda: self.go(key))()

    def _edit_shown(self) -> None:
        if self.result is not None and self.result.finding is not None:
            self.run_manager.edit_shown(self.result.finding.results)

    def _runs_changed(self, run_ids: tuple[str, ...]) -> None:
        self.message.clear()
        self.home.refresh()
        finding = self.result.finding if self.result is not None else None
        if self.result is not None and finding is not None and finding.results.run_id in run_ids:
            self.result.show_run(finding.results.run_id)

    def _refuse_if_sweeping(self) -> bool:
        """Report a running sweep and return True; only one sweep can run at a time."""
        active = self.session is not None and self.session.active
        if active:
            self.message.say("info", _("A sweep is running. Stop it or wait for its end."))
            self.go(LIVE)
        return active

    def _handle_sweep_end(self, _: RunStopped | None) -> None:
        self.name_live(going=False)
        if self._closing:
            self.close()

    def _show_wizard(self) -> None:
        self.home.draft.hide()
        self.go(WIZARD)
        if self.wizard is not None:
            self.wizard.take_focus()  # a hidden page cannot take the focus

    def _start_with_secrets(self, spec: RunSpec, secrets: dict[str, str]) -> None:
        """Start a planned sweep with the passwords of all its databases."""
        self.passwords.collect(spec, secrets, lambda given: self._begin_described(spec, given))

    def _start_lesson(self, spec: RunSpec) -> None:
        """Start the run of a lesson; the lesson shows its check at the end."""
        self.begin(spec, {}, begun=lambda: self.lessons.follow(self.session, spec))

    def _show_lesson(self, page: QWidget) -> None:
        self.show_page(page)
        self.rail.choose(HOME)
        self.title.show_place()

    def _begin_described(self, spec: RunSpec, secrets: dict[str, str]) -> None:
        """Start a planned sweep; keep the draft until the run begins.

        A host may refuse the run.
        """
        self.begin(spec, secrets, begun=self._follow_begin)

    def _follow_begin(self) -> None:
        if self.session is not None:
            self.session.document.connect(self._note_began)

    def _note_began(self, document: Document) -> None:
        if isinstance(document, RunStarted) and self.session is not None:
            self.session.document.disconnect(self._note_began)
            self.desk.done()

    def _drop_live(self) -> None:
        if self.live is not None:
            self.drop_page(self.live)
            self.live = None
        if self.session is not None:
            self.news.follow(None)
            self.session.deleteLater()
            self.session = None
        self.rail.enable(LIVE, on=False)
