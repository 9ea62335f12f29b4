"""Frame of the window: rail, menu, banner, messages, pages and common dialogs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QMessageBox,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.pages.restore_banner import RestoreBanner
from app.settings import TEXT_PERCENTS, Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_XL
from app.widgets.confirm_question import ConfirmQuestion, ask_question
from app.widgets.dialog_layout import TITLE_PX, show_dialog
from app.widgets.message_bar import MessageBar
from app.widgets.navigation_rail import NavigationRail
from app.widgets.open_path import open_path
from app.widgets.scroll_areas import make_scroll_area
from scheduler import places
from scheduler.translation import _

_KEYS = QKeySequence.StandardKey


class MenuActions(NamedTuple):
    """Actions of the menu.

    Attributes:
        new_sweep: Begin a sweep.
        question: Choose another study.
        open_plan: Open a plan file.
        open_run: Open run files.
        print: Print the report of the displayed run.
        log: Open the folder of the log.
        go: Open the page with this key.
        text_size: Make all texts larger (1) or smaller (-1), or normal (0).
        settings: Open the settings.
        manual: Open the manual.
        words: Open the glossary.
        about: Open versions and licences.
    """

    new_sweep: Callable[[], object]
    question: Callable[[], object]
    open_plan: Callable[[], object]
    open_run: Callable[[], object]
    print: Callable[[], object]
    log: Callable[[], object]
    go: Callable[[str], object]
    text_size: Callable[[int], object]
    settings: Callable[[], object]
    manual: Callable[[], object]
    words: Callable[[], object]
    about: Callable[[], object]


class WindowMenu(QObject):
    """Menu bar of the window.

    Args:
        window: The window.
        rail: Knows which pages can be opened now.
        does: Actions of the entries.

    Attributes:
        actions: All entries, in the order of the menus.
    """

    def __init__(self, window: QMainWindow, rail: NavigationRail, does: MenuActions) -> None:
        super().__init__(window)
        self._window, self._rail, self._does = window, rail, does
        self.actions: list[QAction] = []
        self._make_file()
        self._make_view()
        self._make_help()

    def _make_file(self) -> None:
        menu = self._window.menuBar().addMenu(_("&File"))
        self._add_action(menu, _("&New sweep"), QKeySequence(_KEYS.New), self._does.new_sweep)
        question = _("Ask another &question\N{HORIZONTAL ELLIPSIS}")
        self._add_action(menu, question, QKeySequence("Ctrl+Shift+N"), self._does.question)
        plan = _("&Open plan\N{HORIZONTAL ELLIPSIS}")
        self._add_action(menu, plan, QKeySequence(_KEYS.Open), self._does.open_plan)
        run = _("Open &run\N{HORIZONTAL ELLIPSIS}")
        self._add_action(menu, run, QKeySequence("Ctrl+Shift+O"), self._does.open_run)
        menu.addSeparator()
        self._add_action(menu, _("&Print\N{HORIZONTAL ELLIPSIS}"), QKeySequence(_KEYS.Print), self._does.print)
        menu.addSeparator()
        self._add_action(menu, _("S&ettings\N{HORIZONTAL ELLIPSIS}"), QKeySequence("Ctrl+,"), self._does.settings)
        menu.addSeparator()
        self._add_action(menu, _("&Quit"), QKeySequence("Ctrl+Q"), self._window.close)

    def _make_view(self) -> None:
        menu = self._window.menuBar().addMenu(_("&View"))
        places_of = {
            "home": (_("&Home"), "Ctrl+H"),
            "live": (_("&Running"), "Ctrl+R"),
            "result": (_("R&esult"), "Ctrl+E"),
            "watch": (_("&Watch"), "Ctrl+T"),
        }
        entries = {
            key: self._add_action(menu, text, QKeySequence(keys), self._make_opener(key))
            for key, (text, keys) in places_of.items()
        }
        self._add_action(menu, _("&Follow"), QKeySequence("Ctrl+L"), lambda: self._does.go("follow"))
        menu.addSeparator()
        resize = self._does.text_size
        larger = self._add_action(menu, _("&Larger text"), QKeySequence(_KEYS.ZoomIn), lambda: resize(1))
        larger.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self._add_action(menu, _("&Smaller text"), QKeySequence("Ctrl+-"), lambda: resize(-1))
        self._add_action(menu, _("&Normal text size"), QKeySequence("Ctrl+0"), lambda: resize(0))
        menu.aboutToShow.connect(lambda: self._show_places(entries))
        menu.aboutToHide.connect(lambda: [entry.setEnabled(True) for entry in entries.values()])  # keeps keys active

    def _make_help(self) -> None:
        menu = self._window.menuBar().addMenu(_("&Help"))
        self._add_action(menu, _("&Manual"), QKeySequence("F1"), self._does.manual)
        self._add_action(menu, _("&Glossary"), QKeySequence("Shift+F1"), self._does.words)
        self._add_action(menu, _("&Keyboard shortcuts"), QKeySequence("?"), self._show_shortcuts)
        menu.addSeparator()
        self._add_action(menu, _("Open the &log folder"), QKeySequence(), self._does.log)
        self._add_action(menu, _("&About DomTune"), QKeySequence(), self._does.about)

    def _show_shortcuts(self) -> None:
        from app.pages.shortcuts_dialog import ShortcutsDialog

        show_dialog(ShortcutsDialog(self.actions, self._window))

    def _make_opener(self, key: str) -> Callable[[], None]:
        """Return a function that opens a page if it can be opened now."""

        def go() -> None:
            if self._rail.button(key).isEnabled():
                self._does.go(key)

        return go

    def _show_places(self, entries: dict[str, QAction]) -> None:
        for key, entry in entries.items():
            entry.setEnabled(self._rail.button(key).isEnabled())

    def _add_action(self, menu: QMenu, text: str, keys: QKeySequence, then: Callable[[], object]) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(keys)
        action.triggered.connect(lambda _checked: then())
        menu.addAction(action)
        self.actions.append(action)
        return action


if TYPE_CHECKING:
    from app.widgets.document_reader import DocumentReader

HOME, WIZARD, LIVE, RESULT, WATCH = "home", "wizard", "live", "result", "watch"
_SIZE_PX = (1280, 800)
_ROOMY_PX = (900, 520)
_LEAST_PX = (420, 220)
_PAGE_PX = 140


class _Pages(QStackedWidget):
    """Stack of pages with little minimum height: pages scroll.

    If banner and message leave less height, the whole window scrolls.
    """

    def sizeHint(self) -> QSize:
        """Return the least usable size of a page."""
        return QSize(_LEAST_PX[0], _PAGE_PX)

    def minimumSizeHint(self) -> QSize:
        """Return the least usable height of a page."""
        return QSize(super().minimumSizeHint().width(), _PAGE_PX)


class WindowFrame(QMainWindow):
    """Window without the logic of its pages.

    Args:
        theme: Colours.
        settings: Stored settings.
    """

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self.theme = theme
        self.settings = settings
        self.runner = CommandRunner(self)
        self.background = BackgroundWorker(self)
        self.setWindowTitle("DomTune")
        self.resize(*_SIZE_PX)
        self.setMinimumSize(*_LEAST_PX)
        self.banner = RestoreBanner(theme, self.runner)
        self.rail = self._make_rail()
        self.message = MessageBar(theme)
        self._pages = _Pages()
        self._manual: DocumentReader | None = None
        self._areas: dict[QWidget, QScrollArea] = {}
        self.setCentralWidget(make_scroll_area(self._lay_out_frame()))
        self.banner.notified.connect(self.message.say)

    def fit_screen(self) -> None:
        """Shrink the window to the screen, title bar included."""
        room = self.screen().availableGeometry().size() - QSize(0, TITLE_PX)
        self.resize(self.size().boundedTo(room))

    @property
    def page(self) -> QWidget:
        """Displayed page."""
        return next(page for page, area in self._areas.items() if area is self._pages.currentWidget())

    def add_page(self, page: QWidget) -> None:
        """Add a page; a page larger than the window gets scroll bars."""
        self._areas[page] = area = make_scroll_area(page, parent=self._pages)
        self._pages.addWidget(area)

    def show_page(self, page: QWidget) -> None:
        """Show a page that was added."""
        self._pages.setCurrentWidget(self._areas[page])

    def drop_page(self, page: QWidget) -> None:
        """Delete a page."""
        area = self._areas.pop(page)
        self._pages.removeWidget(area)
        area.hide()
        area.deleteLater()

    def let_go(self) -> None:
        """Stop background work and disconnect from commands: the window closes.

        Running commands end by themselves.
        """
        self.background.close()
        self.banner.rest()
        self.runner.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the rail compact in a small window."""
        super().resizeEvent(event)
        self._fit_rail()

    def _fit_rail(self) -> None:
        wide, high = map(self.theme.scaled, _ROOMY_PX)
        self.rail.set_compact(compact=self.width() < wide or self.height() < high)

    def change_text_size(self, steps: int) -> None:
        """Make all texts larger or smaller.

        Args:
            steps: Sizes to go up; 0 for the normal size.
        """
        at = TEXT_PERCENTS.index(min(TEXT_PERCENTS, key=lambda size: abs(size - self.theme.text_percent)))
        percent = TEXT_PERCENTS[max(0, min(len(TEXT_PERCENTS) - 1, at + steps))] if steps else 100
        self.settings.text_percent = percent
        self.theme.set_text_percent(percent)
        self._fit_rail()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show and hide the message's margins with the message."""
        if event.type() in {QEvent.Type.ShowToParent, QEvent.Type.HideToParent}:
            self._slot.setVisible(event.type() == QEvent.Type.ShowToParent)
        return super().eventFilter(watched, event)

    def make_menu(
        self,
        new_sweep: Callable[[], None],
        question: Callable[[], None],
        open_plan: Callable[[], None],
        open_run: Callable[[], None],
        go: Callable[[str], None],
    ) -> None:
        """Make menu and shortcuts.

        Args:
            new_sweep: Begins a sweep.
            question: Lets the user choose another study.
            open_plan: Opens a plan file.
            open_run: Opens run files.
            go: Opens the page with this key.
        """
        reads = (self.show_settings, self.show_manual, self.show_glossary, self.show_about)
        opens = (new_sweep, question, open_plan, open_run, self.print_report, self.open_log, go)
        self.menu = WindowMenu(
            self,
            self.rail,
            MenuActions(*opens, self.change_text_size, *reads),
        )

    def print_report(self) -> None:
        """Ask for a printer and print the report of the displayed run."""
        from app.pages.printing import ask_to_print

        make: Callable[[], Callable[[], str] | None] | None = getattr(self.page, "paper_page", None)
        page = make() if make is not None else None
        if page is None:
            self.message.say("info", _("There is no report on this page. Open a result, then print it."))
        else:
            ask_to_print(self, page, self.background, self.message)

    def open_log(self) -> None:
        """Open the folder of the log."""
        open_path(places.log_path().parent, self.message)

    def show_settings(self) -> None:
        """Open the settings dialog."""
        from app.pages.settings_dialog import SettingsDialog

        show_dialog(SettingsDialog(self.theme, self.settings, self))

    def show_manual(self) -> None:
        """Open the manual at the page for the displayed page; the manual stays open."""
        from app.pages.manual import manual_sections, page_for
        from app.widgets.document_reader import DocumentReader

        if self._manual is None:
            self._manual = made = DocumentReader(_("Manual"), manual_sections(), self)
            made.finished.connect(self._drop_manual)
        self._manual.open_page(page_for(getattr(self.page, "help_key", "")))
        self._manual.show()
        self._manual.raise_()

    def _drop_manual(self) -> None:
        self._manual = None

    def show_glossary(self) -> None:
        """Open the glossary."""
        from app.widgets.glossary_tips import GlossaryDialog

        show_dialog(GlossaryDialog(self))

    def show_about(self) -> None:
        """Open versions and licences."""
        from app.pages.about_dialog import AboutDialog

        show_dialog(AboutDialog(self.theme, self))

    def ask_to_stop(
        self, host: str, stop: Callable[[], None], go_on: Callable[[], None], *, paused: bool = False
    ) -> QMessageBox:
        """Ask before the window closes during a sweep; the dialog does not block.

        Args:
            host: Displayed name of the sweep's host.
            stop: Called if the user stops the sweep.
            go_on: Called if the sweep continues without the window.
            paused: True while the sweep is paused.
        """
        more = _(
            "Stop: DomTune restores the host and keeps the measured trials. You can continue the sweep later.\n\n"
            "Background: the sweep continues without a window and restores the host at its end. "
            "DomTune shows it again when you open the window."
        )
        running = _("A sweep is running on {host}.")
        question = ConfirmQuestion(
            title=_("A sweep is paused") if paused else _("A sweep is running"),
            text=(_("A sweep of {host} is paused.") if paused else running).format(host=host),
            more=more,
            yes=_("Stop and restore"),
            other=_("Go on in the background"),
            no=_("Cancel"),
        )
        return ask_question(self, question, stop, go_on)

    def name_live(self, *, going: bool) -> None:
        """Name the rail's entry for the sweep: running, or the last one."""
        self.rail.name(LIVE, _("Running") if going else _("Last sweep"))

    def _make_rail(self) -> NavigationRail:
        rail = NavigationRail(self.theme)
        rail.add_place(HOME, _("Home"), "home")
        rail.add_place(WIZARD, _("New sweep"), "plus")
        rail.add_place(LIVE, _("Running"), "sweep")
        rail.add_place(RESULT, _("Result"), "result")
        rail.add_place(WATCH, _("Watch"), "eye")
        rail.add_stretch()
        rail.add_place("settings", _("Settings"), "settings", place=False)
        rail.add_place("help", _("Help"), "help", place=False)
        rail.enable(LIVE, on=False)
        rail.enable(RESULT, on=False)
        return rail

    def _lay_out_frame(self) -> QWidget:
        content = QVBoxLayout()
        content.setSpacing(0)
        self._slot = QWidget()  # its margins must disappear with the message
        messages = QVBoxLayout(self._slot)
        messages.setContentsMargins(SPACE_XL, SPACE_M, SPACE_XL, 0)
        messages.addWidget(self.message)
        self._slot.hide()
        self.message.installEventFilter(self)
        content.addWidget(self._slot)
        content.addWidget(self._pages, 1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addLayout(content, 1)
        whole = QWidget()
        box = QVBoxLayout(whole)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.banner)
        box.addLayout(middle, 1)
        return whole
