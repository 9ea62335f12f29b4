"""Where other questions than which split are asked from: the dialog, and what it starts."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QDialog

from app.panels.frame import Frame
from app.widgets.dialog import bring_up
from scheduler.model.databases import url_of
from scheduler.model.spec import RunSpec

Begin = Callable[[RunSpec, dict[str, str], str], None]


class QuestionPlace:
    """Opens the dialog over the window.

    Args:
        window: The window.
        begin: Starts a plan with the passwords of its databases, or goes on with a run by its id.
        busy: Says that a sweep runs, and returns True, if one does.

    Attributes:
        dialog: What is open, or was last.
    """

    def __init__(self, window: Frame, begin: Begin, busy: Callable[[], bool]) -> None:
        self._window, self._begin, self._busy = window, begin, busy
        self.dialog: QDialog | None = None

    def ask(self) -> None:
        """Ask another question than which split."""
        if self._busy():
            return
        from app.questions.question_dialog import QuestionDialog

        window = self._window
        self.dialog = dialog = QuestionDialog(window.theme, window.runner, window.settings.recent_hosts, window)
        dialog.start.connect(self.start)
        bring_up(dialog)

    def start(self, spec: RunSpec, continues: str = "") -> None:
        """Start a plan, or go on with a run, with the passwords of the databases that it names."""
        urls = [spec.base, *(load.url for load in spec.loads), spec.neighbour_database]
        self._ask(urls, lambda given: self._begin(spec, given, continues))

    def with_base(self, spec: RunSpec, secrets: dict[str, str], begin: Callable[[dict[str, str]], None]) -> None:
        """Begin with the passwords of all databases; those that were not given yet are asked for.

        Whoever leaves one empty has seen the server's name and agreed that their own password is sent there: the plan
        may be a stranger's.
        """
        named = (spec.base, spec.neighbour_database, *(load.url for load in spec.loads))
        others = [url for url in named if url not in secrets]
        self._ask(others, lambda given: begin({**secrets, **given}))

    def _ask(self, urls: Sequence[str], begin: Callable[[dict[str, str]], None]) -> None:
        databases = [url for url in dict.fromkeys(map(url_of, urls)) if url]  # a base may be the host's own
        if not databases:
            begin({})
            return
        from app.panels.passwords_again import ask_again

        window = self._window
        self.dialog = ask_again(window, window.theme, databases, begin)
