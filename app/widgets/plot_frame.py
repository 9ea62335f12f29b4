"""Frame of a plot: title, unit, table view, and export as SVG, PNG or CSV."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QStackedWidget, QToolButton, QWidget

from app.background import BackgroundJob, BackgroundWorker
from app.display_texts import capitalise_first
from app.glossary import glossary_term
from app.widgets.buttons import tool_button
from app.widgets.card import Card
from app.widgets.message_bar import MessageBar
from app.widgets.open_path import show_written
from app.widgets.plot_picture import PlotPicture, Write
from app.widgets.plot_reader import PlotReader
from app.widgets.save_dialog import ask_save_path
from app.widgets.table import TableData, TableView
from app.widgets.themed_plot import ThemedPlot
from scheduler.translation import _


class PlotFrame(Card):
    """Card that holds one plot, its table and the buttons for both.

    Args:
        background: Worker that writes exported files.
        title: Title of the plot.
        plot: The plot.
        table: Returns the plot's values in full precision; called to show, refresh or export the table.
        subtitle: Dim line with units and the meaning of the whiskers.
        parent: Qt's parent.
    """

    def __init__(
        self,
        background: BackgroundWorker,
        title: str,
        plot: ThemedPlot,
        table: Callable[[], TableData],
        subtitle: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(title, subtitle, parent)
        theme = plot.theme
        self._background = background
        self._provide = table
        jobs: list[BackgroundJob] = []
        self._jobs = jobs
        self.destroyed.connect(lambda: _detach_jobs(jobs))  # a result must not reach a deleted frame
        self._simulated = False
        self.plot = plot
        self.reader = PlotReader(plot, table)
        self._title = title
        self._table: TableView | None = None
        self.table_button = tool_button(theme, _("Table"), "table", show_text=True, checkable=True)
        self.save_button = tool_button(theme, _("Save\N{HORIZONTAL ELLIPSIS}"), "save", show_text=True)
        self.table_button.setAccessibleName(_("{title}: show as a table").format(title=title))
        self.save_button.setAccessibleName(_("{title}: save").format(title=title))
        self.corner.addWidget(self.table_button)
        self.corner.addWidget(self.save_button)
        self._pages = QStackedWidget()
        self._pages.addWidget(plot)
        self.message = MessageBar(theme)
        self.body.addWidget(self._pages, 1)
        self.body.addWidget(self.message)
        self.table_button.toggled.connect(self._show_table)
        self.save_button.clicked.connect(self._ask_path)
        self._menu = self._make_menu()

    @property
    def table(self) -> TableView:
        """The table view, created on first use."""
        if self._table is None:
            self._table = TableView(_("{title}: table").format(title=self._title))
            self._pages.addWidget(self._table)
        return self._table

    def set_compact(self, compact: bool) -> None:  # noqa: FBT001 - a property's setter, as in Qt
        """Hide the texts of the buttons above the plot where space is short."""
        styles = Qt.ToolButtonStyle
        for button in self.findChildren(QToolButton):
            if button.property("words"):
                button.setToolButtonStyle(styles.ToolButtonIconOnly if compact else styles.ToolButtonTextBesideIcon)

    def set_simulated(self, simulated: bool) -> None:  # noqa: FBT001 - a property's setter, as in Qt
        """Mark exported pictures and tables as simulated."""
        self._simulated = simulated

    def copy_image(self) -> None:
        """Copy the plot with its title as an image."""
        QGuiApplication.clipboard().setImage(self._make_picture().render_image())
        self.reader.announcer.say(_("The image is copied."))

    def copy_data(self) -> None:
        """Copy the plot's values as tab-separated text."""
        head = f"# {glossary_term('simulated')[0]}\r\n" if self._simulated else ""
        QGuiApplication.clipboard().setText(head + self._provide().to_tsv())
        self.reader.announcer.say(_("The values are copied."))

    def _make_menu(self) -> QMenu:
        """Make the context menu of the plot; its keys work while the plot has the focus."""
        menu = QMenu(self)
        copies = (
            (_("Copy &image"), QKeySequence(QKeySequence.StandardKey.Copy), self.copy_image),
            (_("Copy &values"), QKeySequence("Ctrl+Shift+C"), self.copy_data),
        )
        for text, keys, copy in copies:
            action = QAction(text, self.plot)
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _checked, copy=copy: copy())
            self.plot.addAction(action)
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(self.save_button.text()).triggered.connect(self._ask_path)
        self.plot.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.plot.customContextMenuRequested.connect(lambda at: menu.popup(self.plot.mapToGlobal(at)))
        return menu

    def refresh_table(self) -> None:
        """Fill the table again if it is visible."""
        if self.table_button.isChecked():
            self.table.set_table(self._provide())

    def save(self, path: Path) -> None:
        """Draw the file now and write it in the background; show the result in `message`.

        Args:
            path: `.svg` and `.png` hold the plot, `.csv` its values.

        Raises:
            ValueError: The suffix is another one.
        """
        write = self._make_writer(path.suffix.lower())
        self._jobs.append(
            self._background.submit(lambda _: write(path), lambda _: self._show_saved(path), self._show_failure)
        )

    def _make_writer(self, suffix: str) -> Write:
        match suffix:
            case ".csv":
                table, head = self._provide(), f"# {glossary_term('simulated')[0]}\r\n" if self._simulated else ""
                return lambda path: _write_csv(path, table, head)
            case ".png":
                return self._make_picture().render_png()
            case ".svg":
                return self._make_picture().render_svg()
            case other:
                raise ValueError(_("Plots cannot be saved as {suffix}. Use .svg, .png or .csv.").format(suffix=other))

    def _make_picture(self) -> PlotPicture:
        return PlotPicture(self.plot, self.heading.text(), self.heading.font(), self._simulated)

    def _show_saved(self, path: Path) -> None:
        show_written(self.message, _("Saved as {path}").format(path=path), (path,))

    def _show_failure(self, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        path = error.filename if isinstance(error, OSError) else ""
        text = _("{path} could not be written: {reason}").format(path=path or _("The file"), reason=reason)
        self.message.say("error", text, _("Choose another folder, or free some space."))

    def _show_table(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        self._pages.setCurrentWidget(self.table if shown else self.plot)
        self.refresh_table()

    def _ask_path(self) -> None:
        kinds = {"svg": _("Vector image"), "png": _("Image"), "csv": _("Table")}
        ask_save_path(self, _("Save plot"), f"{self._file_stem()}.svg", kinds, self._save_as)

    def _save_as(self, path: Path) -> None:
        try:
            self.save(path)
        except ValueError as error:
            self.message.say("error", capitalise_first(str(error)), _("Nothing was written."))

    def _file_stem(self) -> str:
        words = "".join(c if c.isalnum() else "-" for c in self.heading.text().lower())
        return "-".join(filter(None, words.split("-")))


def _write_csv(path: Path, table: TableData, head: str) -> None:
    path.write_text(head + table.to_csv(), encoding="utf-8", newline="")


def _detach_jobs(jobs: list[BackgroundJob]) -> None:
    for job in jobs:
        job.let_go()
