"""Controller of the lessons: pages on demand, runs and their checks."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core_process import OneShotCommand
from app.pages.window_frame import WindowFrame
from app.widgets.lazy_page import LazyPage
from scheduler.errors import SchedulerError
from scheduler.model.documents import RunOutcome, RunStopped
from scheduler.model.spec import RunSpec

if TYPE_CHECKING:
    from app.lessons.lesson_page import LessonPage
    from app.lessons.lessons_page import LessonsPage
    from app.run_session import RunSession
    from scheduler.lessons.lesson_files import LessonCatalogue

_CHECK_S = 120.0


class LessonController(QObject):
    """Owner of the pages for lessons.

    Args:
        window: Window that shows the pages.

    Signals:
        shown: Page that the window must show.
        start: Plan of a student's run.
        result_wanted: Id of the run to show.
    """

    shown = Signal(object)
    start = Signal(object)
    result_wanted = Signal(str)

    def __init__(self, window: WindowFrame) -> None:
        super().__init__(window)
        self._window = window
        self._catalogue: LessonCatalogue | None = None
        self._run_id = ""  # run whose check is shown
        self._list = LazyPage(self._make_list, window.add_page)
        self._lesson = LazyPage(self._make_lesson, window.add_page)

    @property
    def list_page(self) -> "LessonsPage | None":
        """The list of lessons; None until it is needed."""
        return self._list.page

    @property
    def lesson_page(self) -> "LessonPage | None":
        """The page of one lesson; None until it is needed."""
        return self._lesson.page

    def open(self) -> None:
        """Read the lessons in the background, then show their list."""
        from scheduler.lessons.lesson_files import read_lessons

        self._window.background.submit(lambda _: read_lessons(), self._show_list, self._window.message.show_error)

    def follow(self, session: "RunSession | None", spec: RunSpec) -> None:
        """Show the check when the run of a lesson ends.

        Args:
            session: The run; None if it could not start.
            spec: Its plan.
        """
        if session is not None and spec.lesson.name:
            session.ended.connect(lambda stopped: self._handle_end(session.run_id, stopped))

    def show_run(self, run_id: str) -> None:
        """Check a stored run of a lesson, then show the check."""
        job = self._window.runner.run_once(["lesson", "check", run_id, "--json"], timeout_s=_CHECK_S)
        job.finished.connect(lambda _output, _code: self._show_check(job))

    def _make_list(self) -> "LessonsPage":
        from app.lessons.lessons_page import LessonsPage

        page = LessonsPage(self._window.theme)
        page.chosen.connect(self._open_lesson)
        return page

    def _make_lesson(self) -> "LessonPage":
        from app.lessons.lesson_page import LessonPage

        page = LessonPage(self._window.theme)
        page.start.connect(self._request_start)
        page.all_wanted.connect(self.open)
        page.last_wanted.connect(lambda: self._show_last(page))
        page.next_wanted.connect(self._open_next)
        page.check.result_wanted.connect(lambda: self.result_wanted.emit(self._run_id))
        page.check.save_wanted.connect(lambda: self._save_answer(page))
        return page

    def _show_list(self, catalogue: "LessonCatalogue") -> None:
        self._catalogue = catalogue
        page = self._list.provide()
        page.show_lessons(catalogue, self._window.settings.lesson_runs)
        self.shown.emit(page)

    def _open_lesson(self, name: str) -> None:
        """Show a lesson before its measurement."""
        if self._catalogue is None:
            return
        names = [lesson.name for lesson in self._catalogue.lessons]
        page, place, settings = self._lesson.provide(), names.index(name), self._window.settings
        done = name in settings.lesson_runs
        page.show_lesson(self._catalogue.lessons[place], place + 1, len(names), settings.student, done=done)
        self.shown.emit(page)

    def _show_last(self, page: "LessonPage") -> None:
        run_id = self._window.settings.lesson_runs.get(page.lesson.name, "") if page.lesson else ""
        if run_id:
            self.show_run(run_id)

    def _open_next(self) -> None:
        page = self._lesson.page
        if self._catalogue is None or page is None or page.lesson is None:
            return
        names = [lesson.name for lesson in self._catalogue.lessons]
        following = names.index(page.lesson.name) + 1
        if following < len(names):
            self._open_lesson(names[following])

    def _request_start(self, spec: RunSpec) -> None:
        self._window.settings.student = spec.lesson.student
        self.start.emit(spec)

    def _handle_end(self, run_id: str, stopped: RunStopped | None) -> None:
        if run_id and stopped is not None and stopped.outcome is RunOutcome.COMPLETED:
            self.show_run(run_id)

    def _show_check(self, job: OneShotCommand) -> None:
        from scheduler.lessons.lesson_check import CheckedLesson

        try:
            answer = job.read(CheckedLesson)
        except SchedulerError as error:
            self._window.message.show_error(error)
            return
        self._window.settings.finish_lesson(answer.check.lesson, answer.check.run_id)
        page = self._lesson.page
        if page is None or page.lesson is None or page.lesson.name != answer.check.lesson:
            return
        self._run_id = answer.check.run_id
        page.show_check(answer)
        self.shown.emit(page)

    def _save_answer(self, page: "LessonPage") -> None:
        from app.pages.exports import answer_export, ask_and_export

        asked = answer_export(page, self._run_id)
        ask_and_export(asked, self._window.background, page.message)
