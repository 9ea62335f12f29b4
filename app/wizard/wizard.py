"""Wizard in six steps, from a host to a sweep.

Nothing is changed on the host before the start.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.settings import Settings
from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XL
from app.widgets.buttons import link_button, primary_button, secondary_button, warning_button
from app.widgets.lazy_page import LazyPage
from app.widgets.message_bar import MessageBar
from app.wizard.domains_page import DomainsPage
from app.wizard.draft import copy_typed, is_same_input
from app.wizard.findings_list import show_count
from app.wizard.host_page import HostPage
from app.wizard.leave_questions import ask_to_leave, ask_to_replace
from app.wizard.loads_page import LoadsPage
from app.wizard.page_names import PAGES
from app.wizard.plan_files import PlanFiles
from app.wizard.plan_texts import step_answer
from app.wizard.protocol_page import ProtocolPage
from app.wizard.review_page import ReviewPage
from app.wizard.splits_page import SplitsPage
from app.wizard.step_rail import StepMark, StepRail
from app.wizard.step_texts import step_name
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_page import WizardPage, make_scrolled_page
from app.wizard.wizard_state import WizardState
from scheduler.model.host_properties import PreflightFinding
from scheduler.model.spec import RunSpec
from scheduler.translation import _


class WizardFooter(QFrame):
    """Buttons of the wizard, which the wizard connects."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._upcoming = ""
        self._narrow = False
        self.setProperty("look", "footer")
        self._plans = {
            link_button(theme, "", "log"): _("Templates"),
            link_button(theme, "", "folder"): _("&Open plan\N{HORIZONTAL ELLIPSIS}"),
            link_button(theme, "", "save"): _("Sa&ve plan\N{HORIZONTAL ELLIPSIS}"),
        }
        self.templates, self.open_plan, self.save_plan = self._plans
        self.warnings = warning_button(theme)
        self.cancel = secondary_button(theme, _("&Cancel"))
        self.back = secondary_button(theme, _("&Back"), "chevron-left")
        self.next = primary_button(theme, _("&Next"), "arrow-right")
        self.next.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow points away from the text
        self._name_buttons()
        # Texts that a narrow window hides must not set its minimum width.
        self._may_shrink(self.next, self.next.sizeHint().width())
        for button in self._plans:
            self._may_shrink(button, button.iconSize().width() + SPACE_XL)
        box = QHBoxLayout(self)
        box.setContentsMargins(SPACE_M, SPACE_M, SPACE_XL, SPACE_M)
        box.setSpacing(SPACE_S)
        box.addWidget(self.templates)
        box.addWidget(self.open_plan)
        box.addWidget(self.save_plan)
        box.addStretch(1)
        for button in (self.cancel, self.back, self.warnings, self.next):
            box.addWidget(button)

    def show_state(
        self, *, upcoming: str, first: bool, may_go: bool, may_save: bool, findings: Iterable[PreflightFinding]
    ) -> None:
        """Name the main action after the next page; without one it starts the sweep.

        Args:
            upcoming: Name of the next page; empty on the last one.
            first: True on the first page.
            may_go: False if a reason against the main action is known.
            may_save: True if there is a plan to save.
            findings: Preflight findings; errors and warnings are counted next to the main action.
        """
        show_count(self.warnings, findings)
        self._upcoming = upcoming
        set_icon(self.next, "arrow-right" if upcoming else "play", self._theme, "on_accent")
        self.next.setEnabled(may_go)
        self.back.setVisible(not first)
        self.save_plan.setEnabled(may_save)
        self._fit_buttons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide texts of buttons in a narrow window; tooltips and shortcuts stay."""
        super().resizeEvent(event)
        self._fit_buttons()

    def _fit_buttons(self) -> None:
        self._narrow = False
        self._name_buttons()
        buttons = (*self._plans, self.cancel, self.back, self.warnings, self.next)
        shown = [button for button in buttons if not button.isHidden()]
        needs_px = sum(button.sizeHint().width() + SPACE_S for button in shown) + SPACE_M + SPACE_XL
        if self.width() < needs_px:
            self._narrow = True
            self._name_buttons()

    def _name_buttons(self) -> None:
        for button, words in self._plans.items():
            button.setText("" if self._narrow else words)
            button.setShortcut(QKeySequence.mnemonic(words))
            button.setToolTip(words.replace("&", ""))
            button.setAccessibleName(words.replace("&", ""))
        if not self._upcoming:
            self.next.setText(_("S&tart sweep"))
        elif self._narrow:
            self.next.setText(_("&Next"))
        else:
            self.next.setText(_("&Next: {step}").format(step=self._upcoming))

    def _may_shrink(self, button: QPushButton, least_px: int) -> None:
        button.setMinimumWidth(least_px)
        button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)


def show_progress(rail: StepRail, state: WizardState, visited: Collection[int]) -> None:
    """Show the state of each step; a step that was never open has no answer.

    Args:
        rail: Rail of the steps.
        state: State shared by the pages.
        visited: Indices of the steps that were open.
    """
    for index, (key, step) in enumerate(zip(PAGES, rail.steps, strict=True)):
        wrong = state.messages_of(key)
        seen = index in visited and key != "review"
        step.setText(step_name(key, state.form.study))
        mark = StepMark.WRONG if wrong else StepMark.DONE if seen else StepMark.AHEAD
        step.show_state(mark, _answer_of_step(state, key, wrong) if seen or wrong else "")


def _answer_of_step(state: WizardState, key: str, wrong: dict[str, str]) -> str:
    if wrong or state.ahead is None:
        return next(iter(wrong.values()), "")
    return step_answer(key, state.ahead, state.facts)


def new_sweep_form(settings: Settings, host: str = "") -> SweepForm:
    """Return the form of a new sweep with the defaults of the settings.

    Args:
        settings: Recent hosts, default users and windows.
        host: The host's URL; empty for the last one.
    """
    form = SweepForm(host=host or next(iter(settings.recent_hosts), SweepForm.host))
    for load in form.loads.values():
        load["users"] = str(settings.users) if settings.users else ""
    if settings.measure_s:
        form.windows[form.protocol]["measure_s"] = str(settings.measure_s)
    return form


_DOMAINS = PAGES.index("domains")
_NARROW_PX = 860  # below, the steps show only their marks


class Wizard(QWidget):
    """Page of the main window that makes a plan.

    Args:
        theme: Colours.
        settings: Recent hosts, default users and windows.
        runner: Starts one-shot commands.
        background: Reads and writes files; None makes one.
        host: URL of a chosen host, which is probed at once; empty for the last one.

    Signals:
        start: The sweep (`RunSpec`), and database URL to password.
        cancelled: The user left the wizard.
    """

    start = Signal(object, object)
    cancelled = Signal()

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        runner: CommandRunner,
        background: BackgroundWorker | None = None,
        *,
        host: str = "",
    ) -> None:
        super().__init__()
        self._settings = settings
        self.state = WizardState(new_sweep_form(settings, host), self)
        self._untouched = new_sweep_form(settings, host)
        self._visited: set[int] = set()
        self._index = 0
        self.rail = StepRail(theme, [step_name(key) for key in PAGES])
        self.message = MessageBar(theme)
        self.footer = WizardFooter(theme)
        self.files = PlanFiles(settings, background or BackgroundWorker(self), self)
        self.stack = QStackedWidget()
        self._areas: dict[WizardPage, QScrollArea] = {}
        makers: tuple[Callable[[], WizardPage], ...] = (
            partial(HostPage, theme, self.state, settings, runner),
            partial(DomainsPage, theme, self.state),
            partial(SplitsPage, theme, self.state),
            partial(LoadsPage, theme, self.state, runner),
            partial(ProtocolPage, theme, self.state),
            partial(ReviewPage, theme, self.state, runner),
        )
        self._pages = [LazyPage(make, self._place_page) for make in makers]
        self._lay_out()
        self._connect_signals()
        self.go(0)
        if host:
            self._host_page.ask_if_unknown()

    def _place_page(self, page: WizardPage) -> None:
        self._areas[page] = make_scrolled_page(page, self.stack)
        self.stack.addWidget(self._areas[page])
        if isinstance(page, DomainsPage):
            page.test_wanted.connect(self._host_page.ask)
        page.fill()

    def page_at(self, index: int) -> WizardPage:
        """Return a page by its index in `PAGES`; make it if needed."""
        return self._pages[index].provide()

    @property
    def page(self) -> WizardPage:
        """Displayed page."""
        return self.page_at(self._index)

    @property
    def help_key(self) -> str:
        """Key of the manual's page for the displayed page."""
        return PAGES[self._index]

    @property
    def has_unsaved_input(self) -> bool:
        """True when the form differs from the last saved or loaded plan."""
        return not is_same_input(self.state.form, self._untouched)

    @property
    def review(self) -> ReviewPage:
        """The last page."""
        return cast("ReviewPage", self.page_at(-1))

    @property
    def _host_page(self) -> HostPage:
        return cast("HostPage", self.page_at(0))

    def load_spec(self, spec: RunSpec) -> None:
        """Show a plan for review, from a file or from an earlier sweep."""
        self.message.clear()
        self._visited = set(range(len(PAGES)))
        self.state.replace(SweepForm.from_spec(spec))
        self._untouched = SweepForm.from_spec(spec)
        self.go(len(PAGES) - 1)

    def load_draft(self, form: SweepForm, when: str) -> None:
        """Show a draft of an earlier start of the window.

        Args:
            form: Form of the draft.
            when: Time of the draft, as text.
        """
        self._visited = set(range(len(PAGES)))
        self.state.replace(form)
        self.go(0)
        text = _("Your entries from {when} are restored.").format(when=when)
        self.message.say("info", text, _("Cancel discards your entries. Passwords were not kept."))

    def begin_again(self) -> None:
        """Discard the input and show the first page with its defaults."""
        self.message.clear()
        self._visited = set()
        self._index = 0
        self._untouched = new_sweep_form(self._settings)
        self.state.replace(new_sweep_form(self._settings))
        self.go(0)

    def go(self, index: int) -> None:
        """Show a page; the input of other pages stays."""
        self._visited.add(self._index)
        self._index = index
        if index:
            self._host_page.ask_if_unknown()
        self.stack.setCurrentWidget(self._areas[self.page])
        self.rail.set_current(index)
        self._refresh_steps()
        if self.isVisible():
            self.page.on_page_shown()
        self.footer.next.setFocus(Qt.FocusReason.OtherFocusReason)  # for pages without input
        self.page.take_focus()

    def showEvent(self, event: QShowEvent) -> None:
        """Start the check of the displayed page."""
        super().showEvent(event)
        self.page.on_page_shown()

    def choose_question(self, study: str = "") -> None:
        """Show the first page with the focus on the question.

        Args:
            study: Name of the study to choose; empty keeps the choice.
        """
        self.go(0)
        self._host_page.ask_question(study or self.state.form.study)

    def next(self) -> None:
        """Open the next page, or start the sweep; a mistake keeps the page open."""
        if not self.page.ready():
            self._refresh_steps()
            return
        if self._index + 1 < len(PAGES):
            self.go(self._adjacent_page(1))
        elif self.review.may_start and self.state.spec is not None:
            self.start.emit(self.state.spec, self.state.form.secrets())

    def back(self) -> None:
        """Open the previous page; leave from the first page."""
        if self._index:
            self.go(self._adjacent_page(-1))
        else:
            self.cancel()

    def take_focus(self) -> None:
        """Focus the displayed page."""
        self.page.take_focus()

    def _adjacent_page(self, step: int) -> int:
        """Return the index of the next or previous page.

        The domains page is skipped if it has no choice.
        """
        index = self._index + step
        return index + step if index == _DOMAINS and self.state.form.brings_domains else index

    def cancel(self) -> None:
        """Leave the wizard; ask first if input would be lost."""
        if self.has_unsaved_input:
            self.asking = ask_to_leave(self, self.cancelled.emit)
        else:
            self.cancelled.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter open the next page or press the focused button, and Esc go back."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focus = self.focusWidget()
            if isinstance(focus, QAbstractButton) and not focus.isCheckable():
                focus.click()
            elif not isinstance(focus, QPlainTextEdit):
                self.next()
        elif event.key() == Qt.Key.Key_Escape:
            self.back()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the rail narrow in a narrow window."""
        super().resizeEvent(event)
        self.rail.set_narrow(narrow=event.size().width() < _NARROW_PX)

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.message)
        right.addWidget(self.stack, 1)
        right.addWidget(self.footer)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.rail)
        box.addLayout(right, 1)

    def _connect_signals(self) -> None:
        self.rail.chosen.connect(self.go)
        self.footer.next.clicked.connect(self.next)
        self.footer.back.clicked.connect(self.back)
        self.footer.cancel.clicked.connect(self.cancel)
        self.footer.warnings.clicked.connect(lambda *_: self.review.show_findings())
        self.footer.templates.clicked.connect(self._offer_templates)
        self.footer.open_plan.clicked.connect(self._open_plan)
        self.footer.save_plan.clicked.connect(lambda: self.files.ask_save(self.state.spec))
        self.files.opened.connect(self.load_spec)
        self.files.saved.connect(self._note_saved)
        self.files.notified.connect(self.message.say)
        self.state.changed.connect(self._refresh_steps)
        self.state.replaced.connect(self._fill_pages)

    def _fill_pages(self) -> None:
        for lazy in self._pages:
            if lazy.page is not None:
                lazy.page.fill()

    def _open_plan(self) -> None:
        """Ask for a plan file; ask first if input would be lost."""
        if self.has_unsaved_input:
            self.asking = ask_to_replace(self, self.state.form.host, self.files.ask_open)
        else:
            self.files.ask_open()

    def _offer_templates(self) -> None:
        """Offer templates and recent plans; ask first if input would be lost."""
        button = self.footer.templates
        offer = partial(self.files.offer_templates, button.mapToGlobal(button.rect().topLeft()))
        if self.has_unsaved_input:
            self.asking = ask_to_replace(self, self.state.form.host, offer)
        else:
            offer()

    def _note_saved(self, spec: RunSpec) -> None:
        if self.state.spec == spec:
            self._untouched = copy_typed(self.state.form)

    def _refresh_steps(self) -> None:
        self.page.refresh()
        passed = {_DOMAINS} if self.state.form.brings_domains and max(self._visited | {self._index}) > 0 else set()
        show_progress(self.rail, self.state, self._visited | passed)
        upcoming = PAGES[self._adjacent_page(1)] if self._index + 1 < len(PAGES) else ""
        self.footer.show_state(
            upcoming=step_name(upcoming, self.state.form.study) if upcoming else "",
            first=self._index == 0,
            may_go=bool(upcoming) or self.review.may_start,
            may_save=self.state.spec is not None,
            findings=() if upcoming else self.review.current_findings,
        )
