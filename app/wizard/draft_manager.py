"""Manager of the wizard, its draft on disk, and the question before input is lost."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.background import BackgroundJob, BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import format_clock
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.lazy_page import LazyPage
from app.wizard.leave_questions import ask_to_replace
from scheduler.model.spec import RunSpec

if TYPE_CHECKING:
    from app.wizard.sweep_form import SweepForm
    from app.wizard.wizard import Wizard

log = logging.getLogger(__name__)

_QUIET_MS = 1_000  # pause in typing after which the draft is written


class HasPages(Protocol):
    """Window that has pages."""

    def add_page(self, page: QWidget) -> None:
        """Add a page."""
        ...

    def drop_page(self, page: QWidget) -> None:
        """Delete a page."""
        ...


class DraftManager(QObject):
    """Manager of the wizard: makes it when first needed, and stores its input.

    Args:
        theme: Colours.
        settings: Defaults of a new sweep.
        runner: Starts one-shot commands.
        background: Reads and writes the draft.
        window: Gets the page, and is the parent of questions.

    Signals:
        shown: The window must show the wizard.
        start: The sweep (`RunSpec`), and database URL to password.
        left: The user left the wizard.
        offered: Host and time of a draft from an earlier start of the window.
    """

    shown = Signal()
    start = Signal(object, object)
    left = Signal()
    offered = Signal(str, str)

    def __init__(
        self, theme: Theme, settings: Settings, runner: CommandRunner, background: BackgroundWorker, *, window: QWidget
    ) -> None:
        super().__init__(window)
        self._theme, self._settings, self._runner, self._background = theme, settings, runner, background
        self._window = window
        self._pages = cast("HasPages", window)
        self._url = ""  # URL of the next wizard's host
        self._lazy = LazyPage(self._make_wizard, self._pages.add_page)
        self._draft: tuple[SweepForm, str] | None = None
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._store_draft)
        background.submit(_read_draft, self._offer_draft, lambda _: None)

    @property
    def wizard(self) -> "Wizard | None":
        """The wizard; None while there is none."""
        return self._lazy.page

    def open(self, url: str = "") -> None:
        """Open the wizard for a host; an empty URL continues with the current input."""
        if url:
            self._ask_and_begin(lambda: self._open_wizard(url))
        elif self.wizard is None:
            self._open_wizard("")
        else:
            self.shown.emit()

    def plan(self, spec: RunSpec) -> None:
        """Open the wizard with a plan."""
        self._ask_and_begin(lambda: self._load_plan(spec))

    def done(self) -> None:
        """Discard the wizard and its draft, after the sweep began or the user left."""
        self._quiet.stop()
        self._draft = None
        self._drop_wizard()
        self._background.submit(_remove_draft, lambda _: None, lambda _: None)

    def store_now(self) -> None:
        """Write the draft at once, because the window closes.

        A background job might not end in time for the few kilobytes.
        """
        self._quiet.stop()
        if self.wizard is None:
            return
        from app.wizard import draft

        try:
            if self.wizard.has_unsaved_input:
                draft.write_draft(self.wizard.state.form)
            else:
                draft.remove_draft()
        except OSError as error:
            log.warning("the draft could not be saved: %s", error)

    def _ask_and_begin(self, begin: Callable[[], None]) -> None:
        """Begin another sweep; ask first if input would be lost."""
        host = ""
        if self.wizard is not None and self.wizard.has_unsaved_input:
            host = self.wizard.state.form.host
        elif self.wizard is None and self._draft is not None:
            host = self._draft[0].host
        if host:
            self.asking = ask_to_replace(self._window, host, begin)
        else:
            begin()

    def _open_wizard(self, url: str) -> None:
        if url:
            self.done()
        self._url = url
        self._lazy.provide()
        self.shown.emit()

    def _make_wizard(self) -> "Wizard":
        from app.wizard.wizard import Wizard

        wizard = Wizard(self._theme, self._settings, self._runner, self._background, host=self._url)
        wizard.start.connect(self.start)
        wizard.cancelled.connect(self._leave_wizard)
        if self._draft is not None:
            form, when = self._draft
            self._draft = None
            wizard.load_draft(form, when)
        wizard.state.changed.connect(self._quiet.start)
        return wizard

    def _load_plan(self, spec: RunSpec) -> None:
        self._draft = None
        if self.wizard is None:
            self._open_wizard("")
        if self.wizard is not None:
            self.wizard.load_spec(spec)
            self.shown.emit()

    def _leave_wizard(self) -> None:
        self.done()
        self.left.emit()

    def _drop_wizard(self) -> None:
        wizard = self._lazy.drop()
        if wizard is not None:
            wizard.state.blockSignals(True)  # a page being deleted must not draw
            self._pages.drop_page(wizard)

    def _store_draft(self) -> None:
        from app.wizard import draft

        if self.wizard is None:
            return
        kept = draft.copy_typed(self.wizard.state.form) if self.wizard.has_unsaved_input else None
        self._background.submit(
            lambda _: draft.write_draft(kept) if kept else draft.remove_draft(), lambda _: None, self._log_not_stored
        )

    def _log_not_stored(self, error: Exception) -> None:
        log.warning("the draft could not be saved: %s", error)

    def _offer_draft(self, found: "tuple[SweepForm, float] | None") -> None:
        if found is None:
            return
        form, when = found[0], format_clock(found[1])
        if self.wizard is None:
            self._draft = form, when
            self.offered.emit(form.host, when)
        elif not self.wizard.has_unsaved_input:
            self.wizard.load_draft(form, when)


def _read_draft(_: BackgroundJob) -> "tuple[SweepForm, float] | None":
    from app.wizard import draft

    return draft.read_draft()


def _remove_draft(_: BackgroundJob) -> None:
    from app.wizard import draft

    draft.remove_draft()
